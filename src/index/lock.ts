import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { acquireLock, LockedError, type FileLock } from "../log/lock.ts";

const STEP = 100;

/** The right to write into a home. Waits for another Daybook up to `patience` ms, then throws `LockedError`. */
export async function lockHome(home: string, patience: number): Promise<FileLock> {
  mkdirSync(home, { recursive: true });
  const path = join(home, "sync.lock");
  const deadline = performance.now() + patience;
  for (;;) {
    try {
      return acquireLock(path);
    } catch (error) {
      if (!(error instanceof LockedError) || performance.now() >= deadline) throw error;
      await sleep(STEP);
    }
  }
}
