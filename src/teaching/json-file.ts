import { existsSync, mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DaybookError } from "../errors.ts";
import { acquireLock, LockedError, type FileLock } from "../format/write-lock.ts";
import { parseJson } from "../io/json.ts";
import { readText } from "../io/regular-file.ts";

export type JsonObject = Record<string, unknown>;

/** An object in a file of its own. A file that is no such thing is named, never taken for an empty one. */
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
    ...{ code: "invalid", op: "read decisions", path, cause },
    hint: "nothing was changed; mend the file or move it away",
  });
}

/** Whole or not at all, while nobody else of ours writes it. What is not touched by `change` stays as it was. */
export function changeJsonFile(path: string, change: (value: JsonObject) => void): void {
  whileLocked(path, () => {
    const value = readJsonFile(path) ?? {};
    change(value);
    replaceFile(path, `${JSON.stringify(value, null, 2)}\n`);
  });
}

export function replaceFile(path: string, text: string): void {
  // A link stays one.
  const file = existsSync(path) ? realpathSync(path) : path;
  const fresh = `${file}.${process.pid}.new`;
  try {
    writeFileSync(fresh, text, { mode: 0o600 });
    renameSync(fresh, file);
  } finally {
    rmSync(fresh, { force: true });
  }
}

/** In ms: others hold it for as long as it takes to write a small file. */
const PATIENCE = 2000;
const PAUSE = 20;

export function whileLocked<T>(path: string, work: () => T): T {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const lock = lockOf(`${path}.lock`);
  try {
    return work();
  } finally {
    lock.release();
  }
}

function lockOf(path: string): FileLock {
  for (let waited = 0; ; waited += PAUSE) {
    try {
      return acquireLock(path);
    } catch (error) {
      if (!(error instanceof LockedError) || waited >= PATIENCE) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
    }
  }
}
