/** The store: its rows and messages in order, ids of sessions, and the known fields of each type. */
import { createHash } from "node:crypto";
import { basename } from "node:path";
import { DaybookError } from "../../base/errors.ts";
import { instant } from "../../base/io/instant.ts";
import { TooDeep, parseJson } from "../../base/io/json.ts";
import { readForeign, type ForeignDatabase } from "../../base/io/sqlite-foreign.ts";
import type { Row } from "../../base/io/sqlite.ts";
import type { NativeRecord } from "../contract.ts";
import { sizeOfRow, stampOf, type ListedRow } from "../kit/database-sessions.ts";
import { fieldsByType, type SingleVersionDrift } from "../kit/drift.ts";
import { list, nonEmpty, obj, str, type Native } from "../kit/native.ts";

/**
 * The shape of Goose's records as far as Daybook relies on it. Columns and content types changed with each schema
 * version, so rows stay `Record<string, unknown>` and are read through the accessors below.
 */

export const SOURCE_ID = "goose";

export function num(value: unknown): number | null {
  if (typeof value === "bigint") return Number(value);
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** Undefined if it cannot be parsed. */
export function parseOrUndefined(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Seconds, or milliseconds if the number is too large for seconds (the same threshold that Goose uses). */
function timestampOf(value: unknown): number | null {
  const n = num(value);
  if (n === null || n <= 0) return null;
  return instant(n > 10_000_000_000 ? n : n * 1000);
}

/** SQLite's `datetime('now')` is UTC without a zone suffix; imported rows have an offset. */
export function dateOf(value: unknown): number | null {
  const text = str(value)?.trim();
  if (!text) return timestampOf(value);
  const iso = text.replace(" ", "T");
  return instant(Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(iso) ? iso : `${iso}Z`));
}

/** A message of a conversation, from a database row or a line of an old file. */
export interface GooseMessage {
  /** The agent's id, or a fallback in rows that have none. */
  id: string;
  role: string;
  time: number | null;
  /** Null if the row cannot be parsed. */
  content: readonly Native[] | null;
  /** Set if the content was not parsed because it is nested too deeply. */
  tooDeep?: true;
  userVisible: boolean;
  agentVisible: boolean;
  metadata: Native | null;
  bytes: number;
  identity: string;
}

/** Type of content that is not an object. */
const STRANGE = "(not an object)";

/** Fields of a message, as stored. */
interface MessageFields {
  id: unknown;
  fallbackId: string;
  role: unknown;
  created: unknown;
  content: unknown;
  metadata: unknown;
  bytes: number;
}

export function messageOf(fields: MessageFields): GooseMessage {
  const { content, tooDeep } = contentOf(fields.content);
  const metadata = obj(typeof fields.metadata === "string" ? parseOrUndefined(fields.metadata) : fields.metadata);
  const nodes = Array.isArray(content) ? content.map((value): Native => obj(value) ?? { type: STRANGE }) : null;
  const message: Omit<GooseMessage, "identity"> = {
    id: nonEmpty(fields.id) ?? fields.fallbackId,
    role: str(fields.role) ?? "",
    time: timestampOf(fields.created),
    content: nodes,
    ...(tooDeep ? { tooDeep } : {}),
    userVisible: metadata?.["userVisible"] !== false,
    agentVisible: metadata?.["agentVisible"] !== false,
    metadata,
    bytes: fields.bytes,
  };
  return { ...message, identity: identityOf(message, nonEmpty(fields.id)) };
}

function contentOf(value: unknown): { content: unknown; tooDeep?: true } {
  if (typeof value !== "string") return { content: value };
  try {
    return { content: parseJson(value) };
  } catch (error) {
    return error instanceof TooDeep ? { content: null, tooDeep: true } : { content: null };
  }
}

/**
 * Copies of a session keep message ids, times and contents. Ids alone are not sufficient: rows migrated to schema 7
 * derived theirs from the session id, which restarts on every machine.
 */
function identityOf(message: Omit<GooseMessage, "identity">, id: string | null): string {
  const hash = createHash("sha1").update(JSON.stringify([id, message.role, message.time]));
  for (const node of message.content ?? []) {
    const text = str(node["text"]);
    hash.update(JSON.stringify([str(node["type"]), str(node["id"]), text === null ? null : text.slice(0, 400)]));
  }
  return hash.digest("hex").slice(0, 24);
}

export function textOf(message: GooseMessage): string {
  return (message.content ?? [])
    .flatMap((node) => (node["type"] === "text" ? [str(node["text"]) ?? ""] : []))
    .join("\n");
}

export function hasContent(message: GooseMessage, type: string): boolean {
  return message.content?.some((node) => node["type"] === type) ?? false;
}

/** Content a human can write: text or an image, and no tool result (which Goose also stores under the role `user`). */
export function isPromptShaped(message: GooseMessage): boolean {
  if (message.role !== "user" || hasContent(message, "toolResponse")) return false;
  return textOf(message) !== "" || hasContent(message, "image");
}

export function imagesIn(message: GooseMessage): number {
  return list(message.content).filter((node) => obj(node)?.["type"] === "image").length;
}

/** Exit code of a command, if the tool states it. */
export function exitOf(result: Native | null): number | null {
  return num(obj(result?.["structuredContent"])?.["exit_code"]);
}

const CONTENT_FIELDS: Readonly<Record<string, string>> = {
  text: "type text annotations _meta",
  image: "type data mimeType annotations _meta",
  toolRequest: "type id toolCall metadata _meta thoughtSignature toolMeta",
  toolResponse: "type id toolResult metadata _meta",
  frontendToolRequest: "type id toolCall",
  toolConfirmationRequest: "type id toolName arguments prompt",
  actionRequired: "type data",
  thinking: "type thinking signature",
  redactedThinking: "type data",
  reasoning: "type text",
  systemNotification: "type notificationType msg data",
  conversationCompacted: "type msg",
  contextLengthExceeded: "type msg",
  summarizationRequested: "type msg",
};

const METADATA_FIELDS = new Set(["userVisible", "agentVisible", "turnContext", "inference", "usage"]);

const KNOWN = fieldsByType(CONTENT_FIELDS);

export function noteFields(drift: SingleVersionDrift, message: GooseMessage): void {
  for (const node of message.content ?? [])
    drift.countUnknownFields(`content/${typeOf(node)}`, node, KNOWN.get(typeOf(node)));
  if (message.metadata) drift.countUnknownFields("metadata", message.metadata, METADATA_FIELDS);
}

export function typeOf(node: Native): string {
  return str(node["type"]) ?? "(untyped)";
}

/**
 * Goose counts its sessions from 1 each day, separately in every store: `20261114_1` is another session on another
 * machine. If two stores use an id for sessions that began at different times, one keeps it and the others get the time
 * of day appended.
 */
export const COUNTED: RegExp = /^\d{8}_\d{1,5}$/;
const APART = /^(\d{8}_\d{1,5})-\d{6}$/;

/** Goose's own id of a session. */
export function idOf(name: string): string {
  return APART.exec(name)?.[1] ?? name;
}

function isDistinctName(name: string): boolean {
  return APART.test(name);
}

export function distinctId(id: string, begun: number | null): string {
  if (begun === null || !COUNTED.test(id)) return id;
  return `${id}-${new Date(begun).toISOString().slice(11, 19).replaceAll(":", "")}`;
}

/** A row after the session row: a message, or the usage of one request. */
export type StoredRow = StoredMessage | StoredUsage;

interface StoredMessage {
  kind: "message";
  id: number;
  key: string;
  time: number | null;
  message: GooseMessage;
}

interface StoredUsage {
  kind: "usage";
  key: string;
  time: number | null;
  row: Native;
  bytes: number;
}

/**
 * Inserts the ledger rows, in the order they were written, among the messages. The ledger names no message, only the
 * second it was written in. From schema 16 on an answer repeats the numbers of its request, and the ledger row is
 * placed after the answer with the same numbers.
 */
function mergeLedger(messages: readonly StoredMessage[], ledger: readonly Row[]): StoredRow[] {
  const answers = answersByNumbers(messages);
  const behind = new Map<number, StoredUsage[]>();
  let past = 0;
  for (const row of ledger) {
    const cost = usageRow(row);
    while (past < messages.length && (cost.time === null || (messages[past]?.time ?? 0) <= cost.time)) past++;
    const place = answers.get(numbersOf(row))?.shift() ?? beforeUnanswered(messages, past - 1, cost.time);
    const others = behind.get(place);
    if (others) others.push(cost);
    else behind.set(place, [cost]);
  }
  return [...(behind.get(-1) ?? []), ...messages.flatMap((message, i) => [message, ...(behind.get(i) ?? [])])];
}

function answersByNumbers(messages: readonly StoredMessage[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const [i, { message }] of messages.entries()) {
    const usage = message.role === "assistant" ? obj(message.metadata?.["usage"]) : null;
    if (!usage) continue;
    const key = [usage["inputTokens"], usage["outputTokens"], usage["cacheReadTokens"]].map(num).join(":");
    const others = found.get(key);
    if (others) others.push(i);
    else found.set(key, [i]);
  }
  return found;
}

function numbersOf(row: Row): string {
  return [row["input_tokens"], row["output_tokens"], row["cache_read_tokens"]].map(num).join(":");
}

/** If nothing in the same second answers a prompt, the usage of that second belongs to the turn before it. */
function beforeUnanswered(messages: readonly StoredMessage[], last: number, time: number | null): number {
  let at = last;
  for (let message = messages[at]; message && isAsked(message, time); message = messages[at]) at--;
  const answer = messages[at];
  return answer && !isAsked(answer, null) ? at : last;
}

/** A message to the model; in the given second, if there is one. */
function isAsked({ message, time: at }: StoredMessage, time: number | null): boolean {
  return message.role === "user" && !hasContent(message, "toolResponse") && (time === null || at === time);
}

function usageRow(row: Row): StoredUsage {
  const time = timestampOf(row["created_timestamp"]);
  return { kind: "usage", key: `u:${String(row["id"])}`, time, row, bytes: sizeOfRow(row) };
}

export interface StoredRows {
  row: Native;
  bytes: number;
  schema: string;
  rows: StoredRow[];
  ledger: Native[];
  /** Distinct names of sessions of the same store that this one refers to by id. */
  names: ReadonlyMap<string, string>;
}

function unreadable(path: string, cause: unknown): DaybookError {
  return new DaybookError(`cannot read ${path}`, {
    code: "unreadable",
    op: "read session",
    path,
    hint: "check that the database exists and that you may read it; it may be damaged",
    cause,
  });
}

export function isGoose(db: ForeignDatabase): boolean {
  return columnsOf(db, "sessions").has("working_dir") && columnsOf(db, "messages").has("content_json");
}

/** Columns were added one schema version after the other: a table's columns are queried, never assumed. */
function columnsOf(db: ForeignDatabase, table: string): ReadonlySet<string> {
  return new Set(
    db
      .prepare(`PRAGMA table_info(${table})`)
      .all()
      .map((row) => str(row["name"]) ?? ""),
  );
}

/**
 * All sessions of a database with their stamps, in one pass over the row headers. Null if the database is not Goose's.
 */
export function listSessions(path: string): ListedRow[] | null {
  return readForeign(path, (db) => {
    if (!isGoose(db)) return null;
    const found = new Map<string, Omit<ListedRow, "id" | "stamp"> & { facts: unknown[] }>();
    for (const row of db.prepare("SELECT * FROM sessions ORDER BY id").iterate()) {
      const begun = dateOf(row["created_at"]);
      found.set(String(row["id"]), { facts: [row], updated: updatedAt(row), bytes: sizeOfRow(row), begun });
    }
    const add = (table: string, length: string): void => {
      // Ids are never reused, so replaced rows are noticed. Messages have no modification time: their lengths, weighted
      // by id, show which was changed in place. Lengths are in the row header; the documents themselves are not read.
      const sql = `SELECT session_id, count(*) AS n, max(id) AS i, sum(${length}) AS b, sum((id % 1000003) * (${length}) % 1000000007) AS x
        FROM ${table} GROUP BY session_id`;
      for (const row of db.prepare(sql).iterate()) {
        const session = found.get(String(row["session_id"]));
        session?.facts.push(table, row["n"], row["i"], row["b"], row["x"]);
        if (session) session.bytes += Number(row["b"] ?? 0);
      }
    };
    const metadata = columnsOf(db, "messages").has("metadata_json")
      ? " + 7 * ifnull(octet_length(metadata_json), 0)"
      : "";
    add("messages", `octet_length(content_json)${metadata}`);
    // Ledger rows are written once and never changed.
    if (columnsOf(db, "usage_ledger").has("session_id")) add("usage_ledger", "8");
    return [...found].map(([id, { facts, ...rest }]) => ({ id, ...rest, stamp: stampOf(facts) }));
  });
}

/** Everything the database holds about one session; null if it is gone. */
export function loadSession(path: string, name: string): StoredRows | null {
  try {
    return readForeign(path, (db) => storedSession(db, name));
  } catch (cause) {
    throw cause instanceof DaybookError ? cause : unreadable(path, cause);
  }
}

function storedSession(db: ForeignDatabase, name: string): StoredRows | null {
  const id = idOf(name);
  if (!isGoose(db)) throw new Error("not a Goose database");
  const row = db.prepare("SELECT * FROM sessions WHERE id = ?").get(id);
  if (!row) return null;
  const ledger = columnsOf(db, "usage_ledger").has("session_id")
    ? db.prepare("SELECT * FROM usage_ledger WHERE session_id = ? ORDER BY created_timestamp, id").all(id)
    : [];
  const messages = db.prepare("SELECT * FROM messages WHERE session_id = ?").all(id).map(messageRow);
  const rows = mergeLedger(messages.sort(byTime), ledger);
  return { row, bytes: sizeOfRow(row), schema: schemaOf(db), rows, ledger, names: namesIn(db, name) };
}

/** The row at a line: the session row first, then messages and ledger rows in order. */
export function recordAt(path: string, name: string, line: number): NativeRecord | null {
  const stored = loadSession(path, name);
  if (!stored) return null;
  if (line === 1) return { text: `sessions ${idOf(name)} ${JSON.stringify(stored.row)}`, bytes: stored.bytes };
  const row = stored.rows[line - 2];
  if (!row) return null;
  if (row.kind === "usage")
    return { text: `usage_ledger ${String(row.row["id"])} ${JSON.stringify(row.row)}`, bytes: row.bytes };
  const { role, content, bytes } = row.message;
  const text = content ? JSON.stringify(content) : "(no readable document)";
  return { text: `messages ${row.id} ${role} ${text}`, bytes };
}

/**
 * If a session has a distinct name because another store uses its id, the sessions it refers to have distinct names
 * too.
 */
function namesIn(db: ForeignDatabase, name: string): Map<string, string> {
  if (!isDistinctName(name)) return new Map();
  const rows = db.prepare("SELECT id, created_at FROM sessions").all();
  return new Map(rows.map((row) => [String(row["id"]), distinctId(String(row["id"]), dateOf(row["created_at"]))]));
}

function messageRow(row: Row): StoredMessage {
  const id = num(row["id"]) ?? 0;
  const message = messageOf({
    id: row["message_id"],
    fallbackId: `row-${id}`,
    role: row["role"],
    created: row["created_timestamp"],
    content: row["content_json"],
    metadata: row["metadata_json"],
    bytes: sizeOfRow(row),
  });
  return { kind: "message", id, key: `m:${message.identity}`, time: message.time, message };
}

function byTime(a: StoredMessage, b: StoredMessage): number {
  return (a.time ?? 0) - (b.time ?? 0) || a.id - b.id;
}

function schemaOf(db: ForeignDatabase): string {
  try {
    const version = db.prepare("SELECT max(version) AS v FROM schema_version").get()?.["v"];
    return `schema ${version === null || version === undefined ? "unknown" : String(version)}`;
  } catch {
    return "schema unknown";
  }
}

/** When the session row was last written; used as its modification time. */
function updatedAt(row: Native): number {
  return dateOf(row["updated_at"]) ?? dateOf(row["created_at"]) ?? num(row["updated_at"]) ?? 0;
}

/** False for files that begin with a message instead of a header. */
export function isHeader(record: Native): boolean {
  return !("role" in record) && ("working_dir" in record || "description" in record || "message_count" in record);
}

export function legacyId(path: string): string {
  return basename(path).replace(/\.jsonl$/i, "");
}
