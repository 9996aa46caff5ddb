/** Rows, documents and messages, whatever they are stored in; the state of the reader, and the names of all rules. */
import { createHash } from "node:crypto";
import { DaybookError } from "../../base/errors.ts";
import type { RecordBody, SessionMetaBody, UsageBody } from "../../record/record.ts";
import { instant } from "../../base/io/instant.ts";
import { TooDeep, parseJson } from "../../base/io/json.ts";
import type { Row, SqlValue, Statement } from "../../base/io/sqlite.ts";
import type { EntryClass, SharedText } from "../contract.ts";
import { fieldsByType, type SingleVersionDrift } from "../kit/drift.ts";
import { HINTS } from "../kit/json-lines.ts";
import { count, list, nonEmpty, num, obj, str, type Native } from "../kit/native.ts";
import type { CommandTemplates } from "../kit/prompts.ts";

/**
 * The shape of OpenCode's records as far as Daybook relies on it: every row is a JSON document that grew with each
 * release, so documents stay `Record<string, unknown>` and are read through accessors.
 */

export const SOURCE_ID = "opencode";

/** Epoch ms; zero and negative numbers are placeholders, not times. */
export function time(value: unknown): number | null {
  const n = num(value);
  return n !== null && n > 0 ? instant(n) : null;
}

export function parseObject(text: string): Native | null {
  try {
    return obj(parseJson(text));
  } catch {
    return null;
  }
}

/** One native record: a database row, or a file of the older store. */
export interface NativeRow {
  id: string;
  /** When the store says the row was created; in copies made by a fork this is the time of the fork. */
  time: number | null;
  bytes: number;
  /** Null if the document cannot be parsed. */
  data: Native | null;
  /** Set if the document was not parsed because it is nested too deeply. */
  tooDeep?: true;
  /** Type column of the v2 projection; v1 rows name their type inside the document. */
  type?: string;
}

/** A message with its parts, in the order they were created. */
export interface Bundle {
  message: NativeRow;
  parts: readonly NativeRow[];
}

/** The rows of one session, independent of how they are stored. */
export interface MessageStore {
  /** The generation of the format the messages are in. */
  readonly flavour: "v1" | "v2" | "go";
  /** The session itself in the shape of `Session.Info`; null if the store no longer has it. */
  readonly session: NativeRow | null;
  readonly messages: number;
  /** The session's token totals, and the message they are reported with; they change with every request. */
  readonly total?: { index: number; usage: UsageBody } | null;
  message(index: number): NativeRow;
  parts(index: number): readonly NativeRow[];
  /** The number of parts of a message, without reading them. */
  partCount(index: number): number;
  close(): void;
}

export function rowOf(
  id: string,
  time: number | null,
  text: string,
  bytes: number = Buffer.byteLength(text),
): NativeRow {
  try {
    return { id, time, bytes, data: obj(parseJson(text)) };
  } catch (error) {
    return { id, time, bytes, data: null, ...(error instanceof TooDeep ? { tooDeep: true } : {}) };
  }
}

/** A column's value as text, whichever type it is stored as. */
export function textIn(value: SqlValue | undefined): string {
  if (typeof value === "string") return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  return value === null || value === undefined ? "" : String(value);
}

const SQLITE_CORRUPT = 11;

/**
 * Fetches a row by its id. Returns an empty row if it is on a damaged page, so that the rest of the session is still
 * read.
 */
export function fetchRow(statement: Statement, id: string): Row {
  try {
    return statement.get(id) ?? {};
  } catch (cause) {
    if (isDamage(cause)) return {};
    throw unreadableRow(cause);
  }
}

export function isDamage(cause: unknown): boolean {
  return cause instanceof Error && "errcode" in cause && cause.errcode === SQLITE_CORRUPT;
}

export function unreadableRow(cause: unknown): DaybookError {
  return new DaybookError("cannot read a row of the database", {
    code: "unreadable",
    op: "read session",
    hint: "the database may be damaged, or locked by another program",
    cause,
  });
}

/**
 * A fork clones messages and parts under new ids but keeps their content: times in ms, texts, call ids and token
 * counts. The digest of these is equal in every copy and, because of the times, unique otherwise.
 */
