import { createHash } from "node:crypto";
import { constants, copyFileSync, existsSync, lstatSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";
import { DaybookError } from "../errors.ts";
import { databasePrint } from "./sqlite-print.ts";

const NAME = "daybook-db-";
const COPIES = `${NAME}${process.pid}-`;
const ATTEMPTS = 4;

/**
 * A private copy of a database and its log. One for all who read the database in this process, in whichever thread, until it
 * changes: it has many sessions, and each is opened by itself.
 */
export function copyOf(path: string): string {
  for (let attempt = 1; ; attempt++) {
    const print = databasePrint(path) ?? "";
    const dir = join(tmpdir(), `${COPIES}${digest(path)}-${digest(print)}`);
    if (!existsSync(dir)) {
      removeCopies(`${COPIES}${digest(path)}-`);
      makeCopy(path, print, dir);
    }
    if (existsSync(dir)) {
      if (!isOurs(dir)) throw foreignCopy(dir);
      return join(dir, "copy.db");
    }
    if (attempt === ATTEMPTS) throw unsteady(path);
  }
}

/** Made under another name, so that no thread opens half a copy; none is made of a database that was written to meanwhile. */
function makeCopy(path: string, print: string, dir: string): void {
  // The main thread looks for sessions first, and outlives the others.
  if (isMainThread && !isTidied) process.once("exit", () => removeCopies(COPIES));
  isTidied = true;
  const made = mkdtempSync(join(tmpdir(), COPIES));
  try {
    for (const suffix of ["", "-wal"])
      copyFileSync(path + suffix, join(made, `copy.db${suffix}`), constants.COPYFILE_FICLONE);
    if (databasePrint(path) === print) renameSync(made, dir);
    else rmSync(made, { recursive: true, force: true });
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    // Another thread was faster.
    if (!existsSync(dir)) throw error;
  }
}

let isTidied = false;
let isSwept = false;

/** Whoever is killed cannot tidy up: those who come later do. */
export function removeForgottenCopies(): void {
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
    // One that runs for another user may not be asked.
    return error instanceof Error && "code" in error && error.code !== "ESRCH";
  }
}

/** The name can be guessed, and everybody writes to this directory: what another user put there is not read. */
function isOurs(dir: string): boolean {
  const stat = lstatSync(dir, { throwIfNoEntry: false });
  return stat !== undefined && stat.isDirectory() && (process.getuid === undefined || stat.uid === process.getuid());
}

function foreignCopy(dir: string): DaybookError {
  return new DaybookError("the copy of a database was put there by somebody else", {
    code: "unreadable",
    op: "read database",
    path: dir,
    hint: "remove it, or ask whose it is",
  });
}

function unsteady(path: string): DaybookError {
  return new DaybookError(`${path} is written to all the time and cannot be copied`, {
    code: "unreadable",
    op: "read database",
    path,
    hint: "read it again when its agent rests",
  });
}

function removeCopies(prefix: string): void {
  for (const name of readdirSync(tmpdir()))
    if (name.startsWith(prefix)) rmSync(join(tmpdir(), name), { recursive: true, force: true });
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
