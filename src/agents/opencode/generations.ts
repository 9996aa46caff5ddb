/**
 * Formats of other generations, converted to the usual one: the first OpenCode, in Go, and the projection of the
 * event-sourced runtime (v2).
 */
import { basename, dirname } from "node:path";
import type { RecordBody, ToolFinishedBody, ToolStatus, TouchedFile, UsageBody } from "../../record/record.ts";
import { TooDeep, parseJson } from "../../base/io/json.ts";
import { closeUnchanged, type ForeignDatabase } from "../../base/io/sqlite-foreign.ts";
import type { Row, SqlValue, Statement } from "../../base/io/sqlite.ts";
import { sizeOfRow, stampOf, type ListedRow } from "../kit/database-sessions.ts";
import { count, list, nonEmpty, num, obj, objects, str, type Native } from "../kit/native.ts";
import { toolRecords } from "./calls.ts";
import {
  SOURCE_ID,
  corrupt,
  fetchRow,
  fingerprint,
  parseObject,
  textIn,
  time,
  type EntryDraft,
  type Message,
  type MessageContext,
  type MessagePart,
  type NativeRow,
  type MessageStore,
} from "./native.ts";
import { contextRecords, messageOf, readMessage } from "./rules.ts";

/**
 * The database of the first OpenCode, a program in Go that kept one in every project (`.opencode/opencode.db`): plural
 * table names, a message with all its parts in one row, results of calls in rows of their own.
 */
export function isGo(db: ForeignDatabase, tables: ReadonlySet<string>): boolean {
  if (!tables.has("sessions") || !tables.has("messages")) return false;
  const columns = new Set(
    db
      .prepare("PRAGMA table_info(messages)")
      .all()
      .map((row) => textIn(row["name"])),
  );
  return columns.has("parts") && columns.has("role");
}

export function listGo(db: ForeignDatabase): ListedRow[] {
  const found = new Map<string, { facts: unknown[]; updated: number; bytes: number }>();
  for (const row of db.prepare("SELECT * FROM sessions ORDER BY id").iterate())
    found.set(textIn(row["id"]), { facts: [row], updated: seconds(row["updated_at"]) ?? 0, bytes: sizeOfRow(row) });
  // As in the later databases: values in the row headers show whether any row was changed.
  const sql = `SELECT session_id, count(*) AS n, max(rowid) AS r, max(updated_at) AS t, sum(updated_at % 1000000007) AS s,
    sum(octet_length(parts)) AS b FROM messages GROUP BY session_id`;
  for (const row of db.prepare(sql).iterate()) {
    const session = found.get(textIn(row["session_id"]));
    if (!session) continue;
    session.facts.push(row["n"], row["r"], row["t"], row["s"], row["b"]);
    session.updated = Math.max(session.updated, seconds(row["t"]) ?? 0);
    session.bytes += Number(row["b"] ?? 0);
  }
  return [...found].map(([id, { facts, updated, bytes }]) => ({ id, updated, bytes, stamp: stampOf(facts) }));
}

/** One session of such a database. */
export class GoStore implements MessageStore {
  readonly flavour = "go";
  readonly session: NativeRow | null;
  readonly total: { index: number; usage: UsageBody } | null;
  readonly #db: ForeignDatabase;
  readonly #path: string;
  readonly #ids: string[];
  readonly #message: Statement;
  readonly #summary: string | null;
  #closed = false;

  constructor(db: ForeignDatabase, path: string, id: string) {
    this.#db = db;
    this.#path = path;
    const row = db.prepare("SELECT * FROM sessions WHERE id = ?").get(id);
    this.session = row ? sessionRow(row, path, db) : null;
    this.#summary = nonEmpty(row?.["summary_message_id"]);
    const order = "SELECT id, role, finished_at FROM messages WHERE session_id = ? ORDER BY created_at, rowid";
    const heads = db.prepare(order).all(id);
    this.#ids = heads.map((head) => textIn(head["id"]));
    this.#message = db.prepare("SELECT * FROM messages WHERE id = ?");
    const usage = row ? usageOf(id, row) : null;
    const index = heads.findLastIndex((head) => head["role"] === "assistant" && head["finished_at"] !== null);
    this.total = usage && index >= 0 ? { index, usage } : null;
  }

  get messages(): number {
    return this.#ids.length;
  }

