import { FileTimeCache } from "../../book/reading/file-times.ts";
import { openSources, type OpenOptions } from "../../book/reading/library.ts";
import type { Progress } from "../../book/reading/pool.ts";
import { Zone } from "../../base/time/zone.ts";
import type { Naming } from "../tables/describe.ts";
import { IndexStore } from "../tables/index-store.ts";
import { Forgotten } from "../../book/pages/forgotten.ts";
import { withoutForgotten } from "./forgotten-files.ts";
import { sync, type SyncDemand, type SyncReport } from "./sync.ts";
import { plainError, type PlainError } from "./plain-error.ts";

/** A request for a sync, as plain data for another process. */
export interface SyncOrder {
  want: "sync";
  /** Where to search for sessions. */
  open: OpenOptions;
  home: string;
  naming: Naming;
  /** Default: the system's time zone. */
  timezone: string | undefined;
  demand: Omit<SyncDemand, "signal">;
}

/** Messages of the sync process: progress, repairs, and finally the result and the memory it uses by then. */
export type SyncMessage =
  | { progress: Parameters<Progress>[0] }
  | { note: string }
  | { report: SyncReport; memory: number }
  | { error: PlainError; memory: number };

/** Runs a sync in this process. Every failure is reported, or the caller would wait for ever. */
async function runSync(order: SyncOrder, signal: AbortSignal, say: (message: SyncMessage) => void): Promise<void> {
  const { open, home, naming, timezone, demand } = order;
  const zone = timezone === undefined ? Zone.here() : new Zone(timezone);
  try {
    const report = await sync(withoutForgotten(openSources(open), new Forgotten(home)), {
      ...demand,
      home,
      naming,
      signal,
      times: new FileTimeCache(),
      dayOf: (time) => zone.day(time),
      onProgress: (progress) => say({ progress }),
      onNote: (note) => say({ note }),
    });
    // The process may end at any time: seal the index now.
    IndexStore.release(home);
    say({ report, memory: process.memoryUsage.rss() });
  } catch (error) {
    IndexStore.release(home);
    say({ error: plainError(error), memory: process.memoryUsage.rss() });
  }
}

/** Main loop of a sync process: runs the syncs it is asked for, until its parent disconnects or is gone. */
export function runSyncProcess(): void {
  let stopping = new AbortController();
  let isLeft = false;
  let working: Promise<void> = Promise.resolve();
  const leave = (): void => {
    isLeft = true;
    stopping.abort();
    void working.finally(() => process.exit());
  };
  process.on("message", (message: SyncOrder | "stop") => {
    if (message === "stop") return stopping.abort();
    stopping = new AbortController();
    if (isLeft) stopping.abort();
    working = runSync(message, stopping.signal, tellParent);
  });
  process.on("disconnect", leave);
  process.on("SIGTERM", leave);
  // Ctrl-C reaches the whole process group: the parent decides what to do with this process.
  process.on("SIGINT", () => undefined);
}

function tellParent(message: SyncMessage): void {
  if (process.connected) process.send?.(message);
}
