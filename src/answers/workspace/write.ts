import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DaybookError } from "../../base/errors.ts";
import { acquireLock, type FileLock } from "../../record/write-lock.ts";
import { isUnwritable, syncDirectory, UnwritableError } from "../../base/io/disk.ts";
import { moveOver } from "../../base/io/move-over.ts";

/**
 * Builds a folder under a temporary name and swaps it in at the end. Whatever happens in between, the target is either
 * the complete old folder or the complete new one; the next call cleans up what a crash left behind.
 */
export function replaceFolder<T>(target: string, build: (folder: string) => T): T {
  const parent = dirname(target);
  makeFolder(parent);
  const aside = (what: string): string => join(parent, `.${basename(target)}.daybook-${what}`);
  const [fresh, old] = [aside("new"), aside("old")];
  const lock = lockFor(aside("lock"), target);
  try {
    recover(target, old, fresh);
    mkdirSync(fresh, { mode: 0o700 });
    let built: T;
    try {
      built = build(fresh);
    } catch (error) {
      rmSync(fresh, { recursive: true, force: true });
      throw error;
    }
    swap(target, fresh, old);
    syncDirectory(parent);
    return built;
  } finally {
    lock.release();
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw isUnwritable(error) ? new UnwritableError(path, error) : error;
  }
}

/** While we hold the lock nobody else is writing, so all temporary folders are from a run that died. */
function recover(target: string, old: string, fresh: string): void {
  if (existsSync(old) && !existsSync(target)) moveOver(old, target);
  for (const left of [old, fresh]) rmSync(left, { recursive: true, force: true });
}

function swap(target: string, fresh: string, old: string): void {
  const replaces = existsSync(target);
  if (replaces) moveOver(target, old);
  try {
    moveOver(fresh, target);
  } catch (error) {
    if (replaces) moveOver(old, target);
    rmSync(fresh, { recursive: true, force: true });
    throw error;
  }
  if (replaces) rmSync(old, { recursive: true, force: true });
}

function lockFor(path: string, target: string): FileLock {
  try {
    return acquireLock(path);
  } catch (cause) {
    // Where no lock can be created, nobody else is writing.
    if (cause instanceof UnwritableError) throw new UnwritableError(dirname(path), cause);
    if (!(cause instanceof DaybookError)) throw cause;
    throw new DaybookError(`another daybook is writing ${target}`, {
      code: "unreadable",
      op: "write workspace",
      path: target,
      ...(cause.hint === null ? {} : { hint: cause.hint }),
      cause,
    });
  }
}

/** Writes a small file atomically. */
export function writeAtomic(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fresh = `${path}.${process.pid}.new`;
  writeText(fresh, text);
  moveOver(fresh, path);
  syncDirectory(dirname(path));
}

/**
 * Removes temporary files left by a writer that was killed before the rename. Call it only while nobody else is
 * writing.
 */
export function clearUnfinished(folders: readonly string[]): void {
  for (const folder of folders)
    for (const name of existsSync(folder) ? readdirSync(folder) : [])
      if (/\.\d+\.new$/.test(name)) rmSync(join(folder, name), { force: true });
}

export function writeText(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, text, { mode: 0o600, flush: true });
}

export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
