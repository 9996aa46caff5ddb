import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { toDiskFullError, UnwritableError } from "../../base/io/disk.ts";
import { acquireLock, LockedError, type FileLock } from "../../record/write-lock.ts";

const STEP = 100;

/** A monotonic clock that needs no import. */
const now = (): number => process.uptime() * 1000;

/** Acquires the write lock of a home. Waits for another Daybook up to `patience` ms, then throws `LockedError`. */
export async function lockHome(home: string, patience: number): Promise<FileLock> {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw toDiskFullError(error, home, 0) ?? new UnwritableError(home, error);
  }
  const path = join(home, "sync.lock");
  const deadline = now() + patience;
  for (;;) {
    try {
      const lock = acquireLock(path);
      sweep(home);
      return lock;
    } catch (error) {
      if (error instanceof UnwritableError) throw new UnwritableError(home, error);
      if (!(error instanceof LockedError) || now() >= deadline) throw error;
      await sleep(STEP);
    }
  }
}

const OLD = 60_000;

/** Removes files left by processes that were killed while they acquired the lock or sealed the index. */
function sweep(home: string): void {
  for (const name of readdirSync(home)) {
    if (!/^(?:sync\.lock\.[0-9a-f-]{36}|index\.seal\.\d+)$/.test(name)) continue;
    const path = join(home, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > OLD) rmSync(path, { force: true });
  }
}
