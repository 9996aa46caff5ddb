import { existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DaybookError } from "../base/errors.ts";
import { acquireLock, LockedError, type FileLock } from "../record/write-lock.ts";
import { parseJson } from "../base/io/json.ts";
import { readText } from "../base/io/regular-file.ts";
import { moveOver } from "../base/io/move-over.ts";

export type JsonObject = Record<string, unknown>;

/** Reads a JSON object; null when there is no file. An invalid file is an error, never taken for an empty one. */
export function readJsonFile(path: string): JsonObject | null {
  if (!existsSync(path)) return null;
  let value: unknown;
  try {
    value = parseJson(readText(path));
  } catch (cause) {
    throw broken(path, cause);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw broken(path, null);
  return value as JsonObject;
}

function broken(path: string, cause: unknown): DaybookError {
  return new DaybookError(`${path} is not the JSON it should be`, {
    code: "invalid",
    op: "read decisions",
    path,
    cause,
    hint: "nothing was changed; mend the file or move it away",
  });
}

/** Changes a JSON file atomically, under a lock. Fields that `change` does not touch are kept. */
export function changeJsonFile(path: string, change: (value: JsonObject) => void): void {
  withLock(path, () => {
    const value = readJsonFile(path) ?? {};
    change(value);
    replaceFile(path, `${JSON.stringify(value, null, 2)}\n`);
  });
}

export function replaceFile(path: string, text: string): void {
  // A symbolic link stays a link.
  const file = existsSync(path) ? realpathSync(path) : path;
  const fresh = `${file}.${process.pid}.new`;
  try {
    writeFileSync(fresh, text, { mode: 0o600 });
    moveOver(fresh, file);
  } finally {
    rmSync(fresh, { force: true });
  }
}

/** How long to wait for the lock, in ms: others hold it only while they write a small file. */
const LOCK_TIMEOUT_MS = 2000;
const LOCK_RETRY_MS = 20;

export function withLock<T>(path: string, work: () => T): T {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const lock = lockOf(`${path}.lock`);
  try {
    return work();
  } finally {
    lock.release();
  }
}

function lockOf(path: string): FileLock {
  for (let waited = 0; ; waited += LOCK_RETRY_MS) {
    try {
      return acquireLock(path);
    } catch (error) {
      if (!(error instanceof LockedError) || waited >= LOCK_TIMEOUT_MS) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_RETRY_MS);
    }
  }
}
