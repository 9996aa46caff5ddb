/** The database: its sessions, and the rows of one of them. */
import { basename, dirname } from "node:path";
import { closeUnchanged, openForeign, readForeign, type ForeignDatabase } from "../../base/io/sqlite-foreign.ts";
import type { Row } from "../../base/io/sqlite.ts";
import { parsedInput } from "../kit/blocks.ts";
import { placed, placedValue, type PlacedRecord } from "../kit/bundle.ts";
import { sizeOfRow, stampOf, type ListedRow } from "../kit/database-sessions.ts";
import { cannotOpen } from "../kit/json-lines.ts";
import { num, str } from "../kit/native.ts";

export const SOURCE_ID = "crush";

/** The first OpenCode, in Go, from which Crush was made, has no `read_files`, and keeps `opencode.db`. */
export function isCrush(db: ForeignDatabase, path: string): boolean {
  const tables = db.tables();
  if (!tables.has("sessions") || !tables.has("messages")) return false;
  return tables.has("read_files") || basename(path) === "crush.db";
}

/** All sessions with their stamps; null if the database is another program's. */
export function listSessions(path: string): ListedRow[] | null {
  return readForeign(path, (db) => {
    if (!isCrush(db, path)) return null;
    const found = new Map<string, { facts: unknown[]; updated: number; bytes: number }>();
    for (const row of db.prepare("SELECT * FROM sessions ORDER BY id").iterate())
      found.set(String(row["id"]), { facts: [row], updated: seconds(row["updated_at"]) ?? 0, bytes: sizeOfRow(row) });
    const sql = `SELECT session_id, count(*) AS n, max(rowid) AS r, max(updated_at) AS t, sum(updated_at % 1000000007) AS s,
      sum(octet_length(parts)) AS b FROM messages GROUP BY session_id`;
    for (const row of db.prepare(sql).iterate()) {
      const session = found.get(String(row["session_id"]));
      if (!session) continue;
      session.facts.push(row["n"], row["r"], row["t"], row["s"], row["b"]);
      session.updated = Math.max(session.updated, seconds(row["t"]) ?? 0);
      session.bytes += Number(row["b"] ?? 0);
    }
    return [...found].map(([id, { facts, ...rest }]) => ({ id, ...rest, stamp: stampOf(facts) }));
  });
}

/** The messages of a session, then its own row. Many share one second, so the order they were written in decides. */
export function rowsOf(path: string, id: string): PlacedRecord[] {
  let db: ForeignDatabase | null = null;
  try {
    db = openForeign(path);
    const session = db.prepare("SELECT * FROM sessions WHERE id = ?").get(id);
    const messages = db
      .prepare("SELECT rowid, * FROM messages WHERE session_id = ? ORDER BY created_at, rowid")
      .all(id);
    const records = messages.map(messageRecord);
    if (session) records.push(placedValue({ ...plain(session), role: "session" }, `sessions:${id}`));
    closeUnchanged(db, path);
    return records;
  } catch (cause) {
    db?.close();
    throw cannotOpen(path, cause);
  }
}

function messageRecord(row: Row): PlacedRecord {
  const place = `messages:${String(row["id"])}`;
  const parts = placed(`{"parts":${str(row["parts"]) ?? ""}}`, place);
  if (!parts.value) return { ...parts, problem: parts.problem === "blank" ? "not_json" : parts.problem };
  return placedValue({ ...plain(row), ...parts.value }, place);
}

function plain(row: Row): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === "bigint" ? Number(value) : value]),
  );
}

/** The input of a call and the metadata of a result are JSON inside JSON. */
export function inner(value: unknown): unknown {
  return parsedInput(value);
}

/** Seconds, though the schema says milliseconds. */
export function seconds(value: unknown): number | null {
  const stated = num(typeof value === "bigint" ? Number(value) : value);
  return stated === null || stated <= 0 ? null : stated > 1e11 ? stated : stated * 1000;
}

/** The database is in the directory of its project, unless the user moved it. */
export function projectOf(path: string): string | null {
  return basename(dirname(path)) === ".crush" ? dirname(dirname(path)) : null;
}