export function fingerprint(message: Native, parts: readonly (Native | null)[]): string {
  const times = obj(message["time"]);
  const tokens = obj(message["tokens"]);
  const hash = createHash("sha1");
  const own = [
    str(message["role"]),
    time(times?.["created"]),
    num(times?.["completed"]),
    str(message["modelID"]),
    count(tokens?.["input"]),
    count(tokens?.["output"]),
  ];
  hash.update(JSON.stringify(own));
  for (const part of parts) {
    if (!part) continue;
    // Outputs are left out: pruning and late results change them in one copy only.
    const text = str(part["text"]);
    hash.update(JSON.stringify([str(part["type"]), str(part["callID"]), text === null ? null : text.slice(0, 400)]));
  }
  return hash.digest("hex").slice(0, 24);
}

/** A message document converted to the current shape, with the parts that were stored inside it. */
interface Unfolded {
  message: Native;
  inline: Native[];
}

/**
 * The first releases (before 0.2) kept a whole message in one document, in the shape of the AI SDK: parts inline, and
 * what is now in the message under `metadata`.
 */
export function unfold(data: Native): Unfolded {
  if (!Array.isArray(data["parts"])) return { message: data, inline: [] };
  const metadata = obj(data["metadata"]) ?? {};
  const assistant = obj(metadata["assistant"]) ?? {};
  const message: Native = {
    ...assistant,
    ...data,
    time: data["time"] ?? metadata["time"],
    error: data["error"] ?? metadata["error"],
  };
  delete message["parts"];
  delete message["metadata"];
  const inline = list(data["parts"]).flatMap((value) => {
    const part = obj(value);
    return part ? [inlinePart(part, obj(metadata["tool"]))] : [];
  });
  return { message, inline };
}

function inlinePart(part: Native, tools: Native | null): Native {
  if (part["type"] !== "tool-invocation") return part;
  const call = obj(part["toolInvocation"]) ?? {};
  const id = str(call["toolCallId"]) ?? "";
  const metadata = obj(tools?.[id]);
  const done = call["state"] === "result";
  const failed = metadata?.["error"] === true;
  const state: Native = {
    status: done ? (failed ? "error" : "completed") : "running",
    input: call["args"],
    metadata,
    time: metadata?.["time"],
  };
  if (done) state[failed ? "error" : "output"] = failed ? (metadata?.["message"] ?? call["result"]) : call["result"];
  return { type: "tool", callID: id, tool: call["toolName"], state };
}

/** Fields that the checked releases write, per type. Types without a list are not checked. */
const FIELDS: Readonly<Record<string, string>> = {
  "message/user": "role time agent model system tools format summary variant fallbackModels mode",
  "message/assistant":
    "role parentID time modelID providerID mode agent path cost tokens finish error summary variant structured system",
  "part/text": "type text synthetic ignored time metadata",
  "part/reasoning": "type text time metadata",
  "part/file": "type mime filename url source mediaType",
  "part/tool": "type callID tool state metadata",
  // `time` and `metrics` are Kilo's.
  "part/step-start": "type snapshot time",
  "part/step-finish": "type reason snapshot cost tokens time metrics",
  "part/snapshot": "type snapshot",
  "part/patch": "type hash files",
  "part/agent": "type name source",
  "part/retry": "type attempt error time",
  "part/compaction": "type auto overflow tail_start_id",
  "part/subtask": "type prompt description agent model command",
};

/** Ids are in columns of the database, but inside the documents of the older store. */
const ALWAYS = ["id", "sessionID", "messageID"];

const KNOWN = fieldsByType(FIELDS, ALWAYS);

export function noteFields(drift: SingleVersionDrift, native: string, data: Native): void {
  drift.countUnknownFields(native, data, KNOWN.get(native));
}

/** Native type of a part, for display and for drift. */
export function partType(part: Native): string {
  return `part/${str(part["type"]) ?? "(untyped)"}`;
}

/** What the rest of the reader needs to know about the session. */
export interface HeadFacts {
  id: string;
  child: boolean;
  version: string;
  /** The version under which drift is counted if no release is named. */
  schema: string;
  title: string | null;
  cwd: string | null;
  /** True if `opencode run` quotes its arguments in this format. */
  quoted: boolean;
  /** Created by `opencode run`, which forbids questions that nobody could answer. */
  headless: boolean;
  /** Everything from this message on was taken back and will be deleted by the next prompt. */
  revert: { message: string; inside: boolean } | null;
}

