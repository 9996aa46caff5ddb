/** The rows of a session: in a database, and in the files before there was one. */
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DaybookError } from "../../base/errors.ts";
import { readWhole, type ReadMeter } from "../../base/io/bytes.ts";
import { isDeeper } from "../../base/io/json.ts";
import { closeUnchanged, openForeign, readForeign, type ForeignDatabase } from "../../base/io/sqlite-foreign.ts";
import type { Row, SqlValue, Statement } from "../../base/io/sqlite.ts";
import type { SourceId } from "../../record/record.ts";
import type { NativeRecord, SourceRef } from "../contract.ts";
import { cannotOpen } from "../kit/json-lines.ts";
import { sizeOfRow, stampOf, type ListedRow } from "../kit/database-sessions.ts";
import { parseDocument } from "../kit/document-lines.ts";
import { list, obj, str, type Native } from "../kit/native.ts";
import { GoStore, isGo, listGo } from "./generations.ts";
import {
  SOURCE_ID,
  fetchRow,
  isDamage,
  parseObject,
  rowOf,
  textIn,
  time,
  unreadableRow,
  type NativeRow,
  type MessageStore,
} from "./native.ts";

export function isOpenCode(db: ForeignDatabase): boolean {
  const tables = db.tables();
  return isCurrentSchema(tables) || isGo(db, tables);
}

function isCurrentSchema(tables: ReadonlySet<string>): boolean {
  return tables.has("session") && (tables.has("message") || tables.has("session_message"));
}

/** Agents made from OpenCode, by a table that each added, and by the names of its databases. */
const FORKS: readonly { id: SourceId; table: string; file: RegExp }[] = [
  // From the first OpenCode, in Go.
  { id: "crush", table: "read_files", file: /^crush\.db$/ },
  { id: "kilo", table: "kilo_board", file: /^kilo[.-]/ },
];

/** The agent that wrote a database of this make. */
export function brandOf(db: ForeignDatabase, path: string): SourceId {
  const tables = db.tables();
  const fork = FORKS.find(({ table, file }) => tables.has(table) || file.test(basename(path)));
  return fork?.id ?? SOURCE_ID;
}

/**
 * All sessions of a database with their stamps, in one pass over the row headers. Null if the database is not this
 * agent's.
 */
export function listSessions(path: string, brand: SourceId): ListedRow[] | null {
  return readForeign(path, (db) => {
    if (brandOf(db, path) !== brand) return null;
    const tables = db.tables();
    if (!isCurrentSchema(tables)) return isGo(db, tables) ? listGo(db) : null;
    return [...factsIn(db, tables)].map(([id, { facts, updated, bytes }]) => ({
      id,
      updated,
      bytes,
      stamp: stampOf(facts),
    }));
  });
}

interface Facts {
  facts: unknown[];
  updated: number;
  bytes: number;
}

function factsIn(db: ForeignDatabase, tables: ReadonlySet<string>): Map<string, Facts> {
  const found = new Map<string, Facts>();
  for (const row of db.prepare("SELECT * FROM session ORDER BY id").iterate())
    found.set(textIn(row["id"]), {
      facts: FACT_COLUMNS.map((column) => row[column] ?? null),
      updated: time(row["time_updated"]) ?? 0,
      bytes: sizeOfRow(row),
    });
  for (const table of ["message", "part", "session_message"]) {
    if (!tables.has(table)) continue;
    // OpenCode updates these times with every change. The session's time does not change with its parts, so the parts'
    // times are queried too, and summed because a clock may run backwards. Lengths reveal a second change within the
    // same millisecond. Both are in the row header: the documents are not read.
    const sql = `SELECT session_id, count(*) AS n, max(rowid) AS r, max(time_updated) AS t, sum(time_updated % 1000000007) AS s,
      sum(octet_length(data)) AS b FROM ${table} GROUP BY session_id`;
    for (const row of db.prepare(sql).iterate()) {
      const session = found.get(textIn(row["session_id"]));
      if (!session) continue;
      session.facts.push(table, row["n"], row["r"], row["t"], row["s"], row["b"]);
      session.updated = Math.max(session.updated, time(row["t"]) ?? 0);
      session.bytes += Number(row["b"] ?? 0);
    }
  }
  // Newer releases count every change; older ones only in an experiment, so an unchanged number proves nothing.
  if (tables.has("event_sequence"))
    for (const row of db.prepare("SELECT aggregate_id, seq FROM event_sequence").iterate())
      found.get(textIn(row["aggregate_id"]))?.facts.push("event", row["seq"]);
  return found;
}

