import { closeSync, fsyncSync, openSync, statfsSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf, DaybookError } from "../errors.ts";

/** No space left, quota exceeded, or file size limit reached. */
const FULL: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const UNWRITABLE: ReadonlySet<unknown> = new Set(["EROFS", "EACCES", "EPERM"]);

/** The disk has no room for the data to be written. */
export class DiskFullError extends DaybookError {
  readonly bytes: number | null;

  constructor(path: string, bytes: number | null, cause?: unknown) {
    const free = freeAt(path);
    super(`disk full: no room for ${bytes === null ? "more" : `${bytes} bytes`} in ${path}`, {
      code: "unreadable",
      op: "write book",
      path,
      cause,
      everywhere: true,
      hint: `${free === null ? "" : `${free} bytes are free; `}make room, or keep the book elsewhere: --home DIR`,
    });
    this.bytes = bytes;
  }
}

/** The path is read-only. */
export class UnwritableError extends DaybookError {
  constructor(path: string, cause: unknown) {
    super(`${path} cannot be written`, {
      code: "unreadable",
      op: "write book",
      path,
      cause,
      everywhere: true,
      hint: "check whose it is, or keep the book elsewhere: --home DIR",
    });
  }
}

/** Null for any other error. */
export function toDiskFullError(error: unknown, path: string, bytes: number | null): DiskFullError | null {
  return FULL.has(codeOf(error)) ? new DiskFullError(path, bytes, error) : null;
}

export function isUnwritable(error: unknown): boolean {
  return UNWRITABLE.has(codeOf(error));
}

/** Writes all bytes. A disk that fills up may accept only part of a write and report it only in the returned count. */
export function writeAll(fd: number, bytes: Buffer, path: string): void {
  for (let done = 0; done < bytes.length;) {
    try {
      done += writeSync(fd, bytes, done);
    } catch (error) {
      throw toDiskFullError(error, path, bytes.length - done) ?? error;
    }
  }
}

/** Turns a system error about the disk into a `DaybookError`; null for any other error. */
export function toDiskError(error: unknown): DaybookError | null {
  const path = error instanceof Error && "path" in error ? String(error.path) : "what is written";
  return codeOf(error) === "EROFS" ? new UnwritableError(path, error) : toDiskFullError(error, path, null);
}

/** Runs `work`, which writes about `bytes` to a file, and reports a full disk as `DiskFullError`. */
export function reportDiskFull<T>(path: string, bytes: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toDiskFullError(error, path, bytes) ?? error;
  }
}

function freeAt(path: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize;
  } catch {
    return null;
  }
}

/** Makes the creation or renaming of a file durable. Does nothing on systems that cannot open a directory. */
export function syncDirectory(path: string): void {
  try {
    const fd = openSync(path, "r");
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch {
    return;
  }
}
