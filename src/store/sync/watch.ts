import { setTimeout as sleep } from "node:timers/promises";
import type { SourceRef } from "../../sources/contract.ts";

export interface Watched {
  /** Looks for session files again. Stats them and reads none. */
  discover: () => readonly SourceRef[];
  /** Called at the start and whenever something is not as it was; again until it says that it is done with it. */
  changed: () => Promise<boolean>;
  /** Time between two looks, in ms. */
  every: number;
  signal: AbortSignal;
}

/**
 * Follows trees of sessions until it is told to stop. Looking every second sees what file notifications miss (network disks,
 * directories that come and go, databases) and costs one stat per file.
 */
export async function watch({ discover, changed, every, signal }: Watched): Promise<void> {
  let before: string | null = null;
  while (!signal.aborted) {
    const now = discover().map(stateOf).join("\n");
    if (now !== before && (await changed())) before = now;
    // Stopping in the middle of a pause is the usual way to stop.
    await sleep(every, undefined, { signal }).catch(() => undefined);
  }
}

function stateOf({ source, path, key, size, mtimeMs, stamp }: SourceRef): string {
  return [source, path, key ?? "", size, mtimeMs, stamp ?? ""].join("\t");
}
