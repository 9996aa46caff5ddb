import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openDatabase, type Database, type SqlValue } from "../../base/io/sqlite.ts";
import type { Cursor, Diagnostic, DiscoverContext, Entry, ReadContext, SourceRef } from "../contract.ts";
import { discoverBrand, OPENCODE } from "./discover.ts";
import type { Native } from "../kit/native.ts";
import { readSession } from "./read.ts";

/** Test helpers: stores in the formats OpenCode writes, and functions that read them. */
export const FIXTURE: string = fileURLToPath(
  new URL("../../../test/fixtures/corpus/opencode-1.18.33/opencode.db", import.meta.url),
);
export const T0 = 1_780_000_000_000;

export interface MadeMessage {
  id?: string;
  data: Native | string;
  parts?: readonly (Native | string)[];
}

export interface MadeRows {
  id: string;
  info?: Native;
  messages: readonly MadeMessage[];
}

export function scratch(): string {
  return mkdtempSync(join(tmpdir(), "daybook-opencode-"));
}

/** The oldest columns of the SQLite store; newer ones are added only if a test sets them. */
export function createTables(db: Database): void {
  db.exec(`
    CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL);
    CREATE TABLE session (id text PRIMARY KEY, project_id text, parent_id text, slug text, directory text, title text,
      version text, revert text, permission text, time_created integer, time_updated integer);
    CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text);
    CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer, time_updated integer, data text);
    CREATE TABLE session_message (id text PRIMARY KEY, session_id text, type text, seq integer, time_created integer,
      time_updated integer, data text)`);
}

/**
 * The tables of the first OpenCode, in Go, as its migrations created them (names and types; no genuine file is
 * available).
 */
function createGoTables(db: Database): void {
  db.exec(`
    CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL, is_applied INTEGER NOT NULL,
      tstamp TIMESTAMP DEFAULT (datetime('now')));
    INSERT INTO goose_db_version (version_id, is_applied) VALUES (0, 1), (20250424200609, 1), (20250515105448, 1);
    CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL, message_count INTEGER NOT NULL DEFAULT 0,
      prompt_tokens INTEGER NOT NULL DEFAULT 0, completion_tokens INTEGER NOT NULL DEFAULT 0, cost REAL NOT NULL DEFAULT 0.0,
      updated_at INTEGER NOT NULL, created_at INTEGER NOT NULL, summary_message_id TEXT);
    CREATE TABLE files (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, path TEXT NOT NULL, content TEXT NOT NULL, version TEXT NOT NULL,
      created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, UNIQUE(path, session_id, version));
    CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL, parts TEXT NOT NULL DEFAULT '[]',
      model TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, finished_at INTEGER);
    CREATE INDEX idx_messages_session_id ON messages (session_id)`);
}

export interface GoMessage {
  id?: string;
  role: "user" | "assistant" | "tool";
  parts: readonly Native[] | string;
  /** Seconds after the first message. */
  at?: number;
  model?: string;
}

export interface GoRows {
  id: string;
  row?: Record<string, SqlValue>;
  messages: readonly GoMessage[];
}

export function makeGoDatabase(
  sessions: readonly GoRows[],
  path: string = join(scratch(), "project", ".opencode", "opencode.db"),
): string {
  mkdirSync(dirname(path), { recursive: true });
  const db = openDatabase(path);
  createGoTables(db);
  const second = T0 / 1000;
  for (const { id, row, messages } of sessions) {
    const values = {
      id,
      title: "New Session",
      message_count: messages.length,
      created_at: second,
      updated_at: second,
      ...row,
    };
    const names = Object.keys(values);
    db.prepare(`INSERT INTO sessions (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`).run(
      ...Object.values(values),
    );
    for (const [i, message] of messages.entries()) {
      const at = second + (message.at ?? i);
      const parts = typeof message.parts === "string" ? message.parts : JSON.stringify(message.parts);
      const finished = message.role === "assistant" && /"type":"finish"/.test(parts) ? at : null;
      db.prepare("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?)").run(
        message.id ?? `${id}-${i}`,
        id,
        message.role,
        parts,
        message.model ?? null,
        at,
        at,
        finished,
      );
    }
  }
  db.close();
  return path;
}

