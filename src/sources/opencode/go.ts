import type { RecordBody, ToolFinishedBody, ToolStatus, TouchedFile } from "../../format/record.ts";
import { contextRecords } from "./context.ts";
import { corrupt, type EntryDraft, type Message, type MessageContext, type MessagePart } from "./draft.ts";
import { seconds } from "./go-store.ts";
import { messageOf, readMessage } from "./message.ts";
import { nonEmpty, parseObject, SOURCE_ID } from "./native.ts";
import { num, obj, objects, str, type Native } from "../kit/native.ts";
import type { NativeRow } from "./rows.ts";

/**
 * Rows of the first OpenCode, in Go. Prompts and answers are converted to the shape of the later messages and
 * classified by the same rules; results of calls have rows of their own and are handled here.
 */
export function assembleGo(row: NativeRow): Message | null {
  const { data } = row;
  if (!data) return null;
  const parts = objects(data["parts"]);
  if (row.type === "user")
    return messageOf(row, { role: "user", time: { created: row.time } }, parts.flatMap(askedPiece));
  if (row.type === "assistant") return messageOf(row, answerOf(row, data, parts), parts.flatMap(answerPiece));
  const results = parts.map((part): MessagePart => ({ data: { ...obj(part["data"]), type: part["type"] }, row: null }));
  return messageOf(row, { role: row.type ?? "", time: { created: row.time } }, results);
}

export function readGo(row: NativeRow, message: Message | null, ctx: MessageContext): EntryDraft[] {
  const native = `messages/${row.type ?? ""}`;
  if (!message) return [corrupt(row, native)];
  const base = { native, time: message.time, bytes: row.bytes, identity: message.identity };
  if (row.type === "tool") {
    const results = message.pieces.flatMap(({ data }) => (data?.["type"] === "tool_result" ? [data] : []));
    const records = results.flatMap((result) => settledRecords(result, ctx));
    return [{ ...base, class: "reaction", reason: "opencode.go.results", records }];
  }
  if (row.type === "assistant" && message.data["summary"] === true) {
    const summary = ctx.full ? wordsOf(message) : null;
    const records: RecordBody[] = [
      ...contextRecords(message.data, ctx),
      { type: "compacted", trigger: "unknown", summary },
    ];
    return [{ ...base, class: "reaction", reason: "opencode.go.summary", records }];
  }
  noteUnknown(row, ctx);
  if (row.type === "assistant") noteCalls(message, ctx);
  const drafts = readMessage({ message: row, parts: [] }, message, ctx).map((draft) => ({ ...draft, native }));
  for (const draft of drafts) draft.records.push(...children(message, row));
  return drafts;
}

const PARTS: ReadonlySet<unknown> = new Set([
  "text",
  "reasoning",
  "image_url",
  "binary",
  "tool_call",
  "tool_result",
  "finish",
]);

function noteUnknown(row: NativeRow, ctx: MessageContext): void {
  for (const part of objects(row.data?.["parts"]))
    if (!PARTS.has(part["type"])) ctx.drift.countUnknownType(`part/${str(part["type"]) ?? ""}`);
}

function askedPiece(part: Native): MessagePart[] {
  const data = obj(part["data"]);
  if (part["type"] === "text") return [{ data: { type: "text", text: data?.["text"] }, row: null }];
  return part["type"] === "binary" || part["type"] === "image_url" ? [{ data: { type: "file" }, row: null }] : [];
}

/** Finish reasons, mapped to those of the later releases. */
const FINISHES: Readonly<Record<string, string>> = { end_turn: "stop", max_tokens: "length", tool_use: "tool-calls" };
/** The human stopped the model, or refused a call, after which the model is not asked again. */
const STOPPED: ReadonlySet<string> = new Set(["canceled", "permission_denied"]);

function answerOf(row: NativeRow, data: Native, parts: readonly Native[]): Native {
  const finish = obj(parts.find((part) => part["type"] === "finish")?.["data"]);
  const reason = str(finish?.["reason"]);
  const answer: Native = {
    role: "assistant",
    modelID: data["model"],
    providerID: data["provider"],
    summary: data["summary"],
    time: { created: row.time, completed: seconds(finish?.["time"]) ?? (finish ? row.time : undefined) },
  };
  if (reason === null) return answer;
  if (STOPPED.has(reason)) return { ...answer, error: { name: "MessageAbortedError" } };
  if (reason === "error") {
    const message = nonEmpty(finish?.["details"]) ?? nonEmpty(finish?.["message"]) ?? "the request failed";
    return { ...answer, error: { name: "UnknownError", data: { message } } };
  }
  return { ...answer, finish: FINISHES[reason] ?? reason };
}