/** Session columns that are reported, and the time of the last change. */
const FACT_COLUMNS = [
  "project_id",
  "parent_id",
  "directory",
  "title",
  "version",
  "agent",
  "model",
  "revert",
  "permission",
  "time_created",
  "time_updated",
  "time_archived",
] as const;

/** One session of a database. A read transaction keeps the view consistent while the agent continues to write. */
export function openSession(path: string, id: string): MessageStore {
  let db: ForeignDatabase | null = null;
  try {
    db = openForeign(path);
    const tables = db.tables();
    if (isCurrentSchema(tables)) return new DatabaseStore(db, tables, path, id);
    if (!isGo(db, tables)) throw new Error("not an OpenCode database");
    return new GoStore(db, path, id);
  } catch (cause) {
    db?.close();
    throw new DaybookError(`cannot read ${path}`, {
      code: "unreadable",
      op: "read session",
      path,
      hint: "check that you may read it; it may be damaged, or locked by another program",
      cause,
    });
  }
}

class DatabaseStore implements MessageStore {
  readonly flavour: "v1" | "v2";
  readonly session: NativeRow | null;
  readonly #db: ForeignDatabase;
  readonly #path: string;
  readonly #ids: string[];
  readonly #message: Statement;
  readonly #parts: PartRows;
  #closed = false;

  constructor(db: ForeignDatabase, tables: ReadonlySet<string>, path: string, id: string) {
    this.#db = db;
    this.#path = path;
    this.session = sessionRow(db, id);
    const v1 = tables.has("message") ? ids(db, "message", "time_created, id", id) : [];
    // The v2 projection is read only if there are no v1 rows: its rows were reset once, and v1 sessions may be mirrored
    // in it.
    const v2 = v1.length === 0 && tables.has("session_message") ? ids(db, "session_message", "seq, id", id) : [];
    this.flavour = v2.length > 0 ? "v2" : "v1";
    this.#ids = v2.length > 0 ? v2 : v1;
    const withType = v2.length > 0 || !tables.has("message");
    const columns = withType ? `type, ${DOCUMENT} FROM session_message` : `${DOCUMENT} FROM message`;
    this.#message = db.prepare(`SELECT ${columns} WHERE id = ?`);
    this.#parts = this.flavour === "v1" && tables.has("part") ? partsOf(db, id) : NO_PARTS;
  }

  get messages(): number {
    return this.#ids.length;
  }

