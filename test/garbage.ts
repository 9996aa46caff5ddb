import { existsSync, readdirSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collect: (() => void) | null = null;

export function collectGarbage(): void {
  if (collect === null) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  collect();
}

/** Number of files this process has open; 0 where the system does not tell. */
export function openFiles(): number {
  return existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : 0;
}

/** So many that collecting costs less than they do. */
const MANY_FILES = 200;

/**
 * On Node 20 the files and the memory of a closed database are only freed with the garbage, and the collector knows
 * nothing of their size: a process with hundreds of them takes several gigabytes and starts others slowly.
 */
export async function freeClosedDatabases(): Promise<void> {
  if (openFiles() <= MANY_FILES) return;
  collectGarbage();
  // They are closed after the current task.
  await setImmediate();
}
