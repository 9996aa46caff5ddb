import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { appendLine } from "../base/io/append-line.ts";
import { parseJson } from "../base/io/json.ts";

/** Bytes at the end of a log that are searched for lines already written. */
const TAIL = 256 << 10;

/**
 * Appends lines that were captured live, unless they are there already. Lines are identified by call and question, so
 * that a call with two questions has two lines, and a second program that captures the same call adds none.
 */
export function appendCaptured(path: string, lines: readonly Readonly<Record<string, unknown>>[]): void {
  if (lines.length === 0) return;
  const there = countCalls(tailOf(path));
  const seen = new Map<string, number>();
  for (const line of lines) {
    const key = callOf(line);
    if (key !== null) {
      const before = seen.get(key) ?? 0;
      seen.set(key, before + 1);
      if (before < (there.get(key) ?? 0)) continue;
    }
    appendLine(path, line);
  }
}

function callOf({ tool_use_id: call, question_id: id }: Readonly<Record<string, unknown>>): string | null {
  return typeof call === "string" && call !== "" && typeof id === "string" ? `${call} ${id}` : null;
}

function countCalls(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of text.split("\n")) {
    if (!line.includes("tool_use_id")) continue;
    try {
      const key = callOf(parseJson(line) as Record<string, unknown>);
      if (key !== null) counts.set(key, (counts.get(key) ?? 0) + 1);
    } catch {
      // The first line of the tail may be incomplete.
    }
  }
  return counts;
}

function tailOf(path: string): string {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return "";
  }
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, TAIL));
    return bytes.toString("utf8", 0, readSync(file, bytes, 0, bytes.length, size - bytes.length));
  } finally {
    closeSync(file);
  }
}