  message(index: number): NativeRow {
    const id = this.#ids[index] ?? "";
    const row = fetchRow(this.#message, id);
    const made = dataRow(id, row);
    if (this.flavour === "v2") made.type = textIn(row["type"]);
    return made;
  }

  parts(index: number): readonly NativeRow[] {
    return this.#parts.of(this.#ids[index] ?? "");
  }

  partCount(index: number): number {
    return this.#parts.count(this.#ids[index] ?? "");
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeUnchanged(this.#db, this.#path);
  }
}

const DOCUMENT = "time_created, octet_length(data) AS bytes, data";

/** Access to the parts of a message. */
interface PartRows {
  of(message: string): NativeRow[];
  count(message: string): number;
}

const NO_PARTS: PartRows = { of: () => [], count: () => 0 };

function partsOf(db: ForeignDatabase, session: string): PartRows {
  const part = db.prepare(`SELECT ${DOCUMENT} FROM part WHERE id = ?`);
  const fetched = (ids: readonly string[]): NativeRow[] => ids.map((id) => dataRow(id, fetchRow(part, id)));
  if (!isIndexed(db, "part", "message_id")) {
    const ids = partIds(db, session);
    return { of: (message) => fetched(ids.get(message) ?? []), count: (message) => ids.get(message)?.length ?? 0 };
  }
  const where = "WHERE message_id = ? AND session_id = ? ORDER BY id";
  const ids = db.prepare(`SELECT id FROM part ${where}`);
  const all = db.prepare(`SELECT id, ${DOCUMENT} FROM part ${where}`);
  const idsOf = (message: string): string[] => {
    try {
      return ids.all(message, session).map((row) => textIn(row["id"]));
    } catch (cause) {
      if (!isDamage(cause)) throw unreadableRow(cause);
      return idsWithoutIndex(db, message, session);
    }
  };
  return {
    of(message) {
      try {
        return all.all(message, session).map((row) => dataRow(textIn(row["id"]), row));
      } catch (cause) {
        if (!isDamage(cause)) throw unreadableRow(cause);
        return fetched(idsOf(message));
      }
    },
    count: (message) => idsOf(message).length,
  };
}

/** The index itself may be damaged: the table is scanned instead, even though that is slow. */
function idsWithoutIndex(db: ForeignDatabase, message: string, session: string): string[] {
  const sql = "SELECT id FROM part NOT INDEXED WHERE message_id = ? AND session_id = ? ORDER BY id";
  try {
    const rows = db.prepare(sql).all(message, session);
    return rows.map((row) => textIn(row["id"]));
  } catch (cause) {
    throw unreadableRow(cause);
  }
}

function isIndexed(db: ForeignDatabase, table: string, column: string): boolean {
  const sql = `SELECT 1 AS found FROM pragma_index_list(?) AS i, pragma_index_info(i.name) AS c WHERE c.seqno = 0 AND c.name = ?`;
  return db.prepare(sql).get(table, column) !== undefined;
}

/**
 * Only ids are held: the documents of a long session are many megabytes, and fetching them by key needs no index in the
 * store.
 */
function partIds(db: ForeignDatabase, session: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const sql = "SELECT id, message_id FROM part WHERE session_id = ? ORDER BY id";
  for (const row of db.prepare(sql).iterate(session)) {
    const message = textIn(row["message_id"]);
    const known = found.get(message);
    if (known) known.push(textIn(row["id"]));
    else found.set(message, [textIn(row["id"])]);
  }
  return found;
}

function ids(db: ForeignDatabase, table: string, order: string, session: string): string[] {
  const rows = db.prepare(`SELECT id FROM ${table} WHERE session_id = ? ORDER BY ${order}`).all(session);
  return rows.map((row) => textIn(row["id"]));
}

function dataRow(id: string, row: Row): NativeRow {
  return rowOf(id, time(row["time_created"]), textIn(row["data"]), Number(row["bytes"] ?? 0));
}

/** Columns added over time are missing in older databases: those that exist are used. */
function sessionRow(db: ForeignDatabase, id: string): NativeRow | null {
  const row = db.prepare("SELECT * FROM session WHERE id = ?").get(id);
  if (!row) return null;
  const info: Native = {
    id,
    directory: row["directory"],
    parentID: row["parent_id"],
    title: row["title"],
    version: row["version"],
    agent: row["agent"],
    model: json(row["model"]),
    revert: json(row["revert"]),
    permission: json(row["permission"]),
    worktree: worktreeOf(db, row["project_id"]),
    time: { created: row["time_created"], updated: row["time_updated"], archived: row["time_archived"] },
  };
  return { id, time: time(row["time_created"]), bytes: sizeOfRow(row), data: info };
}

function worktreeOf(db: ForeignDatabase, project: SqlValue | undefined): string | null {
  try {
    return str(db.prepare("SELECT worktree FROM project WHERE id = ?").get(project ?? null)?.["worktree"]);
  } catch {
    // Databases reduced to the transcript have no such table.
    return null;
  }
}

function json(value: SqlValue | undefined): unknown {
  const raw = str(value);
  if (raw === null) return null;
  return raw.startsWith("[") ? parseObject(`{"list":${raw}}`)?.["list"] : parseObject(raw);
}

/**
 * The stores before SQLite: one JSON file per session, message and part.
 * `storage/session/<project>/<id>.json` (about 0.6 to 1.1), `project/<name>/storage/session/info/<id>.json` (before), and
 * the single file that `opencode export` writes.
 */
export function openFiles(path: string, meter?: ReadMeter): MessageStore {
  let session: NativeRow;
  try {
    session = readRow(path, meter);
  } catch (cause) {
    throw cannotOpen(path, cause);
  }
  // One node that is too deep must not prevent reading the others.
  const whole = session.tooDeep ? obj(parseDocument(readWhole(path).toString("utf8"))) : session.data;
  const exported = exportedSession(whole);
  return exported ?? new FileStore(path, session, meter);
}

/** Where the messages and parts of a session file are stored. */
interface Layout {
  messages: string;
  /** Directories that may hold a message's parts. */
  parts(message: string): string[];
}

export function layoutOf(path: string): Layout {
  const id = basename(path, ".json");
  const above = dirname(path);
  if (basename(above) === "info") {
    const root = dirname(above);
    return { messages: join(root, "message", id), parts: (message) => [join(root, "part", id, message)] };
  }
  const root = dirname(dirname(above));
  return {
    messages: join(root, "message", id),
    parts: (message) => [join(root, "part", message), join(root, "part", id, message)],
  };
}

class FileStore implements MessageStore {
  readonly flavour = "v1";
  readonly session: NativeRow;
  readonly #layout: Layout;
  readonly #messages: NativeRow[];
  readonly #meter: ReadMeter | undefined;

  constructor(path: string, session: NativeRow, meter?: ReadMeter) {
    this.session = session;
    this.#meter = meter;
    this.#layout = layoutOf(path);
    this.#messages = readAll(this.#layout.messages, meter).toSorted(byCreation);
  }

  get messages(): number {
    return this.#messages.length;
  }

  message(index: number): NativeRow {
    return this.#messages[index] ?? { id: "", time: null, bytes: 0, data: null };
  }

  parts(index: number): readonly NativeRow[] {
    const directory = this.#directory(index);
    return directory === null ? [] : readAll(directory, this.#meter);
  }

  partCount(index: number): number {
    const directory = this.#directory(index);
    return directory === null ? 0 : jsonNames(directory).length;
  }

  close(): void {}

  #directory(index: number): string | null {
    return this.#layout.parts(this.message(index).id).find((directory) => existsSync(directory)) ?? null;
  }
}

function byCreation(a: NativeRow, b: NativeRow): number {
  return (a.time ?? 0) - (b.time ?? 0) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

function jsonNames(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(".json"))
      .sort();
  } catch {
    return [];
  }
}

function readAll(directory: string, meter: ReadMeter | undefined): NativeRow[] {
  return jsonNames(directory).map((name) => {
    try {
      return readRow(join(directory, name), meter);
    } catch {
      return { id: basename(name, ".json"), time: null, bytes: 0, data: null };
    }
  });
}

function readRow(path: string, meter: ReadMeter | undefined): NativeRow {
  const bytes = readWhole(path, meter);
  const row = rowOf(basename(path, ".json"), null, bytes.toString("utf8"), bytes.length);
  row.time = createdOf(row.data);
  return row;
}

function createdOf(data: Native | null): number | null {
  const times = obj(data?.["time"]) ?? obj(obj(data?.["metadata"])?.["time"]);
  return time(times?.["created"]);
}

/** `opencode export`: `{info, messages: [{info, parts}]}`. Its nodes count as rows, in the order of the file. */
function exportedSession(document: Native | null): MessageStore | null {
  const info = obj(document?.["info"]);
  if (!info || !Array.isArray(document?.["messages"])) return null;
  const nodes = list(document["messages"]).map((value) => {
    const node = obj(value);
    return { message: nodeRow(obj(node?.["info"]) ?? node), parts: list(node?.["parts"]).map((p) => nodeRow(obj(p))) };
  });
  return {
    flavour: "v1",
    session: nodeRow(info),
    messages: nodes.length,
    message: (index) => nodes[index]?.message ?? nodeRow(null),
    parts: (index) => nodes[index]?.parts ?? [],
    partCount: (index) => nodes[index]?.parts.length ?? 0,
    close() {},
  };
}

function nodeRow(data: Native | null): NativeRow {
  if (isDeeper(data))
    return { id: str(data?.["id"]) ?? "", time: createdOf(data), bytes: 0, data: null, tooDeep: true };
  const bytes = data ? Buffer.byteLength(JSON.stringify(data)) : 0;
  return { id: str(data?.["id"]) ?? "", time: createdOf(data), bytes, data };
}

/** The row at a line: the session first, then every message followed by its parts. */
export function recordAt(ref: SourceRef, line: number): NativeRecord | null {
  const store = ref.container === "sqlite" ? openSession(ref.path, ref.key ?? "") : openFiles(ref.path);
  try {
    const found = rowAt(store, line);
    if (!found) return null;
    const { table, row } = found;
    const text = row.data ? JSON.stringify(row.data) : "(no readable document)";
    return { text: `${table} ${row.id} ${text}`, bytes: row.bytes };
  } finally {
    store.close();
  }
}

const TABLES = {
  v1: ["session", "message"],
  v2: ["session", "session_message"],
  go: ["sessions", "messages"],
} as const;

function rowAt(store: MessageStore, line: number): { table: string; row: NativeRow } | null {
  let left = line - 1;
  const [sessions, table] = TABLES[store.flavour];
  if (store.session && left-- === 0) return { table: sessions, row: store.session };
  for (let i = 0; i < store.messages; i++) {
    if (left === 0) return { table, row: store.message(i) };
    const parts = store.partCount(i);
    const row = left <= parts ? store.parts(i)[left - 1] : undefined;
    if (row) return { table: "part", row };
    left -= 1 + parts;
  }
  return null;
}
