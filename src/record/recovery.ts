import { closeSync, fstatSync, fsyncSync, openSync, readSync, truncateSync, writeSync } from "node:fs";
import { DaybookError } from "../base/errors.ts";
import type { LogRecord } from "./record.ts";
import { SCHEMA_VERSION } from "./record.ts";
import { headerIn, HEADER_BYTES, type LogHeader } from "./header.ts";
import { recordPlaceOf, shapeProblem } from "./shape.ts";
import { expandShortForms } from "./short-forms.ts";
import { MAX_DEPTH, parseJson } from "../base/io/json.ts";

/** The state of an opened log and the repairs that were made. */
export interface Recovery {
  nextSeq: number;
  /** The newest readable record; null in a new log. */
  last: LogRecord | null;
  /** Bytes of an unfinished line that were moved to `<log>.torn`. */
  tornBytes: number;
  /** The last record was complete except for its newline, which was added. */
  completed: boolean;
  size: number;
}

interface TailLine {
  start: number;
  bytes: Buffer;
}

const CHUNK = 64 * 1024;
const NEWLINE = 0x0a;
const OPENING = `{"schema_version":`;

/**
 * Repairs the end of a log after a crash. Everything up to the last newline is left unchanged, whatever it contains.
 * After it, a complete record gets its newline; anything else is copied to `<log>.torn` and then truncated.
 */
export function recover(fd: number, path: string, sessionId: string): Recovery {
  const size = fstatSync(fd).size;
  const lines = linesFromEnd(fd, size);
  const tail = lines.next().value ?? { start: 0, bytes: Buffer.alloc(0) };
  const found: TailScan = { nextSeq: 0, last: null, lines: 0 };
  const expected = { path, sessionId, stated: () => headerAt(fd)?.session_id ?? sessionId };
  const whole = tail.bytes.length > 0 && inspect(tail.bytes, found, expected);
  for (const line of lines) {
    if (found.last !== null) break;
    found.lines++;
    inspect(line.bytes, found, expected);
  }
  if (found.lines > 0 && found.nextSeq === 0) throw notALog(path);
  if (whole) {
    writeSync(fd, "\n");
    fsyncSync(fd);
    return { nextSeq: found.nextSeq, last: found.last, tornBytes: 0, completed: true, size: size + 1 };
  }
  if (tail.bytes.length > 0) {
    if (found.lines === 0 && !couldBeOurs(tail.bytes)) throw notALog(path);
    moveAside(`${path}.torn`, tail.bytes);
    truncateSync(path, tail.start);
    fsyncSync(fd);
  }
  const tornBytes = tail.bytes.length;
  return { nextSeq: found.nextSeq, last: found.last, tornBytes, completed: false, size: tail.start };
}

interface TailScan {
  nextSeq: number;
  last: LogRecord | null;
  lines: number;
}

interface ExpectedLog {
  path: string;
  sessionId: string;
  /** The id that lines without one belong to: the header's. */
  stated: () => string;
}

/** Reads the `seq` and, if it is valid, the record of one line. Returns false for a line without a `seq`. */
function inspect(bytes: Buffer, found: TailScan, { path, sessionId, stated }: ExpectedLog): boolean {
  const line = objectIn(bytes);
  if (line === null) return false;
  const value = expandShortForms(line, line["session_id"] === undefined ? stated() : null);
  const place = recordPlaceOf(value);
  if (!place) return false;
  if (place.session_id !== sessionId) {
    throw new DaybookError(`the log belongs to session ${place.session_id}, not ${sessionId}`, {
      code: "invalid",
      op: "open log",
      path,
      hint: "every session has a log file of its own",
    });
  }
  if (place.schema_version !== SCHEMA_VERSION) {
    throw new DaybookError(
      `the log has schema version ${place.schema_version}; this version writes ${SCHEMA_VERSION}`,
      {
        code: "invalid",
        op: "open log",
        path,
        hint: "update Daybook before writing to this log",
      },
    );
  }
  found.nextSeq = Math.max(found.nextSeq, place.seq + 1);
  if (found.last === null && shapeProblem(value) === null) found.last = value as unknown as LogRecord;
  return true;
}

function objectIn(bytes: Buffer): Record<string, unknown> | null {
  try {
    const value = parseJson(bytes.toString("utf8"), 2 * MAX_DEPTH);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function headerAt(fd: number): LogHeader | null {
  const head = Buffer.alloc(HEADER_BYTES);
  return headerIn(head.toString("utf8", 0, readSync(fd, head, 0, head.length, 0)));
}

/** A torn first batch begins like every record, or is a hole of zeros. Any other file must not be truncated. */
function couldBeOurs(bytes: Buffer): boolean {
  const head = bytes.toString("latin1", 0, OPENING.length);
  return OPENING.startsWith(head) || bytes.every((byte) => byte === 0);
}

function notALog(path: string): DaybookError {
  return new DaybookError("the file is not a canonical session log", {
    code: "invalid",
    op: "open log",
    path,
    hint: "choose another path; Daybook does not append to files it does not know",
  });
}

/** The copy is synced before the original is truncated: a crash in between leaves two copies, never none. */
function moveAside(path: string, bytes: Buffer): void {
  const fd = openSync(path, "a", 0o600);
  try {
    const all = Buffer.concat([bytes, Buffer.from("\n")]);
    for (let done = 0; done < all.length;) done += writeSync(fd, all, done, all.length - done);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Yields the bytes after the last newline (possibly none), then each earlier line, newest first. */
function* linesFromEnd(fd: number, size: number): Generator<TailLine, undefined, undefined> {
  let pieces: Buffer[] = [];
  let at = size;
  while (at > 0) {
    const from = Math.max(0, at - CHUNK);
    const chunk = Buffer.alloc(at - from);
    for (let got = 0; got < chunk.length;) {
      const n = readSync(fd, chunk, got, chunk.length - got, from + got);
      if (n === 0) break;
      got += n;
    }
    let end = chunk.length;
    while (end > 0) {
      const newline = chunk.lastIndexOf(NEWLINE, end - 1);
      if (newline === -1) break;
      yield { start: from + newline + 1, bytes: Buffer.concat([chunk.subarray(newline + 1, end), ...pieces]) };
      pieces = [];
      end = newline;
    }
    pieces.unshift(chunk.subarray(0, end));
    at = from;
  }
  yield { start: 0, bytes: Buffer.concat(pieces) };
}
