import type { UsageBody } from "../../format/record.ts";
import type { Row, SqlValue, Statement } from "../../io/sqlite.ts";
import { closeUnchanged, type ForeignDatabase } from "../../io/sqlite-foreign.ts";
import { basename, dirname } from "node:path";
import { sizeOfRow, stampOf, type DatabaseSession } from "../kit/database-sessions.ts";
import { count, list, obj, str, type Native } from "../kit/native.ts";
import { fetchRow } from "./damage.ts";
import { nonEmpty, time } from "./native.ts";
import { textIn, type NativeRow, type SessionStore } from "./rows.ts";
import { parseJson, TooDeep } from "../../io/json.ts";

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

export function listGo(db: ForeignDatabase): DatabaseSession[] {
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
export class GoStore implements SessionStore {
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
export function seconds(value: unknown): number | null {
  const stated = time(value);
  return stated === null || stated > 1e11 ? stated : stated * 1000;
}