const UNTITLED = /^(?:(?:New|Child) session - \d{4}-\d\d-\d\dT|New Session$|New Agent Session$)/;
const SUBAGENT = /\(@(\S+) subagent\)$/;

export function sessionFacts(id: string, info: Native | null): HeadFacts {
  const revert = obj(info?.["revert"]);
  const message = nonEmpty(revert?.["messageID"]);
  const title = nonEmpty(info?.["title"]);
  return {
    id,
    child: nonEmpty(info?.["parentID"]) !== null,
    version: nonEmpty(info?.["version"]) ?? "unknown",
    schema: nonEmpty(info?.["schema"]) ?? nonEmpty(info?.["version"]) ?? "unknown",
    title: title !== null && UNTITLED.test(title) ? null : title,
    cwd: nonEmpty(info?.["directory"]) ?? worktree(info),
    quoted: info?.["schema"] === undefined,
    headless: forbidsQuestions(info?.["permission"]),
    revert: message === null ? null : { message, inside: nonEmpty(revert?.["partID"]) !== null },
  };
}

export function sessionRecords(facts: HeadFacts, info: Native): RecordBody[] {
  const created = time(obj(info["time"])?.["created"]);
  const model = obj(info["model"]);
  const parent = nonEmpty(info["parentID"]);
  const meta: SessionMetaBody = {
    type: "session_meta",
    source: SOURCE_ID,
    kind: facts.child ? "subagent" : "root",
    cwd: facts.cwd,
    started_at: created === null ? null : new Date(created).toISOString(),
    agent_version: facts.version === "unknown" ? null : facts.version,
    title: facts.title,
    parent: parent === null ? null : { source: SOURCE_ID, session_id: parent },
  };
  const provider = str(model?.["providerID"]);
  if (provider !== null) meta.provider = provider;
  const id = nonEmpty(model?.["id"]) ?? nonEmpty(model?.["modelID"]);
  if (id !== null) meta.model = id;
  if (facts.child)
    meta.role = SUBAGENT.exec(str(info["title"]) ?? "")?.[1] ?? nonEmpty(info["agent"]) ?? roleIn(facts.id);
  return [meta];
}

/** The first OpenCode derives the id of the session that generates a title from the session that gets it. */
function roleIn(id: string): string | null {
  return id.startsWith("title-") ? "title" : null;
}

/** Sessions outside a repository belong to the project `global`, whose worktree `/` means nothing. */
function worktree(info: Native | null): string | null {
  const path = nonEmpty(info?.["worktree"]);
  return path === "/" ? null : path;
}

function forbidsQuestions(rules: unknown): boolean {
  const denied = new Set(
    list(rules).flatMap((value) => {
      const rule = obj(value);
      return rule?.["action"] === "deny" && rule["pattern"] === "*" ? [str(rule["permission"])] : [];
    }),
  );
  return denied.has("question") && denied.has("plan_exit");
}

/** The last settings reported, so that only changes are written. */
interface Settings {
  model: string | null;
  effort: string | null;
  cwd: string | null;
  /** Every answer states its instructions: maps kind and path to the hash of the last text. */
  instructions: Record<string, string>;
}

/** The complete state of the reader between two messages. Small, plain JSON. */
export interface ReaderState {
  /** The last title reported; the session row is rewritten in place, so a change is reported only with later rows. */
  title: string | null;
  ruling: Settings;
  /** A trigger of this session itself was read: nothing after it is inherited. */
  own: boolean;
  /** Who requested the compaction whose summary has not been read yet. */
  compaction: "manual" | "auto" | null;
  /** The compaction was forced by an overflow: the last prompt will be written a second time. */
  overflow: boolean;
  /** Shortened text of the last trigger, to recognise its replay. */
  prompt: string | null;
  /** When the agent finished its latest message; a prompt created before that was typed while the agent was working. */
  busyUntil: number | null;
  /**
   * Calls of the previous message, in databases where results have rows of their own: tool, file, and whether it is
   * created.
   */
  calls?: Record<string, [tool: string, path: string | null, created: boolean]>;
}

/** What a cursor carries: the state before the current message, and how many of its rows were read. */
export interface SavedPlace {
  state: ReaderState;
  /** Number of messages read completely. */
  messages: number;
  /** Number of rows read of the next message. */
  rows: number;
  /** Id of the last message read; if another is there, the session was rewritten and is read from its start. */
  last: string | null;
}

