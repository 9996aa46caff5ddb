import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openDatabase, type Database } from "../../io/sqlite.ts";
import type { RecordBody, RecordType } from "../../log/record.ts";
import type { Cursor, Diagnostic, DiscoverContext, Entry, ReadContext, SourceRef } from "../source.ts";
import { discoverOpenCode } from "./discover.ts";
import type { Native } from "../shared/native.ts";
import { readSession } from "./read.ts";

/** Helpers for this folder's tests: stores in the shapes OpenCode writes, and what is read from them. */
export const FIXTURE: string = fileURLToPath(
  new URL("../../../test/fixtures/corpus/opencode-1.18.33/opencode.db", import.meta.url),
);
export const T0 = 1_780_000_000_000;

export interface MadeMessage {
  id?: string;
  data: Native | string;
  parts?: readonly (Native | string)[];
}

export interface MadeSession {
  id: string;
  info?: Native;
  messages: readonly MadeMessage[];
}

export function scratch(): string {
  return mkdtempSync(join(tmpdir(), "daybook-opencode-"));
}

/** The oldest columns of the SQLite store; newer ones are added only where a test gives them. */
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

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

export function insertSession(db: Database, session: MadeSession): void {
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

export function makeDatabase(sessions: readonly MadeSession[], path: string = join(scratch(), "opencode.db")): string {
  mkdirSync(dirname(path), { recursive: true });
  const db = openDatabase(path);
  createTables(db);
  for (const session of sessions) insertSession(db, session);
  db.close();
  return path;
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
  const refs = [...discoverOpenCode({ env: {}, home: "/nowhere", ...ctx, roots, report })];
  return { refs, diagnostics };
}

export function readRef(ref: SourceRef, ctx: Partial<ReadContext> = {}, cursor: Cursor | null = null): Entry[] {
  return [...readSession(ref, cursor, { detail: "full", ...ctx })];
}

/** Makes a database of one session and reads it. */
export function read(messages: readonly MadeMessage[], info: Native = {}): Entry[] {
  const path = makeDatabase([{ id: "ses_1", info, messages }]);
  return discover([path]).refs.flatMap((ref) => readRef(ref));
}

/** All canonical records of one type, in order. */
export function bodies<T extends RecordType>(entries: readonly Entry[], type: T): Extract<RecordBody, { type: T }>[] {
  return entries.flatMap((entry) =>
    entry.records.filter((body): body is Extract<RecordBody, { type: T }> => body.type === type),
  );
}

/** `kind: text` of every trigger. */
export function prompts(entries: readonly Entry[]): string[] {
  return bodies(
    entries.filter((entry) => entry.class === "trigger"),
    "user",
  ).map((body) => `${body.kind ?? "?"}: ${body.text}`);
}
