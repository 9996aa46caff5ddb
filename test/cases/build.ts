import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import { Daybook } from "../../src/answers/daybook.ts";
import type { TurnView } from "../../src/views/turn-view.ts";

/** Helpers of the numbered cases: one function per kind of native line, files made of lines, a Daybook over files. */
export type Line = Readonly<Record<string, unknown>>;
/** A string is written unchanged, so that a file can contain malformed lines. */
export type Lines = readonly (Line | string)[];
type Fields = Readonly<Record<string, unknown>>;

/** "Same timestamp inside the day 2026-05-12 UTC, now = 2026-05-13", unless a case says otherwise. */
export const TIME = "2026-05-12T08:00:00.000Z";
export const NOW: number = Date.parse("2026-05-13T12:00:00Z");

/** The same line at another time; `null` leaves the timestamp out. */
export function at(time: string | null, line: Line): Line {
  const { timestamp: _, ...rest } = line;
  return time === null ? rest : { timestamp: time, ...rest };
}

// Codex

export function codexLine(type: string, payload: unknown): Line {
  return { timestamp: TIME, type, payload };
}

export function event(type: string, payload: Fields = {}): Line {
  return codexLine("event_msg", { type, ...payload });
}

export function item(payload: Fields): Line {
  return codexLine("response_item", payload);
}

export function M(id: string | null, more: Fields = {}): Line {
  return codexLine("session_meta", { ...(id === null ? {} : { id }), cwd: "/nowhere/app", source: "cli", ...more });
}

export function TC(more: Fields = {}): Line {
  return codexLine("turn_context", { model: "gpt-5.1-codex", approval_policy: "on-request", ...more });
}

export function TS(turn?: string): Line {
  return event("task_started", turn === undefined ? {} : { turn_id: turn });
}

export function TD(turn?: string): Line {
  return event("task_complete", turn === undefined ? {} : { turn_id: turn });
}

export function DEV(text = "be brief"): Line {
  return item({ type: "message", role: "developer", content: [{ type: "input_text", text }] });
}

/** Strings become text items; anything else is put into the content unchanged. */
export function R(...content: unknown[]): Line {
  const items = content.map((part) => (typeof part === "string" ? { type: "input_text", text: part } : part));
  return RAW(items);
}

/** A user message with this content, unchanged. */
export function RAW(content: unknown, more: Fields = {}): Line {
  return item({ type: "message", role: "user", content, ...more });
}

export function E(message: string, more: Fields = {}): Line {
  return event("user_message", { message, ...more });
}

export function A(text: string): Line {
  return item({ type: "message", role: "assistant", content: [{ type: "output_text", text }] });
}

export function EA(message: string): Line {
  return event("agent_message", { message });
}

/** `item_completed` with an item of this type. */
export function ITEM(type: string, more: Fields = {}): Line {
  return event("item_completed", { item: { type, ...more } });
}

function count(n: number): Fields {
  return { output_tokens: n, total_tokens: n };
}

/** Output tokens: running total and last response; `null` leaves the field out. */
export function U(total: number, last: number | null): Line {
  const info = { total_token_usage: count(total), ...(last === null ? {} : { last_token_usage: count(last) }) };
  return event("token_count", { info });
}

export function CALL(id: string | null, name: string, args: unknown = {}): Line {
  const call = id === null ? {} : { call_id: id };
  return item({
    type: "function_call",
    name,
    arguments: typeof args === "string" ? args : JSON.stringify(args),
    ...call,
  });
}

export function OUT(id: string | null, output: unknown): Line {
  const text = typeof output === "string" ? output : JSON.stringify(output);
  return item({ type: "function_call_output", output: text, ...(id === null ? {} : { call_id: id }) });
}

export const ENV = "<environment_context>\n  <cwd>/nowhere/app</cwd>\n</environment_context>";

// Claude Code

let serial = 0;

