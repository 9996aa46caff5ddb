import { DaybookError } from "../../errors.ts";
import type { Row, SqlValue, Statement } from "../../io/sqlite.ts";
import { openForeign, readForeign, closeUnchanged, type ForeignDatabase } from "../../io/sqlite-foreign.ts";
import { sizeOfRow, stampOf, type DatabaseSession } from "../kit/database-sessions.ts";
import { fetchRow, isDamage, unreadableRow } from "./damage.ts";
import { parseObject, time } from "./native.ts";
import { str, type Native } from "../kit/native.ts";
import { GoStore, isGo, listGo } from "./go-store.ts";
import { rowOf, textIn, type NativeRow, type SessionStore } from "./rows.ts";

export function isOpenCode(db: ForeignDatabase): boolean {
  const tables = db.tables();
  return isCurrentSchema(tables) || isGo(db, tables);
}

function isCurrentSchema(tables: ReadonlySet<string>): boolean {
  return tables.has("session") && (tables.has("message") || tables.has("session_message"));
}

/**
 * All sessions of a database with their stamps, in one pass over the row headers. Null if the database is not
 * OpenCode's.
 */
export function listSessions(path: string): DatabaseSession[] | null {
  return readForeign(path, (db) => {
    const tables = db.tables();
    if (!isCurrentSchema(tables)) return isGo(db, tables) ? listGo(db) : null;
    return [...list(db, tables)].map(([id, { facts, updated, bytes }]) => ({
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

function list(db: ForeignDatabase, tables: ReadonlySet<string>): Map<string, Facts> {
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
export function openSession(path: string, id: string): SessionStore {
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

class DatabaseStore implements SessionStore {
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
