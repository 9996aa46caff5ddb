import { KnownTimes } from "../../reading/file-times.ts";
import { openSources, type OpenOptions } from "../../reading/library.ts";
import type { Progress } from "../../reading/pool.ts";
import { Zone } from "../../time/zone.ts";
import type { Naming } from "../tables/describe.ts";
import { IndexStore } from "../tables/index-store.ts";
import { Forgotten } from "../pages/forgotten.ts";
import { withoutForgotten } from "./forgotten-files.ts";
import { sync, type SyncDemand, type SyncReport } from "./sync.ts";
import { plainError, type PlainError } from "./plain-error.ts";

/** A sync as another process is asked for it: data alone. */
export interface SyncOrder {
  want: "sync";
  /** Where to look. */
  open: OpenOptions;
  home: string;
  naming: Naming;
  /** The system's where none is named. */
  timezone: string | undefined;
  demand: Omit<SyncDemand, "signal">;
}

/** What it says: how far it is, what had to be mended, and at last how it ended and how much memory it has taken by then. */
export type SyncMessage =
  | { progress: Parameters<Progress>[0] }
  | { note: string }
  | { report: SyncReport; memory: number }
  | { error: PlainError; memory: number };

/** The sync in this process. Every failure is reported: whoever waits must not wait without end. */
async function syncHere(order: SyncOrder, signal: AbortSignal, say: (message: SyncMessage) => void): Promise<void> {
  const { open, home, naming, timezone, demand } = order;
  const zone = timezone === undefined ? Zone.here() : new Zone(timezone);
  try {
    const report = await sync(withoutForgotten(openSources(open), new Forgotten(home)), {
      ...{ ...demand, home, naming, signal, times: new KnownTimes(), dayOf: (time) => zone.day(time) },
      onProgress: (progress) => say({ progress }),
      onNote: (note) => say({ note }),
    });
    // It may end at any time: how it left the file is said now.
    IndexStore.release(home);
    say({ report, memory: process.memoryUsage.rss() });
  } catch (error) {
    IndexStore.release(home);
    say({ error: plainError(error), memory: process.memoryUsage.rss() });
  }
}

/** What a process does that was started for syncs: those it is asked for, until whoever started it lets go of it or is gone. */
export function obeyParent(): void {
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
    working = syncHere(message, stopping.signal, tellParent);
  });
  process.on("disconnect", leave);
  process.on("SIGTERM", leave);
  // From the keyboard it goes to all at once: whoever started this one says what becomes of it.
  process.on("SIGINT", () => undefined);
}

function tellParent(message: SyncMessage): void {
  if (process.connected) process.send?.(message);
}