export function claudeLine(type: string, fields: Fields = {}): Line {
  serial += 1;
  const uuid = `00000000-0000-4000-8000-${serial.toString(16).padStart(12, "0")}`;
  return { type, uuid, timestamp: TIME, cwd: "/nowhere/app", ...fields };
}

export function CU(content: unknown, flags: Fields = {}): Line {
  return claudeLine("user", { message: { role: "user", content }, ...flags });
}

export interface Reply {
  id?: string | null;
  output?: number | null;
  stop?: string | null;
}

export function CA(content: string | readonly Fields[], reply: Reply = {}, flags: Fields = {}): Line {
  const { id = `msg_${serial + 1}`, output = null, stop = null } = reply;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const message = {
    ...(id === null ? {} : { id }),
    role: "assistant",
    model: "claude-sonnet-4-5",
    content: blocks,
    stop_reason: stop,
    ...(output === null ? {} : { usage: { input_tokens: 0, output_tokens: output } }),
  };
  return claudeLine("assistant", { message, ...flags });
}

export function toolUse(id: string, name: string, input: Fields = {}): Fields {
  return { type: "tool_use", id, name, input };
}

/** A user record that holds only a tool result. */
export function CT(call: string, content: unknown = "done", flags: Fields = {}, result: Fields = {}): Line {
  return CU([{ type: "tool_result", tool_use_id: call, content, ...result }], flags);
}

// Files and books

const folders: string[] = [];

afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "daybook-cases-"));
  folders.push(path);
  return path;
}

export function write(path: string, lines: Lines): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
  return path;
}

/** File name to lines, per source. */
export interface Files {
  codex?: Readonly<Record<string, Lines>>;
  claude?: Readonly<Record<string, Lines>>;
}

export interface Book extends Daybook {
  /** The directory of each source's files. */
  readonly root: { codex: string; claude: string };
}

export function open(files: Files, options: { timezone?: string } = {}): Book {
  const dir = folder();
  const root = { codex: join(dir, "codex"), claude: join(dir, "claude") };
  for (const source of ["codex", "claude"] as const) {
    mkdirSync(root[source]);
    for (const [name, lines] of Object.entries(files[source] ?? {})) write(join(root[source], name), lines);
  }
  const book = new Daybook({
    roots: { codex: [root.codex], "claude-code": [root.claude] },
    timezone: options.timezone ?? "UTC",
    env: {},
    home: "/nowhere",
    now: NOW,
  });
  return Object.assign(book, { root });
}

/** A book of one Codex file, `rollout-case.jsonl`: its session id is `rollout-case` unless a header names it. */
export function codex(...lines: Lines): Book {
  return open({ codex: { "rollout-case.jsonl": lines } });
}

/** A book of one Claude Code file, `case.jsonl`. */
export function claude(...lines: Lines): Book {
  return open({ claude: { "case.jsonl": lines } });
}

export type Span = [start: number, end: number];

export function spansOf(turns: readonly TurnView[]): Span[] {
  return turns.map((turn) => [turn.start_line ?? 0, turn.end_line ?? 0]);
}

export async function spans(book: Daybook, session?: string): Promise<Span[]> {
  return spansOf(await book.turns({ session }));
}

export async function starts(book: Daybook): Promise<number[]> {
  return (await book.turns()).map((turn) => turn.start_line ?? 0);
}

/** `class` of every line of the one session in the book, by `explain`. */
export async function classes(book: Daybook, lines: number, session = "case"): Promise<string[]> {
  const out: string[] = [];
  for (let line = 1; line <= lines; line++) {
    const [explained] = await book.explain(`${session}:${line}`);
    out.push(explained?.class ?? "none");
  }
  return out;
}

/** The only element of a list; a case that expects one thing must not find two. */
export function only<T>(list: readonly T[]): T {
  const [first] = list;
  if (list.length !== 1 || first === undefined) throw new Error(`expected one element, found ${list.length}`);
  return first;
}
