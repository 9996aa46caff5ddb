import { mkdirSync, mkdtempSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { RecordBody, RecordType } from "../../record/record.ts";
import type { Cursor, Entry, ReadContext, SourceRef } from "../contract.ts";
import type { Native } from "../kit/native.ts";
import { readSession } from "./read.ts";

/** Test helpers: records in the format pi writes, each the child of the one before. */
export const SESSION = "01a1de0a-8447-748a-9816-148737b1b198";
export const FILE: string = `2026-11-15T07-09-53-608Z_${SESSION}.jsonl`;

export class Script {
  readonly records: Native[] = [];
  #serial = 0;
  #leaf: string | null = null;

  constructor(header: Native = {}) {
    this.records.push({ type: "session", version: 3, id: SESSION, timestamp: time(0), cwd: "/w", ...header });
  }

  /** Appends a record and returns its id. */
  add(type: string, fields: Native = {}): string {
    this.#serial += 1;
    const id = this.#serial.toString(16).padStart(8, "0");
    this.records.push({ type, id, parentId: this.#leaf, timestamp: time(this.#serial), ...fields });
    this.#leaf = id;
    return id;
  }

  user(text: string, typed: number = Date.parse(time(this.#serial + 1))): string {
    const message = { role: "user", content: [{ type: "text", text }], timestamp: typed };
    return this.add("message", { message });
  }

  /** A response of the model; `stop` if the text ends the turn. */
  says(content: string | readonly Native[], stop = "stop", fields: Native = {}): string {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    const usage = { input: 10, output: 5, cacheRead: 3, cacheWrite: 2, reasoning: 1, totalTokens: 20 };
    const message = {
      role: "assistant",
      content: blocks,
      model: "m",
      provider: "p",
      usage,
      stopReason: stop,
      ...fields,
    };
    return this.add("message", { message });
  }

  result(callId: string, text: string, fields: Native = {}): string {
    const content = [{ type: "text", text }];
    return this.add("message", {
      message: { role: "toolResult", toolCallId: callId, content, isError: false, ...fields },
    });
  }

  /** Moves to an earlier record, as `/tree` does; null is before the first. */
  back(id: string | null): void {
    this.#leaf = id;
  }
}

export function call(id: string, name = "bash", args: Native = { command: "ls" }): Native {
  return { type: "toolCall", id, name, arguments: args };
}

function time(second: number): string {
  return new Date(Date.UTC(2026, 10, 15, 7, 0, second)).toISOString();
}

export function scratch(): string {
  return mkdtempSync(join(tmpdir(), "daybook-pi-"));
}

export function refOf(path: string): SourceRef {
  const { size, mtimeMs } = statSync(path);
  return { source: "pi", path, size, mtimeMs, container: "jsonl" };
}

export function write(records: readonly unknown[], path: string = join(scratch(), FILE)): SourceRef {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, records.map((item) => `${typeof item === "string" ? item : JSON.stringify(item)}\n`).join(""));
  return refOf(path);
}

export function read(
  records: readonly unknown[],
  ctx: Partial<ReadContext> = {},
  cursor: Cursor | null = null,
): Entry[] {
  return [...readSession(write(records), cursor, { detail: "full", ...ctx })];
}

/** All canonical records of one type, in order. */
export function bodies<T extends RecordType>(entries: readonly Entry[], type: T): Extract<RecordBody, { type: T }>[] {
  return entries
    .flatMap((entry) => entry.records)
    .filter((body): body is Extract<RecordBody, { type: T }> => body.type === type);
}
