import { mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Cursor, Entry, ReadContext, SourceRef } from "../source.ts";
import type { Native } from "../shared/native.ts";
import { readSession } from "./read.ts";

/** Helpers for this folder's tests: genuine files, and sessions made of records in the shape the agent writes. */
export const SESSION = "11111111-2222-4333-8444-555555555555";
export const CORPUS: string = fileURLToPath(new URL("../../../test/fixtures/corpus/copilot-1.0.102/", import.meta.url));

let serial = 0;

export function uuid(): string {
  serial += 1;
  return `00000000-0000-4000-8000-${serial.toString(16).padStart(12, "0")}`;
}

export function clock(): string {
  return new Date(Date.UTC(2026, 4, 12, 8, 0, serial % 3600)).toISOString();
}

export function event(type: string, data: Native = {}, fields: Native = {}): Native {
  return { type, data, id: uuid(), timestamp: clock(), parentId: null, ...fields };
}

export function start(data: Native = {}): Native {
  return event("session.start", { sessionId: SESSION, copilotVersion: "1.0.0", context: { cwd: "/w" }, ...data });
}

export function user(content: string, data: Native = {}, fields: Native = {}): Native {
  return event("user.message", { content, ...data }, fields);
}

export function message(content: string, data: Native = {}, fields: Native = {}): Native {
  return event("assistant.message", { messageId: uuid(), content, toolRequests: [], ...data }, fields);
}

export function complete(toolCallId: string, data: Native): Native {
  return event("tool.execution_complete", { toolCallId, success: true, ...data });
}

export function scratch(): string {
  return mkdtempSync(join(tmpdir(), "daybook-copilot-"));
}

export function refOf(path: string): SourceRef {
  const { size, mtimeMs } = statSync(path);
  const container = path.endsWith(".json") ? "json" : "jsonl";
  return { source: "copilot", path, size, mtimeMs, container };
}

export function writeSession(
  records: readonly unknown[],
  path: string = join(scratch(), SESSION, "events.jsonl"),
): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, records.map((item) => `${typeof item === "string" ? item : JSON.stringify(item)}\n`).join(""));
  return path;
}

export function readPath(path: string, ctx: Partial<ReadContext> = {}, cursor: Cursor | null = null): Entry[] {
  return [...readSession(refOf(path), cursor, { detail: "full", ...ctx })];
}

export function read(records: readonly unknown[], ctx: Partial<ReadContext> = {}): Entry[] {
  return readPath(writeSession(records), ctx);
}

/** Every genuine session file. */
export function corpusFiles(directory: string = CORPUS): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    return entry.isDirectory() ? corpusFiles(path) : entry.name.endsWith(".jsonl") ? [path] : [];
  });
}

/** The genuine file whose path holds these letters. */
export function corpusFile(part: string): string {
  return corpusFiles().find((path) => path.includes(part)) ?? "";
}

/** Entries with the cursor after each. */
export function readWithCursors(path: string): { entries: Entry[]; cursors: Cursor[] } {
  const reading = readSession(refOf(path), null, { detail: "full" });
  const entries: Entry[] = [];
  const cursors: Cursor[] = [];
  for (const entry of reading) {
    entries.push(entry);
    cursors.push(JSON.parse(JSON.stringify(reading.cursor())) as Cursor);
  }
  return { entries, cursors };
}

export { bodies, classes, prompts, reasons, settlements, shapeOf, workedIn } from "../shared/testing.ts";