const node = (type: string, data: Native): Native => ({ type, data });

/** Rows as the Go program writes them: every part wrapped in its type. */
export const go = {
  asks: (text: string, at?: number): GoMessage => ({
    role: "user",
    parts: [node("text", { text }), node("finish", { reason: "stop", time: 0 })],
    ...(at === undefined ? {} : { at }),
  }),
  says: (
    text: string,
    reason: string | null = "end_turn",
    calls: readonly [id: string, name: string, input: Native][] = [],
  ): GoMessage => ({
    role: "assistant",
    model: "claude-3.7-sonnet",
    parts: [
      node("reasoning", { thinking: "hm" }),
      ...(text === "" ? [] : [node("text", { text })]),
      ...calls.map(([id, name, input]) =>
        node("tool_call", { id, name, input: JSON.stringify(input), type: "tool_use", finished: true }),
      ),
      ...(reason === null ? [] : [node("finish", { reason, time: T0 / 1000 + 100 })]),
    ],
  }),
  results: (...results: [call: string, content: string, more?: Native][]): GoMessage => ({
    role: "tool",
    parts: [
      ...results.map(([call, content, more]) =>
        node("tool_result", { tool_call_id: call, name: "", content, metadata: "", is_error: false, ...more }),
      ),
      node("finish", { reason: "stop", time: 0 }),
    ],
  }),
};

/** A project with a database of the first OpenCode, for tests that need a directory. */
export function writeGoStore(): string {
  const root = scratch();
  const long = "x".repeat(3000);
  makeGoDatabase(
    [
      {
        id: "5f0c2f0e-7a51-4f5a-9a7e-000000000001",
        row: {
          title: "Files of a directory",
          prompt_tokens: 1200,
          completion_tokens: 340,
          cost: 0.0123,
          updated_at: T0 / 1000 + 60,
        },
        messages: [
          go.asks("List the files."),
          go.says("I will look.", "tool_use", [["toolu_1", "bash", { command: "ls" }]]),
          go.results(["toolu_1", `README.md\n${long}`, { metadata: '{"start_time":1000,"end_time":1250}' }]),
          go.says("There is README.md.", "end_turn"),
          go.asks("Let somebody count its lines, then change it."),
          go.says("", "tool_use", [
            ["toolu_2", "agent", { prompt: "Count the lines of README.md" }],
            ["toolu_3", "edit", { file_path: "/w/new.md", old_string: "", new_string: "x" }],
          ]),
          go.results(["toolu_2", "One line."], ["toolu_3", "File created: /w/new.md"]),
          go.says("Done.", "end_turn"),
          go.asks("And stop."),
          go.says("I was", "canceled"),
        ],
      },
      {
        id: "toolu_2",
        row: {
          parent_session_id: "5f0c2f0e-7a51-4f5a-9a7e-000000000001",
          title: "New Agent Session",
          prompt_tokens: 50,
          completion_tokens: 6,
        },
        messages: [go.asks("Count the lines of README.md"), go.says("One line.")],
      },
      {
        id: "5f0c2f0e-7a51-4f5a-9a7e-000000000002",
        row: { title: "Killed" },
        messages: [go.asks("Run it."), go.says("Running.", null, [["toolu_9", "bash", { command: "sleep 9" }]])],
      },
    ],
    join(root, "project", ".opencode", "opencode.db"),
  );
  return root;
}

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

