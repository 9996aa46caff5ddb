/** pi's records as they are, and what the reader remembers between two of them. */
import { createHash } from "node:crypto";
import { instant } from "../../base/io/instant.ts";
import { freshChat, type ChatState } from "../kit/chat.ts";
import { fieldsByType } from "../kit/drift.ts";
import { millis, num, obj, str, type Native } from "../kit/native.ts";
import { freshTree, treeOwner, type TreeOwner, type TreeState } from "../kit/tree.ts";
import { parentFromPath } from "./discover.ts";

/** The message of a `message` record; every other record itself. */
export function bodyOf(record: Native): Native {
  return messageOf(record) ?? record;
}

export function messageOf(record: Native): Native | null {
  return record["type"] === "message" ? obj(record["message"]) : null;
}

export function roleOf(record: Native): string | null {
  return str(messageOf(record)?.["role"]);
}

/** `type` or `message/role`: the name used in reasons, drift reports and `explain`. */
export function nativeType(record: Native): string {
  const type = str(record["type"]);
  return type === "message" ? `message/${roleOf(record) ?? "(no role)"}` : (type ?? "(untyped)");
}

/** When the record was written. The message inside has its own time: when it was typed, or when the request began. */
export function timeOf(record: Native): number | null {
  return millis(record["timestamp"]) ?? instant(num(messageOf(record)?.["timestamp"]) ?? Number.NaN);
}

/**
 * Equal in every copy of a record: forks keep `id` and `timestamp`. The id alone has only 32 bits and is checked for
 * collisions only within one file; together with the millisecond it is practically unique. Files of version 1 have no
 * ids: there a hash of the content is used.
 */
export function identityOf(record: Native): string | null {
  const id = str(record["id"]);
  const timestamp = str(record["timestamp"]);
  if (record["type"] === "session") return null;
  if (timestamp === null) return id;
  const name = id ?? createHash("sha256").update(JSON.stringify(record)).digest("hex").slice(0, 16);
  return `${name}@${timestamp}`;
}

/** pi does not state its version, so the version of the session format is used. */
export function versionOf({ type, version }: Native): string | null {
  return type === "session" ? `session v${typeof version === "number" ? version : 1}` : null;
}

/** Fields found in 0.87.1 files or documented by pi, per type of record. */
export const FIELDS: ReadonlyMap<string, ReadonlySet<string>> = fieldsByType(
  {
    session: "version cwd parentSession branchedFrom title provider modelId thinkingLevel",
    message: "message",
    model_change: "provider modelId",
    thinking_level_change: "thinkingLevel",
    compaction:
      "summary firstKeptEntryId firstKeptEntryIndex tokensBefore details fromHook usage systemMessage retainedTail",
    branch_summary: "fromId summary details fromHook usage",
    custom: "customType data",
    custom_message: "customType content display details",
    label: "targetId label",
    session_info: "name",
    context_edit: "targetId replacement",
    usage: "kind provider model usage contributionId note",
    active_tools_change: "activeToolNames",
    "message.":
      "role content timestamp api provider model usage stopReason rawStopReason responseId errorMessage thinkingLevel diagnostics toolCallId toolName details isError command output exitCode cancelled truncated fullOutputPath excludeFromContext customType display summary fromId tokensBefore sections toolsAdded toolsRemoved",
  },
  ["type", "id", "parentId", "timestamp"],
);

/** What the reader remembers of one window of the session: the latest write time of a record made by the agent. */
interface WindowState {
  workTime: number | null;
}

export interface ReaderState extends ChatState, WindowState, TreeState<WindowState> {
  turns: number;
  provider: string | null;
}

export function freshState(path: string): ReaderState {
  const kind = parentFromPath(path) ? "subagent" : "root";
  return { ...freshChat(kind), ...freshTree<WindowState>(), turns: 0, workTime: null, provider: null };
}

/** A human goes back in the tree with `/tree`. */
export const OWNER: TreeOwner<ReaderState> = treeOwner<WindowState, ReaderState>({
  id: "id",
  parent: "parentId",
  isHeader: ({ type }) => type === "session",
  isWork: (record) => ["assistant", "toolResult"].includes(roleOf(record) ?? ""),
  fields: { workTime: true },
});