function answerPiece(part: Native): MessagePart[] {
  const data = obj(part["data"]) ?? {};
  switch (part["type"]) {
    case "text":
      return [{ data: { type: "text", text: data["text"] }, row: null }];
    case "reasoning":
      return [{ data: { type: "reasoning", text: data["thinking"] }, row: null }];
    case "tool_call": {
      // Its result is in a later row.
      const state = { status: "running", input: inputOf(data) };
      return [{ data: { type: "tool", callID: data["id"], tool: data["name"], state }, row: null }];
    }
    default:
      return [];
  }
}

function inputOf(call: Native): unknown {
  const written = str(call["input"]) ?? "";
  return parseObject(written) ?? written;
}

function wordsOf(message: Message): string {
  return message.pieces.flatMap(({ data }) => (data?.["type"] === "text" ? [str(data["text"]) ?? ""] : [])).join("\n");
}

/** Remembers calls, because their results do not name the tool. */
function noteCalls(message: Message, ctx: MessageContext): void {
  ctx.state.calls = {};
  for (const { data } of message.pieces) {
    if (data?.["type"] !== "tool") continue;
    const input = obj(obj(data["state"])?.["input"]);
    const path = nonEmpty(input?.["file_path"]);
    const created = data["tool"] === "edit" && input?.["old_string"] === "";
    ctx.state.calls[str(data["callID"]) ?? ""] = [str(data["tool"]) ?? "", path, created];
  }
}

/** The session of a task has the id of the call that started it. */
function children(message: Message, row: NativeRow): RecordBody[] {
  if (row.type !== "assistant") return [];
  return message.pieces.flatMap(({ data }): RecordBody[] => {
    const call = str(data?.["callID"]);
    if (data?.["type"] !== "tool" || data["tool"] !== TASK || call === null) return [];
    return [link(call, "spawned")];
  });
}

const TASK = "agent";

function link(call: string, phase: "spawned" | "returned"): RecordBody {
  const child = { source: SOURCE_ID, session_id: call };
  return { type: "child_linked", child, relation: "subagent", phase, role: null, call_id: call };
}

const DENIED = /^(?:Permission denied|User denied permission)$/;
const CANCELLED = "Tool execution canceled by user";
/** How a command's output ends; some releases append the directory it ended in. */
const EXIT = /(?:^|\n)Exit code (\d+)\s*(?:<cwd>[^<]*<\/cwd>\s*)?$/;
const ABORTED = /(?:^|\n)Command was aborted before completion\s*(?:<cwd>[^<]*<\/cwd>\s*)?$/;

function settledRecords(result: Native, ctx: MessageContext): RecordBody[] {
  const call = str(result["tool_call_id"]) ?? "";
  const [name, path, created] = ctx.state.calls?.[call] ?? [str(result["name"]) ?? "", null, false];
  const output = str(result["content"]) ?? "";
  const exit = name === "bash" ? EXIT.exec(output.slice(-600))?.[1] : undefined;
  const status = statusOf(name, output, result["is_error"] === true, exit !== undefined);
  const metadata = parseObject(str(result["metadata"]) ?? "");
  const [start, end] = [num(metadata?.["start_time"]), num(metadata?.["end_time"])];
  const body: ToolFinishedBody = {
    type: "tool_finished",
    call_id: call,
    status,
    exit_code: exit === undefined ? null : Number(exit),
    duration_ms: start !== null && end !== null && end >= start ? end - start : null,
  };
  if (ctx.full) body.output = output;
  if (status !== "ok" && ctx.full) body.error = output;
  const files = status === "ok" ? touched(name, path, created) : [];
  if (files.length > 0) body.files = files;
  return name === TASK ? [body, link(call, "returned")] : [body];
}

function statusOf(name: string, output: string, isError: boolean, failed: boolean): ToolStatus {
  if (isError) return DENIED.test(output) ? "denied" : output === CANCELLED ? "interrupted" : "failed";
  if (name === "bash" && ABORTED.test(output.slice(-600))) return "interrupted";
  return failed ? "failed" : "ok";
}

function touched(name: string, path: string | null, created: boolean): TouchedFile[] {
  if (path === null || (name !== "edit" && name !== "write")) return [];
  // Whether `write` created or overwrote the file is not recorded.
  return [{ path, operation: created ? "created" : "modified" }];
}