export function insertSession(db: Database, session: MadeRows): void {
  const info = session.info ?? {};
  db.prepare(
    "INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, revert, permission, time_created, time_updated) " +
      "VALUES (?, 'global', ?, 's', ?, ?, ?, ?, ?, ?, ?)",
  ).run(
    session.id,
    (info["parentID"] as string | undefined) ?? null,
    (info["directory"] as string | undefined) ?? "/w",
    (info["title"] as string | undefined) ?? "New session - 2026-05-12T08:00:00.000Z",
    (info["version"] as string | undefined) ?? "1.2.3",
    info["revert"] ? JSON.stringify(info["revert"]) : null,
    info["permission"] ? JSON.stringify(info["permission"]) : null,
    (info["created"] as number | undefined) ?? T0,
    T0,
  );
  for (const [i, message] of session.messages.entries()) insertMessage(db, session.id, message, i);
}

export function insertMessage(db: Database, session: string, message: MadeMessage, index: number): void {
  const id = message.id ?? `msg_${session}_${index}`;
  const time = typeof message.data === "string" ? T0 + index : ((message.data["time"] as Native)["created"] as number);
  const insert = "VALUES (?, ?, ?, ?, ?)";
  db.prepare(`INSERT INTO message ${insert}`).run(id, session, time, time, asText(message.data));
  for (const [k, part] of (message.parts ?? []).entries())
    db.prepare("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)").run(
      `prt_${id}_${k}`,
      id,
      session,
      time,
      time,
      asText(part),
    );
}

export function makeDatabase(sessions: readonly MadeRows[], path: string = join(scratch(), "opencode.db")): string {
  mkdirSync(dirname(path), { recursive: true });
  const db = openDatabase(path);
  createTables(db);
  for (const session of sessions) insertSession(db, session);
  db.close();
  return path;
}

/** Rows of `session_message`, each a whole message. */
export function insertV2(db: Database, session: string, rows: readonly [type: string, data: unknown][]): void {
  const insert = db.prepare("INSERT INTO session_message VALUES (?, ?, ?, ?, ?, ?, ?)");
  for (const [i, [type, data]] of rows.entries())
    insert.run(`m${i}`, session, type, i, T0 + i, T0, JSON.stringify(data));
}

/** Writes JSON files under a directory, by path. */
export function writeTree(root: string, files: Readonly<Record<string, unknown>>): string {
  for (const [name, value] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), asText(value));
  }
  return root;
}

export function user(at: number, data: Native = {}): Native {
  return {
    role: "user",
    time: { created: T0 + at },
    agent: "build",
    model: { providerID: "p", modelID: "m" },
    ...data,
  };
}

export function assistant(at: number, data: Native = {}): Native {
  return {
    role: "assistant",
    parentID: "msg_u",
    time: { created: T0 + at, completed: T0 + at + 50 },
    modelID: "m",
    providerID: "p",
    finish: "stop",
    tokens: tokens(0, 0),
    path: { cwd: "/w", root: "/w" },
    ...data,
  };
}

export function tokens(input: number, output: number, reasoning = 0, read = 0, write = 0): Native {
  return { input, output, reasoning, cache: { read, write } };
}

export const text = (value: string, extra: Native = {}): Native => ({ type: "text", text: value, ...extra });

export function tool(name: string, state: Native, call = `call_${name}`): Native {
  return { type: "tool", tool: name, callID: call, state };
}

export interface Discovered {
  refs: SourceRef[];
  diagnostics: Diagnostic[];
}

export function discover(roots: readonly string[] | null, ctx: Partial<DiscoverContext> = {}): Discovered {
  const diagnostics: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic);
  const refs = [...discoverBrand({ env: {}, home: "/nowhere", ...ctx, roots, report }, OPENCODE)];
  return { refs, diagnostics };
}

export function readRef(ref: SourceRef, ctx: Partial<ReadContext> = {}, cursor: Cursor | null = null): Entry[] {
  return [...readSession(ref, cursor, { detail: "full", ...ctx })];
}

/** Creates a database with one session and reads it. */
export function read(messages: readonly MadeMessage[], info: Native = {}): Entry[] {
  const path = makeDatabase([{ id: "ses_1", info, messages }]);
  return discover([path]).refs.flatMap((ref) => readRef(ref));
}
