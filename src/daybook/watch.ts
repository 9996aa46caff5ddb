import { statSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { OpenedSources } from "../reading/library.ts";
import type { SourceRef } from "../sources/contract.ts";
import type { SessionChange } from "../store/tables/changes.ts";
import type { SyncDemand, SyncReport } from "../store/sync/sync.ts";

export interface WatchOptions extends Pick<SyncDemand, "patience" | "full"> {
  /** Ends it. A sync that is under way is finished first. */
  signal?: AbortSignal;
  /** Time between two looks, in ms: what changes in between is reported together. */
  every?: number;
  /**
   * Time between two looks at all files, in ms. In between only those are looked at that were written lately, with the directories
   * they stand in: who keeps a page open all day has thousands of others. Every look is at all of them when absent.
   */
  all?: number;
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

/** Files that were written so lately are likely to be written again, in ms. */
const LATELY = 3_600_000;
const MOST_LIVELY = 200;

/** How the files look that are being written, with the directories they stand in. */
export class LivelyFiles {
  #seen: ReadonlyMap<string, string> = new Map();
  #lookedAt = -Infinity;

  /** To be called after a look at all files. */
  remember({ refs }: OpenedSources, now: number): void {
    const lately = refs
      .filter(({ mtimeMs }) => now - mtimeMs < LATELY)
      .toSorted((a, b) => b.mtimeMs - a.mtimeMs)
      .slice(0, MOST_LIVELY);
    // What is committed to a database stands beside it first.
    const paths = lately.flatMap(({ path }) => [path, `${path}-wal`, dirname(path)]);
    this.#seen = new Map([...new Set(paths)].map((path) => [path, lookOf(path)]));
    this.#lookedAt = now;
  }

  /** Nothing is known to be other, and it is not yet time to look at all files. */
  isQuiet(now: number, all: number): boolean {
    return now - this.#lookedAt < all && [...this.#seen].every(([path, look]) => lookOf(path) === look);
  }
}

function lookOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? `${found.size} ${found.mtimeMs}` : "";
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
