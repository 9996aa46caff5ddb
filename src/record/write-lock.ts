import { randomUUID } from "node:crypto";
import { closeSync, linkSync, openSync, readFileSync, statSync, unlinkSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { codeOf, DaybookError } from "../base/errors.ts";
import { toDiskFullError, isUnwritable, UnwritableError } from "../base/io/disk.ts";

/** A lock held until it is released or its process ends. */
export interface FileLock {
  release(): void;
  /**
   * Signals that the holder is still alive. A timer does this too, but not while long synchronous work blocks it.
   * Throws when another process has taken the lock in the meantime.
   */
  beat(): void;
}

interface Holder {
  pid: number;
  host: string;
  /** Start time of the process by the kernel's clock, to detect a reused pid. Null except on Linux. */
  started: string | null;
  token: string;
}

/** A lock without readable content is being written right now, or its writer died while writing it. */
const EMPTY_IS_STALE_MS = 10_000;
/** Interval at which a holder rewrites its lock file. */
const BEAT_MS = 10_000;
/** A lock of another machine is stale when it was not rewritten for this long. */
const SILENT_IS_STALE_MS = 180_000;
const ATTEMPTS = 4;
const MAX_DEPTH = 4;

/** Acquires an exclusive lock file, replacing that of a dead holder. Throws when a live process holds it. */
export function acquireLock(path: string): FileLock {
  return acquire(path, path, 0);
}

function acquire(path: string, shown: string, depth: number): FileLock {
  const token = randomUUID();
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const now = create(path, token);
    if (now === null) return new HeldLock(path, token);
    const found = read(path);
    if (found === "gone") continue;
    if (depth === MAX_DEPTH || !isStale(path, found, now)) throw lockedError(shown, found);
    // Two processes may both find the same dead holder. Only the one with the guard may remove the file, and only after
    // checking again: otherwise the slower one would remove the lock that the faster one has just acquired.
    const guard = acquire(`${path}.takeover`, shown, depth + 1);
    try {
      const again = read(path);
      if (again !== "gone" && again?.token === found?.token && isStale(path, again, now)) remove(path);
    } finally {
      guard.release();
    }
  }
  throw lockedError(shown, null);
}

class HeldLock implements FileLock {
  readonly #path: string;
  readonly #token: string;
  readonly #timer: NodeJS.Timeout;
  #last = process.uptime();

  constructor(path: string, token: string) {
    this.#path = path;
    this.#token = token;
    this.#timer = setInterval(() => this.#write(), BEAT_MS);
    this.#timer.unref();
  }

  beat(): void {
    const now = process.uptime();
    if ((now - this.#last) * 1000 < BEAT_MS) return;
    this.#last = now;
    if (!this.#write()) throw lockedError(this.#path, holderOf(read(this.#path)));
  }

  release(): void {
    clearInterval(this.#timer);
    release(this.#path, this.#token);
  }

  /** Rewrites the same content to update the modification time. False when another process holds the lock. */
  #write(): boolean {
    if (holderOf(read(this.#path))?.token !== this.#token) return false;
    try {
      writeHolder(openSync(this.#path, "r+"), this.#token);
    } catch {
      // A full disk is reported by the next write of real data.
    }
    return true;
  }
}

function holderOf(found: Holder | null | "gone"): Holder | null {
  return found === "gone" ? null : found;
}

/**
 * Returns null when the lock was acquired, else the current time by the clock of the file system, which may be that of
 * another machine. Atomic where hard links are supported: a process may be killed between creating a file and filling
 * it.
 */
function create(path: string, token: string): number | null {
  const draft = `${path}.${token}`;
  try {
    writeHolder(openSync(draft, "wx", 0o600), token);
    linkSync(draft, path);
    return null;
  } catch (error) {
    if (codeOf(error) !== "EEXIST" && createPlain(path, token)) return null;
    return statSync(draft, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  } finally {
    remove(draft);
  }
}

function createPlain(path: string, token: string): boolean {
  let fd: number;
  try {
    fd = openSync(path, "wx", 0o600);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    if (isUnwritable(error)) throw new UnwritableError(path, error);
    throw (
      toDiskFullError(error, path, 0) ??
      new DaybookError("cannot create the lock file", { code: "unreadable", op: "lock log", path, cause: error })
    );
  }
  writeHolder(fd, token);
  return true;
}

function writeHolder(fd: number, token: string): void {
  try {
    const holder: Holder = { pid: process.pid, host: hostname(), started: processStartOf(process.pid), token };
    writeSync(fd, `${JSON.stringify(holder)}\n`, 0);
  } finally {
    closeSync(fd);
  }
}

function release(path: string, token: string): void {
  const found = read(path);
  if (found !== "gone" && found?.token === token) remove(path);
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    // Nothing to remove on a disk that cannot be written to.
    if (codeOf(error) !== "ENOENT" && !isUnwritable(error)) throw error;
  }
}

/** Null when the file exists but its content is not usable. */
function read(path: string): Holder | null | "gone" {
  try {
    const value = JSON.parse(readFileSync(path, "utf8")) as Partial<Holder> | null;
    if (typeof value?.pid !== "number" || typeof value.host !== "string" || typeof value.token !== "string")
      return null;
    return { pid: value.pid, host: value.host, started: value.started ?? null, token: value.token };
  } catch (error) {
    return codeOf(error) === "ENOENT" ? "gone" : null;
  }
}

function isStale(path: string, holder: Holder | null, now: number): boolean {
  // When the clock was set back, files have times in the future: the absolute difference is taken as the age.
  const age = Math.abs(now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now));
  if (holder === null) return age > EMPTY_IS_STALE_MS;
  // Processes of another machine cannot be inspected; only the age of the lock tells whether they are alive.
  if (holder.host !== hostname()) return age > SILENT_IS_STALE_MS;
  if (!isAlive(holder.pid)) return true;
  const started = processStartOf(holder.pid);
  return holder.started !== null && started !== null && started !== holder.started;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
  return processStartOf(pid) !== "dead";
}

/** Start time of a process on Linux, `dead` for a zombie, null without /proc. */
function processStartOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name in parentheses may contain anything, so fields are counted from its end.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? "dead" : (fields[19] ?? null);
  } catch {
    return null;
  }
}

/** A live process holds the lock. */
export class LockedError extends DaybookError {
  /** ` by process 4711 on host`, or empty when the holder is not known. */
  readonly by: string;
  readonly holder: { pid: number; host: string } | null;

  constructor(path: string, holder: { pid: number; host: string } | null) {
    const by = holder ? ` by process ${holder.pid} on ${holder.host}` : "";
    super(`the log is being written${by}`, {
      code: "unreadable",
      op: "lock log",
      path,
      everywhere: true,
      hint: "wait until the other writer is done; delete the lock file only if that process is certainly gone",
    });
    this.by = by;
    this.holder = holder;
  }
}

function lockedError(path: string, holder: Holder | null): LockedError {
  return new LockedError(path, holder);
}
