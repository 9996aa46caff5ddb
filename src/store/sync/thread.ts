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

/** A sync as another thread is asked for it: data alone. */
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

/** What the thread says: how far it is, what had to be mended, and at last how it ended. */
export type SyncMessage =
  | { progress: Parameters<Progress>[0] }
  | { note: string }
  | { report: SyncReport }
  | { error: PlainError };

/** The sync in this thread. Every failure is told: whoever waits must not wait without end. */
export async function syncHere(
  order: SyncOrder,
  signal: AbortSignal,
  say: (message: SyncMessage) => void,
): Promise<void> {
  const { open, home, naming, timezone, demand } = order;
  const zone = timezone === undefined ? Zone.here() : new Zone(timezone);
  try {
    const report = await sync(withoutForgotten(openSources(open), new Forgotten(home)), {
      ...{ ...demand, home, naming, signal, times: new KnownTimes(), dayOf: (time) => zone.day(time) },
      onProgress: (progress) => say({ progress }),
      onNote: (note) => say({ note }),
    });
    // The thread ends without a chance to say how it left the file.
    IndexStore.release(home);
    say({ report });
  } catch (error) {
    IndexStore.release(home);
    say({ error: plainError(error) });
  }
}