export function freshState(): ReaderState {
  return {
    title: null,
    ruling: { model: null, effort: null, cwd: null, instructions: {} },
    own: false,
    compaction: null,
    overflow: false,
    prompt: null,
    busyUntil: null,
  };
}

/** The place a cursor names; null for a cursor of another version, which is not partially used. */
export function loadPlace(saved: unknown): SavedPlace | null {
  if (typeof saved !== "object" || saved === null) return null;
  const place = structuredClone(saved) as Partial<SavedPlace>;
  if (typeof place.messages !== "number" || typeof place.rows !== "number" || !place.state) return null;
  return {
    state: { ...freshState(), ...place.state },
    messages: place.messages,
    rows: place.rows,
    last: place.last ?? null,
  };
}

/** An entry without its line number. */
export interface EntryDraft {
  class: EntryClass;
  reason: Reason;
  native: string;
  time: number | null;
  bytes: number;
  records: RecordBody[];
  texts?: readonly SharedText[];
  identity?: string;
  turnId?: string;
}

/** A part of a message: a row of its own, or (in the oldest and newest formats) a node inside the message. */
export interface MessagePart {
  data: Native | null;
  row: NativeRow | null;
}

/** A message ready to be classified. */
export interface Message {
  id: string;
  data: Native;
  row: NativeRow;
  pieces: readonly MessagePart[];
  identity: string;
  /** Creation time stated in the message itself. */
  time: number | null;
}

export interface MessageContext {
  state: ReaderState;
  facts: HeadFacts;
  drift: SingleVersionDrift;
  full: boolean;
  /** The texts that commands expand to. */
  templates: CommandTemplates;
  /** The message after this one, for the few verdicts that need it. */
  next(): Message | null;
}

/** The entry for a row whose document cannot be parsed. */
export function corrupt(row: NativeRow, native: string): EntryDraft {
  const { bytes, tooDeep } = row;
  const draft = { class: "corrupt" as const, native, time: row.time, bytes };
  if (tooDeep) {
    const records: RecordBody[] = [{ type: "unreadable", reason: "too_deep", bytes, hint: HINTS.too_deep }];
    return { ...draft, reason: "opencode.row.too_deep", records };
  }
  const hint = "this row does not hold a JSON object and was skipped; the rest of the session is still read";
  const records: RecordBody[] = [{ type: "unreadable", reason: "not_json", bytes, hint }];
  return { ...draft, reason: "opencode.row.not_json", records };
}

/**
 * Time of a part: its own time first. In a copy, the row's column has the time of the fork, so it is used only if it
 * lies between the message's start and end.
 */
export function pieceTime(piece: MessagePart, message: Message, start: number | null): number | null {
  const column = piece.row?.time ?? null;
  const end = finishedAt(message.data);
  if (start !== null) return start;
  if (column === null || message.time === null || column < message.time) return message.time;
  return end !== null && column > end ? end : column;
}

export function finishedAt(message: Native): number | null {
  const times = message["time"];
  return typeof times === "object" && times !== null ? time((times as Native)["completed"]) : null;
}

/**
 * Every rule of this reader, by the name `explain` and `audit` print. FORMAT.md explains them; a test checks that both
 * lists match what sessions produce.
 */
export const REASONS = [
  "opencode.assistant.message",
  "opencode.copy.inherited",
  "opencode.go.results",
  "opencode.go.summary",
  "opencode.message.unknown",
  "opencode.part.agent",
  "opencode.part.compaction",
  "opencode.part.file",
  "opencode.part.patch",
  "opencode.part.reasoning",
  "opencode.part.retry",
  "opencode.part.snapshot",
  "opencode.part.source-url",
  "opencode.part.step-finish",
  "opencode.part.step-start",
  "opencode.part.subtask",
  "opencode.part.text",
  "opencode.part.tool",
  "opencode.part.unknown",
  "opencode.row.not_json",
  "opencode.row.too_deep",
  "opencode.session",
  "opencode.user.compact",
  "opencode.user.compaction",
  "opencode.user.delegated",
  "opencode.user.empty",
  "opencode.user.expanded",
  "opencode.user.replayed",
  "opencode.user.shell",
  "opencode.user.subtask",
  "opencode.user.synthetic",
  "opencode.user.typed",
  "opencode.v2.compaction",
  "opencode.v2.shell",
  "opencode.v2.switched",
] as const;

export type Reason = (typeof REASONS)[number];
