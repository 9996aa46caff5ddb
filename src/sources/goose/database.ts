import { DaybookError } from "../../errors.ts";
import type { Row } from "../../io/sqlite.ts";
import { readForeign, type ForeignDatabase } from "../../io/sqlite-foreign.ts";
import { sizeOfRow, stampOf, type DatabaseSession } from "../kit/database-sessions.ts";
import type { NativeRecord } from "../contract.ts";
import { messageOf } from "./message.ts";
import { idOf, isDistinctName, distinctId } from "./names.ts";
import { dateOf, num, str, type Native } from "./native.ts";
import { mergeLedger, type StoredMessage, type StoredRow } from "./order.ts";
import { updatedAt } from "./session.ts";

export interface StoredSession {
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
export function listSessions(path: string): DatabaseSession[] | null {
  return readForeign(path, (db) => {
    if (!isGoose(db)) return null;
    const found = new Map<string, Omit<DatabaseSession, "id" | "stamp"> & { facts: unknown[] }>();
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
export function loadSession(path: string, name: string): StoredSession | null {
  try {
    return readForeign(path, (db) => storedSession(db, name));
  } catch (cause) {
    throw cause instanceof DaybookError ? cause : unreadable(path, cause);
  }
}

function storedSession(db: ForeignDatabase, name: string): StoredSession | null {
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
