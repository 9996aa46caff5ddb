import { closeSync, readSync } from "node:fs";
import { zonedTime } from "../../base/io/instant.ts";
import { parseJson } from "../../base/io/json.ts";
import { openFile } from "../../base/io/regular-file.ts";
import type { FileTimes, SourceRef } from "../contract.ts";
import { obj, type Native } from "./native.ts";

/** Whether a file is a session of the agent in question. */
export type SniffResult = "yes" | "no" | "unreadable";

const SNIFFED_BYTES = 64 * 1024;
const SQLITE = "SQLite format 3\0";

/** The first bytes of a file as text; null when it cannot be opened. */
export function headOf(path: string, length: number = SNIFFED_BYTES): string | null {
  try {
    const file = openFile(path);
    try {
      const buffer = Buffer.alloc(length);
      return buffer.toString("utf8", 0, readSync(file, buffer, 0, length, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}

/**
 * Checks the records at the head of a file until `judge` can tell whether the file belongs to the agent; it returns
 * null if a record does not tell. `otherwise` judges a head without such a record, for example the beginning of one
 * huge line.
 */
export function sniff(
  path: string,
  judge: (record: Native) => boolean | null,
  otherwise: (head: string) => boolean,
): SniffResult {
  const head = headOf(path);
  if (head === null) return "unreadable";
  for (const line of head.replace(/^\uFEFF/, "").split("\n")) {
    const record = parseRecord(line);
    const found = record && judge(record);
    if (found !== null) return found ? "yes" : "no";
  }
  return otherwise(head) ? "yes" : "no";
}

/** The object on a line; null when there is none. */
export function parseRecord(line: string): Native | null {
  try {
    return obj(parseJson(line));
  } catch {
    return null;
  }
}

export function isSqlite(path: string): boolean {
  return headOf(path, SQLITE.length) === SQLITE;
}

/** The header is the first line and states its time near its beginning. */
const HEAD_BYTES = 16 * 1024;
/** Initial size of the tail; it grows while no whole line with a time fits into it. */
const TAIL_BYTES = 32 * 1024;
const MOST_TAIL_BYTES = 8 * 1024 * 1024;
const TIME = /(?<!\\)"timestamp": ?"(\d{4}-\d\d-\d\d[T ][^"\\]{1,30})"/g;

/**
 * When the first and the last line of an append-only file were written, read from the two ends of the file. Other times
 * found in those parts can only widen the span, never narrow it.
 */
export function fileTimes(ref: SourceRef): FileTimes | null {
  if (ref.container !== "jsonl" || ref.size === 0) return null;
  let fd: number;
  try {
    fd = openFile(ref.path);
  } catch {
    // The reader reports the error.
    return null;
  }
  try {
    const last = lastOf(fd, ref.size);
    const first = timesIn(bytesAt(fd, 0, Math.min(HEAD_BYTES, ref.size))).reduce((a, b) => Math.min(a, b), Infinity);
    if (last === null) return null;
    // The header may extend beyond the part that was read: the start is unknown then.
    return { first: first === Infinity ? -Infinity : Math.min(first, last), last };
  } finally {
    closeSync(fd);
  }
}

/** The latest time in the last lines; null when they state none. */
function lastOf(fd: number, size: number): number | null {
  for (let wanted = TAIL_BYTES; ; wanted *= 4) {
    const from = Math.max(0, size - wanted);
    const text = bytesAt(fd, from, size - from);
    // Some agents write the time at the start of a line, some at its end: only whole lines are reliable.
    const whole = from === 0 ? text : text.slice(text.indexOf("\n") + 1 || text.length);
    const times = timesIn(whole);
    if (times.length > 0) return times.reduce((a, b) => Math.max(a, b));
    if (from === 0 || wanted >= MOST_TAIL_BYTES) return null;
  }
}

function timesIn(text: string): number[] {
  return [...text.matchAll(TIME)].map(([, time]) => zonedTime(time)).filter((time) => time !== null);
}

/** Decoded as Latin-1: the pattern is pure ASCII. */
function bytesAt(fd: number, from: number, length: number): string {
  const into = Buffer.allocUnsafe(length);
  return into.toString("latin1", 0, readSync(fd, into, 0, length, from));
}
