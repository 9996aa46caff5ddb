import { createHash } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { DaybookError } from "../../base/errors.ts";
import { openPlain, openZstd, type ByteStream } from "../../base/io/bytes.ts";
import { logRecords } from "../../book/reading/records.ts";
import { isCopiedVerbatim, type PlannedCopy } from "./layout.ts";

export interface CopyResult {
  /** Null for a session inside a store, which it shares with others. */
  source_sha256: string | null;
  workspace_sha256: string;
  lines: number;
  /** Maps native lines to lines of the copy; null when they are the same. */
  span: ((start: number, end: number) => [number, number]) | null;
}

const CHUNK = 1024 * 1024;
const NEWLINE = 0x0a;

/** Copies one session file into the workspace. The source is opened for reading only. */
export function copySession(copy: PlannedCopy, to: string): CopyResult {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  if (!isCopiedVerbatim(copy.part)) return writeLog(copy, to);
  const { path, ref } = copy.part;
  const packed = ref.container === "jsonl.zst";
  const { sha256, lines } = copyBytes(openSource(path, packed), to);
  return { source_sha256: packed ? hashFile(path) : sha256, workspace_sha256: sha256, lines, span: null };
}

function openSource(path: string, packed: boolean): ByteStream {
  try {
    return packed ? openZstd(path, 0) : openPlain(path, 0);
  } catch (cause) {
    throw new DaybookError(`${path} was there a moment ago and cannot be read now`, {
      code: "unreadable",
      op: "copy session",
      path,
      hint: "nothing was changed; try again",
      cause,
    });
  }
}

/** Copies the bytes unchanged, and counts lines and hashes on the way. */
function copyBytes(stream: ByteStream, to: string): { sha256: string; lines: number } {
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(CHUNK);
  let lines = 0;
  let last = NEWLINE;
  try {
    const fd = openSync(to, "wx", 0o600);
    try {
      for (let got = stream.read(buffer, 0); got > 0; got = stream.read(buffer, 0)) {
        const bytes = buffer.subarray(0, got);
        hash.update(bytes);
        for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
        last = bytes[got - 1] ?? NEWLINE;
        writeAll(fd, bytes);
      }
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } finally {
    stream.close();
  }
  return { sha256: hash.digest("hex"), lines: lines + (last === NEWLINE ? 0 : 1) };
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
}

/** A store has no lines to copy: its records are written as a log, and line spans refer to the log. */
function writeLog({ session, part }: PlannedCopy, to: string): CopyResult {
  const hash = createHash("sha256");
  const origins: number[] = [];
  const fd = openSync(to, "wx", 0o600);
  try {
    for (const record of logRecords({ ...session, parts: [part] })) {
      const bytes = Buffer.from(`${JSON.stringify(record)}\n`);
      hash.update(bytes);
      origins.push(record.origin.line ?? record.origin.row ?? 0);
      writeAll(fd, bytes);
    }
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  const span = (start: number, end: number): [number, number] => {
    const first = origins.findIndex((line) => line >= start && line <= end);
    const last = origins.findLastIndex((line) => line >= start && line <= end);
    return [Math.max(0, first) + 1, Math.max(0, last) + 1];
  };
  return { source_sha256: null, workspace_sha256: hash.digest("hex"), lines: origins.length, span };
}

export function hashFile(path: string): string {
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(CHUNK);
  const stream = openPlain(path, 0);
  try {
    for (let got = stream.read(buffer, 0); got > 0; got = stream.read(buffer, 0)) hash.update(buffer.subarray(0, got));
  } finally {
    stream.close();
  }
  return hash.digest("hex");
}