  message(index: number): NativeRow {
    const id = this.#ids[index] ?? "";
    const row = fetchRow(this.#message, id);
    const created = seconds(row["created_at"]);
    const parts = partsOf(row["parts"]);
    const type = textIn(row["role"]);
    const base = { id, time: created, bytes: sizeOfRow(row), type };
    if (parts === TOO_DEEP) return { ...base, data: null, tooDeep: true };
    if (!parts) return { ...base, data: null };
    const summary = id === this.#summary || Number(row["is_summary_message"] ?? 0) === 1;
    const data: Native = { model: nonEmpty(row["model"]), provider: nonEmpty(row["provider"]), summary, parts };
    return { ...base, data };
  }

  /** Parts are in the message's own row. */
  parts(): readonly NativeRow[] {
    return [];
  }

  partCount(): number {
    return 0;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeUnchanged(this.#db, this.#path);
  }
}

/** In the shape of the later `Session.Info`. */
function sessionRow(row: Row, path: string, db: ForeignDatabase): NativeRow {
  const created = seconds(row["created_at"]);
  const id = textIn(row["id"]);
  const data: Native = {
    id,
    parentID: row["parent_session_id"],
    title: row["title"],
    directory: directoryOf(path),
    schema: schemaOf(db),
    time: { created, updated: seconds(row["updated_at"]) },
  };
  return { id, time: created, bytes: sizeOfRow(row), data };
}

/** The database is in the directory of the project it belongs to. */
function directoryOf(path: string): string | null {
  const place = dirname(path);
  return /^\.(?:opencode|crush)$/.test(basename(place)) ? dirname(place) : null;
}

/** The newest migration that was applied to the database. */
function schemaOf(db: ForeignDatabase): string {
  try {
    const version = db.prepare("SELECT max(version_id) AS v FROM goose_db_version").get()?.["v"];
    return `schema ${version === null || version === undefined ? "unknown" : String(version)}`;
  } catch {
    return "schema unknown";
  }
}

/**
 * The columns hold the numbers of the last request and are overwritten by every request. Some releases add cached
 * tokens to the output and others to the input: no correct price can be computed from that, so no model is named.
 */
function usageOf(id: string, row: Row): UsageBody | null {
  const [input, output] = [count(row["prompt_tokens"]), count(row["completion_tokens"])];
  if (input + output === 0) return null;
  return {
    type: "usage",
    response_id: `opencode/${id}`,
    model: null,
    input_tokens: input,
    cached_input_tokens: 0,
    cache_write_tokens: 0,
    cache_write_1h_tokens: 0,
    output_tokens: output,
    reasoning_tokens: 0,
    verdict: "counted",
  };
}

const TOO_DEEP = "too deep";

/** `[{type, data}]`; null if the column holds something else. */
function partsOf(value: SqlValue | undefined): Native[] | typeof TOO_DEEP | null {
  try {
    const parts: unknown = parseJson(textIn(value));
    if (!Array.isArray(parts)) return null;
    return list(parts).map((item) => ({ type: str(obj(item)?.["type"]) ?? "", data: obj(obj(item)?.["data"]) ?? {} }));
  } catch (error) {
    return error instanceof TooDeep ? TOO_DEEP : null;
  }
}

/** Stored in seconds, whatever the comments in the schema say. */
function seconds(value: unknown): number | null {
  const stated = time(value);
  return stated === null || stated > 1e11 ? stated : stated * 1000;
}

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
  for (const draft of drafts) draft.records.push(...goChildren(message, row));
  return drafts;
}

const GO_PARTS: ReadonlySet<unknown> = new Set([
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
    if (!GO_PARTS.has(part["type"])) ctx.drift.countUnknownType(`part/${str(part["type"]) ?? ""}`);
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
function goChildren(message: Message, row: NativeRow): RecordBody[] {
  if (row.type !== "assistant") return [];
  return message.pieces.flatMap(({ data }): RecordBody[] => {
    const call = str(data?.["callID"]);
    if (data?.["type"] !== "tool" || data["tool"] !== GO_TASK || call === null) return [];
    return [goLink(call, "spawned")];
  });
}

const GO_TASK = "agent";

function goLink(call: string, phase: "spawned" | "returned"): RecordBody {
  const child = { source: SOURCE_ID, session_id: call };
  return { type: "child_linked", child, relation: "subagent", phase, role: null, call_id: call };
}

const GO_DENIED = /^(?:Permission denied|User denied permission)$/;
const GO_CANCELLED = "Tool execution canceled by user";
/** How a command's output ends; some releases append the directory it ended in. */
const GO_EXIT = /(?:^|\n)Exit code (\d+)\s*(?:<cwd>[^<]*<\/cwd>\s*)?$/;
const GO_ABORTED = /(?:^|\n)Command was aborted before completion\s*(?:<cwd>[^<]*<\/cwd>\s*)?$/;

function settledRecords(result: Native, ctx: MessageContext): RecordBody[] {
  const call = str(result["tool_call_id"]) ?? "";
  const [name, path, created] = ctx.state.calls?.[call] ?? [str(result["name"]) ?? "", null, false];
  const output = str(result["content"]) ?? "";
  const exit = name === "bash" ? GO_EXIT.exec(output.slice(-600))?.[1] : undefined;
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
  return name === GO_TASK ? [body, goLink(call, "returned")] : [body];
}

function statusOf(name: string, output: string, isError: boolean, failed: boolean): ToolStatus {
  if (isError) return GO_DENIED.test(output) ? "denied" : output === GO_CANCELLED ? "interrupted" : "failed";
  if (name === "bash" && GO_ABORTED.test(output.slice(-600))) return "interrupted";
  return failed ? "failed" : "ok";
}

function touched(name: string, path: string | null, created: boolean): TouchedFile[] {
  if (path === null || (name !== "edit" && name !== "write")) return [];
  // Whether `write` created or overwrote the file is not recorded.
  return [{ path, operation: created ? "created" : "modified" }];
}

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
