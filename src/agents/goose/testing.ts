import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openDatabase, type Database, type SqlValue } from "../../base/io/sqlite.ts";
import type { Cursor, Diagnostic, DiscoverContext, Entry, ReadContext, SourceRef } from "../contract.ts";
import { discoverGoose } from "./discover.ts";
import { readSession } from "./read.ts";
import type { Native } from "../kit/native.ts";

/** Test helpers: databases of any schema version, old files, and functions that read them. */
export const FIXTURE: string = fileURLToPath(new URL("../../../test/fixtures/corpus/goose-1.34.0", import.meta.url));
export const T0 = 1_780_000_000;

export interface MadeMessage {
  id?: string;
  role?: string;
  at?: number;
  content: readonly Native[] | string;
  /** userVisible, agentVisible */
  seen?: readonly [boolean, boolean];
  /** Additional metadata fields. */
  about?: Native;
}

export interface MadeRows {
  id?: string;
  row?: Record<string, SqlValue>;
  messages: readonly MadeMessage[];
  ledger?: readonly Record<string, SqlValue>[];
}

export function scratch(): string {
  return mkdtempSync(join(tmpdir(), "daybook-goose-"));
}

/** What each migration added to the first schema (`session_manager.rs`, `apply_migration`). */
const ADDED: readonly [version: number, table: string, column: string][] = [
  [2, "sessions", "user_recipe_values_json TEXT"],
  [3, "messages", "metadata_json TEXT"],
  [4, "sessions", "name TEXT DEFAULT ''"],
  [4, "sessions", "user_set_name BOOLEAN DEFAULT FALSE"],
  [5, "sessions", "session_type TEXT NOT NULL DEFAULT 'user'"],
  [6, "sessions", "provider_name TEXT"],
  [6, "sessions", "model_config_json TEXT"],
  [7, "messages", "message_id TEXT"],
  [8, "sessions", "goose_mode TEXT NOT NULL DEFAULT 'auto'"],
  [13, "sessions", "accumulated_cost REAL"],
  [14, "sessions", "accumulated_cache_read_tokens INTEGER"],
  [14, "sessions", "accumulated_cache_write_tokens INTEGER"],
  [15, "sessions", "parent_session_id TEXT"],
];

export function createTables(db: Database, version: number): void {
  db.exec(`
    CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
    CREATE TABLE sessions (id TEXT PRIMARY KEY, description TEXT NOT NULL DEFAULT '', working_dir TEXT NOT NULL,
      created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
      extension_data TEXT DEFAULT '{}', total_tokens INTEGER, input_tokens INTEGER, output_tokens INTEGER,
      accumulated_total_tokens INTEGER, accumulated_input_tokens INTEGER, accumulated_output_tokens INTEGER,
      schedule_id TEXT, recipe_json TEXT);
    CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL,
      content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, tokens INTEGER);
    INSERT INTO schema_version (version) VALUES (${version})`);
  for (const [since, table, column] of ADDED)
    if (version >= since) db.exec(`ALTER TABLE ${table} ADD COLUMN ${column}`);
  if (version < 15) return;
  db.exec(`CREATE TABLE usage_ledger (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL,
    created_timestamp INTEGER NOT NULL, model TEXT, input_tokens INTEGER, output_tokens INTEGER, total_tokens INTEGER,
    cache_read_tokens INTEGER, cache_write_tokens INTEGER, cost REAL, cost_source TEXT, is_compaction INTEGER DEFAULT 0)`);
}

function insert(db: Database, table: string, row: Record<string, SqlValue>): void {
  const columns = Object.keys(row);
  db.prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`).run(
    ...Object.values(row),
  );
}

export function insertMessage(db: Database, session: string, message: MadeMessage, index: number, version = 17): void {
  const row: Record<string, SqlValue> = {
    session_id: session,
    role: message.role ?? "user",
    content_json: typeof message.content === "string" ? message.content : JSON.stringify(message.content),
    created_timestamp: T0 + (message.at ?? index),
  };
  const [userVisible, agentVisible] = message.seen ?? [true, true];
  if (version >= 3) row["metadata_json"] = JSON.stringify({ userVisible, agentVisible, ...message.about });
  if (version >= 7) row["message_id"] = message.id ?? `msg_${session}_${index}`;
  insert(db, "messages", row);
}

export function insertSession(db: Database, session: MadeRows, version = 17): void {
  const id = session.id ?? "20260601_1";
  const dates = { created_at: "2026-06-01 08:00:00", updated_at: "2026-06-01 09:00:00" };
  insert(db, "sessions", { id, working_dir: "/w", ...dates, ...session.row });
  for (const [i, message] of session.messages.entries()) insertMessage(db, id, message, i, version);
  for (const row of session.ledger ?? []) insert(db, "usage_ledger", { session_id: id, created_timestamp: T0, ...row });
}

export function makeDatabase(
  sessions: readonly MadeRows[],
  version = 17,
  path: string = join(scratch(), "sessions", "sessions.db"),
): string {
  mkdirSync(dirname(path), { recursive: true });
  const db = openDatabase(path);
  createTables(db, version);
  for (const session of sessions) insertSession(db, session, version);
  db.close();
  return path;
}

export function writeLines(path: string, records: readonly unknown[]): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, records.map((item) => `${typeof item === "string" ? item : JSON.stringify(item)}\n`).join(""));
  return path;
}

export const text = (value: string): Native => ({ type: "text", text: value });
export const says = (value: string): MadeMessage => ({ role: "assistant", content: [text(value)] });

export function request(id: string, name = "developer__shell", args: Native = {}): MadeMessage {
  return {
    role: "assistant",
    content: [{ type: "toolRequest", id, toolCall: { status: "success", value: { name, arguments: args } } }],
  };
}

export function response(id: string, toolResult: Native): MadeMessage {
  return { content: [{ type: "toolResponse", id, toolResult }] };
}

export function discover(
  roots: readonly string[] | null,
  ctx: Partial<DiscoverContext> = {},
): { refs: SourceRef[]; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic);
  return { refs: [...discoverGoose({ env: {}, home: "/nowhere", ...ctx, roots, report })], diagnostics };
}

export function readRef(ref: SourceRef, ctx: Partial<ReadContext> = {}, cursor: Cursor | null = null): Entry[] {
  return [...readSession(ref, cursor, { detail: "full", ...ctx })];
}

/** Creates a database with one session and reads it. */
export function read(session: MadeRows, version = 17): Entry[] {
  return discover([makeDatabase([session], version)]).refs.flatMap((ref) => readRef(ref));
}
