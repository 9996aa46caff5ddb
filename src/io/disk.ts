import { closeSync, fsyncSync, openSync, statfsSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { DaybookError } from "../errors.ts";

/** No room, a quota that is used up, or a limit for files. */
const FULL: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const UNWRITABLE: ReadonlySet<unknown> = new Set(["EROFS", "EACCES", "EPERM"]);

/** A disk has no room for what is to be kept. */
export class DiskFullError extends DaybookError {
  readonly bytes: number | null;

  constructor(path: string, bytes: number | null, cause?: unknown) {
    const free = freeAt(path);
    super(`disk full: no room for ${bytes === null ? "more" : `${bytes} bytes`} in ${path}`, {
      ...{ code: "unreadable", op: "write book", path, cause, everywhere: true },
      hint: `${free === null ? "" : `${free} bytes are free; `}make room, or keep the book elsewhere: --home DIR`,
    });
    this.bytes = bytes;
  }
}

/** A place that can only be read. */
export class UnwritableError extends DaybookError {
  constructor(path: string, cause: unknown) {
    super(`${path} cannot be written`, {
      ...{ code: "unreadable", op: "write book", path, cause, everywhere: true },
      hint: "check whose it is, or keep the book elsewhere: --home DIR",
    });
  }
}

/** Null when the error says something else. */
export function diskFull(error: unknown, path: string, bytes: number | null): DiskFullError | null {
  return FULL.has(codeOf(error)) ? new DiskFullError(path, bytes, error) : null;
}

export function isUnwritable(error: unknown): boolean {
  return UNWRITABLE.has(codeOf(error));
}

/** A disk that fills up takes the first part of a write and says so only by the number. */
export function writeAll(fd: number, bytes: Buffer, path: string): void {
  for (let done = 0; done < bytes.length;) {
    try {
      done += writeSync(fd, bytes, done);
    } catch (error) {
      throw diskFull(error, path, bytes.length - done) ?? error;
    }
  }
}

/** What the system says of a disk, as we say it; null when it says something else. */
export function ofDisk(error: unknown): DaybookError | null {
  const path = error instanceof Error && "path" in error ? String(error.path) : "what is written";
  return codeOf(error) === "EROFS" ? new UnwritableError(path, error) : diskFull(error, path, null);
}

/** Does work that writes so many bytes to a file. */
export function keeping<T>(path: string, bytes: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw diskFull(error, path, bytes) ?? error;
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

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/** Makes the name of a new file, or a rename, durable. Not every system can open a directory; there is nothing else to do then. */
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
