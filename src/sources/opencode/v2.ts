import type { RecordBody } from "../../format/record.ts";
import { contextRecords } from "./context.ts";
import { corrupt, type EntryDraft, type Message, type MessageContext, type MessagePart } from "./draft.ts";
import { fingerprint } from "./identity.ts";
import { nonEmpty, time } from "./native.ts";
import { list, obj, str, type Native } from "../kit/native.ts";
import { messageOf, readMessage } from "./message.ts";
import type { NativeRow } from "./rows.ts";
import { toolRecords } from "./calls.ts";

/**
 * `session_message`: the projection of the event-sourced runtime. One row is a whole message, so its parts are not
 * rows. User and assistant messages are converted to the v1 shape and classified by the same rules; the rest is
 * classified here.
 */
export function assembleV2(row: NativeRow): Message | null {
  const { data } = row;
  if (!data) return null;
  switch (row.type) {
    case "user":
    case "synthetic":
    case "system":
      return messageOf(row, { ...data, role: "user" }, userPieces(data, row.type !== "user"));
    case "assistant":
      return messageOf(row, assistantMessage(data), list(data["content"]).map(contentPiece));
    default:
      return messageOf(row, data, []);
  }
}

export function readV2(row: NativeRow, message: Message | null, ctx: MessageContext): EntryDraft[] {
  const native = `session_message/${row.type ?? ""}`;
  if (!message) return [corrupt(row, native)];
  const base = { native, time: message.time, bytes: row.bytes, identity: message.identity };
  switch (row.type) {
    case "user":
    case "synthetic":
    case "system":
    case "assistant":
      return readMessage({ message: row, parts: [] }, message, ctx).map((draft) => ({ ...draft, native }));
    case "shell":
      return [shell(message, ctx, base)];
    case "compaction": {
      const reason = message.data["reason"] === "manual" ? "manual" : "auto";
      const summary = ctx.full ? str(message.data["summary"]) : null;
      const records: RecordBody[] = [{ type: "compacted", trigger: reason, summary }];
      return [{ ...base, class: "reaction", reason: "opencode.v2.compaction", records }];
    }
    case "agent-switched":
    case "model-switched": {
      const records = contextRecords(message.data, ctx);
      return [{ ...base, class: "setup", reason: "opencode.v2.switched", records }];
    }
    default:
      ctx.drift.countUnknownType(native);
      return [
        {
          ...base,
          class: "unknown",
          reason: "opencode.message.unknown",
          records: [{ type: "unknown", native_type: native }],
        },
      ];
  }
}

type Base = Pick<EntryDraft, "native" | "time" | "bytes" | "identity">;

/** A `!` command: the input and its result are in one row. */
function shell(message: Message, ctx: MessageContext, base: Base): EntryDraft {
  const { data } = message;
  const times = obj(data["time"]);
  const done = time(times?.["completed"]) !== null;
  const command = str(data["command"]) ?? "";
  const state: Native = {
    status: done ? "completed" : "running",
    input: { command },
    output: data["output"],
    metadata: { exit: data["exit"] },
    time: { start: times?.["created"], end: times?.["completed"] },
  };
  const call = toolRecords({ type: "tool", callID: data["callID"], tool: "bash", state }, ctx.full);
  const identity = fingerprint(data, [{ type: "shell", callID: data["callID"], text: command }]);
  const records: RecordBody[] = [
    {
      type: "user",
      author: ctx.facts.child ? "agent" : "human",
      text: `!${command}`,
      native_turn_id: message.id,
      ...(ctx.facts.child ? {} : { kind: "shell" as const, entry: "unknown" as const }),
    },
    ...call,
  ];
  if (done) records.push({ type: "assistant_finished", text: "", turn_ended: true });
  const cls = ctx.facts.child ? "reaction" : "trigger";
  return { ...base, identity, class: cls, reason: "opencode.v2.shell", records };
}

function userPieces(data: Native, synthetic: boolean): MessagePart[] {
  const pieces: Native[] = [{ type: "text", text: data["text"], ...(synthetic ? { synthetic: true } : {}) }];
  for (const file of list(data["files"])) pieces.push({ ...obj(file), type: "file" });
  for (const agent of list(data["agents"])) pieces.push({ ...obj(agent), type: "agent" });
  return pieces.map((piece) => ({ data: piece, row: null }));
}

function assistantMessage(data: Native): Native {
  const model = obj(data["model"]);
  const error = obj(data["error"]);
  const message: Native = { ...data, role: "assistant", modelID: model?.["id"], variant: model?.["variant"] };
  delete message["content"];
  if (error) {
    const name = nonEmpty(error["name"]) ?? nonEmpty(error["type"]) ?? "";
    message["error"] = { ...error, name: /abort|cancel|interrupt/i.test(name) ? "MessageAbortedError" : name };
  }
  return message;
}

function contentPiece(value: unknown): MessagePart {
  const node = obj(value) ?? {};
  if (node["type"] !== "tool") return { data: node, row: null };
  const state = obj(node["state"]) ?? {};
  const times = obj(node["time"]);
  const output = list(state["content"])
    .map((item) => str(obj(item)?.["text"]) ?? "")
    .join("\n");
  const failure = obj(state["error"]);
  const brought: Native = {
    ...state,
    output,
    metadata: obj(state["structured"]),
    time: { start: times?.["ran"] ?? times?.["created"], end: times?.["completed"] },
  };
  if (failure) brought["error"] = failure["message"];
  return { data: { type: "tool", callID: node["id"], tool: node["name"], state: brought }, row: null };
}
