import { closeSync, readSync } from "node:fs";
import { zonedTime } from "../../io/instant.ts";
import { openFile } from "../../io/regular-file.ts";
import type { FileTimes, SourceRef } from "../contract.ts";

/** A header comes first, and has its time at its beginning. */
const HEAD = 16 * 1024;
/** Most lines are shorter; where the last one is longer, more is looked at. */
const END = 32 * 1024;
const MOST = 8 * 1024 * 1024;
const TIME = /(?<!\\)"timestamp": ?"(\d{4}-\d\d-\d\d[T ][^"\\]{1,30})"/g;

/**
 * When the first and the last line of a file were written to which an agent only ever appends, from its two ends. Other times that
 * stand in those lines make the span wider, never narrower.
 */
export function fileTimes(ref: SourceRef): FileTimes | null {
  if (ref.container !== "jsonl" || ref.size === 0) return null;
  let fd: number;
  try {
    fd = openFile(ref.path);
  } catch {
    // Whoever reads it says so.
    return null;
  }
  try {
    const last = lastOf(fd, ref.size);
    const first = timesIn(bytesAt(fd, 0, Math.min(HEAD, ref.size))).reduce((a, b) => Math.min(a, b), Infinity);
    if (last === null) return null;
    // Headers may go on beyond what was looked at: then it may have begun at any time.
    return { first: first === Infinity ? -Infinity : Math.min(first, last), last };
  } finally {
    closeSync(fd);
  }
}

/** Null where the last lines have no time. */
function lastOf(fd: number, size: number): number | null {
  for (let wanted = END; ; wanted *= 4) {
    const from = Math.max(0, size - wanted);
    const text = bytesAt(fd, from, size - from);
    // Some agents write the time at the head of a line, some at its end: only whole lines tell.
    const whole = from === 0 ? text : text.slice(text.indexOf("\n") + 1 || text.length);
    const times = timesIn(whole);
    if (times.length > 0) return times.reduce((a, b) => Math.max(a, b));
    if (from === 0 || wanted >= MOST) return null;
  }
}

function timesIn(text: string): number[] {
  return [...text.matchAll(TIME)].map(([, time]) => zonedTime(time)).filter((time) => time !== null);
}

/** Only ASCII is looked for. */
function bytesAt(fd: number, from: number, length: number): string {
  const into = Buffer.allocUnsafe(length);
  return into.toString("latin1", 0, readSync(fd, into, 0, length, from));
}
