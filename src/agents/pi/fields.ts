import { messageOf } from "./native.ts";
import { type Native } from "../kit/native.ts";

const BASE = ["type", "id", "parentId", "timestamp"];

/** Fields found in 0.87.1 files or documented by pi, per type of record. */
const RECORD: Readonly<Record<string, readonly string[]>> = {
  session: ["version", "cwd", "parentSession", "branchedFrom", "title", "provider", "modelId", "thinkingLevel"],
  message: ["message"],
  model_change: ["provider", "modelId"],
  thinking_level_change: ["thinkingLevel"],
  compaction: [
    "summary",
    "firstKeptEntryId",
    "firstKeptEntryIndex",
    "tokensBefore",
    "details",
    "fromHook",
    "usage",
    "systemMessage",
    "retainedTail",
  ],
  branch_summary: ["fromId", "summary", "details", "fromHook", "usage"],
  custom: ["customType", "data"],
  custom_message: ["customType", "content", "display", "details"],
  label: ["targetId", "label"],
  session_info: ["name"],
  context_edit: ["targetId", "replacement"],
  usage: ["kind", "provider", "model", "usage", "contributionId", "note"],
  active_tools_change: ["activeToolNames"],
};

const MESSAGE: readonly string[] = [
  "role",
  "content",
  "timestamp",
  "api",
  "provider",
  "model",
  "usage",
  "stopReason",
  "rawStopReason",
  "responseId",
  "errorMessage",
  "thinkingLevel",
  "diagnostics",
  "toolCallId",
  "toolName",
  "details",
  "isError",
  "command",
  "output",
  "exitCode",
  "cancelled",
  "truncated",
  "fullOutputPath",
  "excludeFromContext",
  "customType",
  "display",
  "summary",
  "fromId",
  "tokensBefore",
  "sections",
  "toolsAdded",
  "toolsRemoved",
];

const KNOWN: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(RECORD).map(([type, fields]) => [type, new Set([...BASE, ...fields])]),
);
const KNOWN_IN_MESSAGE: ReadonlySet<string> = new Set(MESSAGE);

/** Fields that have not been checked yet. An unknown type is reported as such, not field by field. */
export function unknownFields(type: string, record: Native): string[] {
  const known = KNOWN.get(type);
  if (!known) return [];
  const out = Object.keys(record).filter((field) => !known.has(field));
  for (const field of Object.keys(messageOf(record) ?? {})) {
    if (!KNOWN_IN_MESSAGE.has(field)) out.push(`message.${field}`);
  }
  return out;
}
