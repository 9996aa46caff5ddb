import { setTimeout as sleep } from "node:timers/promises";
import type { OpenedSources } from "../reading/library.ts";
import type { SourceRef } from "../sources/contract.ts";
import type { SessionChange } from "../store/tables/changes.ts";
import type { SyncDemand, SyncReport } from "../store/sync/sync.ts";

export interface WatchOptions extends Pick<SyncDemand, "patience" | "full"> {
  /** Ends it. A sync that is under way is finished first. */
  signal?: AbortSignal;
  /** Time between two looks, in ms: what changes in between is told together. */
  every?: number;
}

/** What is not as it was since the last time. */
export interface Changes {
  /** What the sync did that found it; null when another process wrote it into the index. */
  sync: SyncReport | null;
  /** Of these sessions answers are different. */
  sessions: SessionChange[];
}

/**
 * Waits for the next look; false when it is time to stop. Looking every second sees what file notifications miss (network disks,
 * directories that come and go, databases) and costs one stat per file.
 */
export async function isNextLook({ every = 1000, signal }: WatchOptions): Promise<boolean> {
  // Stopping in the middle of a pause is the usual way to stop.
  await sleep(every, undefined, { signal }).catch(() => undefined);
  return signal?.aborted !== true;
}

/** How the files of all sessions look, as one text, and what the sources noted beside them. No file is read. */
export class FilesSeen {
  #files: string | null = null;
  #notes = "";

  /** Whether anything is not as it was when it was last `remember`ed. */
  isOther({ refs, notes }: OpenedSources): boolean {
    return filesText(refs) !== this.#files || (notes.size > 0 && notesText(notes) !== this.#notes);
  }

  remember({ refs, notes }: OpenedSources): void {
    this.#files = filesText(refs);
    this.#notes = notesText(notes);
  }
}

function filesText(refs: readonly SourceRef[]): string {
  return refs.map(stateOf).join("\n");
}

function notesText(notes: OpenedSources["notes"]): string {
  return JSON.stringify([...notes]);
}

function stateOf({ source, path, key, size, mtimeMs, stamp }: SourceRef): string {
  return [source, path, key ?? "", size, mtimeMs, stamp ?? ""].join("\t");
}
