import { constants, copyFileSync, lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";
import { DaybookError } from "../errors.ts";
import { databaseFingerprint } from "./sqlite-fingerprint.ts";

const NAME = "daybook-db-";
const ATTEMPTS = 4;

/**
 * Opens a private copy of a database and its log. The copy's files are deleted as soon as it is open, so it disappears
 * with the process however that ends. A copy made while the database was written to is discarded. `fingerprint`
 * identifies the copied state.
 */
export function openCopy<T>(path: string, open: (copy: string) => T): { opened: T; fingerprint: string } {
  for (let attempt = 1; ; attempt++) {
    const fingerprint = databaseFingerprint(path) ?? "";
    const made = mkdtempSync(join(tmpdir(), `${NAME}${process.pid}-`));
    try {
      const copy = join(made, "copy.db");
      for (const suffix of ["", "-wal"]) copyFileSync(path + suffix, copy + suffix, constants.COPYFILE_FICLONE);
      if (databaseFingerprint(path) === fingerprint) return { opened: open(copy), fingerprint: fingerprint };
    } finally {
      removeDirectory(made);
    }
    if (attempt === ATTEMPTS) throw copyError(path);
  }
}

/** Some systems cannot delete an open file; then it is deleted at exit. */
function removeDirectory(dir: string): void {
  try {
    rmSync(dir, { recursive: true, force: true });
  } catch {
    process.once("exit", () => rmSync(dir, { recursive: true, force: true }));
  }
}

let isSwept = false;

/** Removes the copies of processes that were killed while they made one. */
export function removeStaleCopies(): void {
  if (isSwept || !isMainThread) return;
  isSwept = true;
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(NAME) ? Number.parseInt(name.slice(NAME.length), 10) : Number.NaN;
    if (Number.isNaN(pid) || isRunning(pid)) continue;
    const dir = join(tmpdir(), name);
    if (isOurs(dir)) rmSync(dir, { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Signalling a process of another user fails, but proves that it runs.
    return error instanceof Error && "code" in error && error.code !== "ESRCH";
  }
}

/** The temporary directory is shared: leave what belongs to other users alone. */
function isOurs(dir: string): boolean {
  const stat = lstatSync(dir, { throwIfNoEntry: false });
  return stat !== undefined && stat.isDirectory() && (process.getuid === undefined || stat.uid === process.getuid());
}

function copyError(path: string): DaybookError {
  return new DaybookError(`${path} is written to all the time and cannot be copied`, {
    code: "unreadable",
    op: "read database",
    path,
    hint: "read it again when its agent rests",
  });
}
