import { statSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { SourceRef } from "../agents/contract.ts";
import type { OpenedSources } from "../book/reading/library.ts";
import type { SyncDemand, SyncReport } from "../index/sync/sync.ts";
import type { WatchedChange } from "../index/tables/changes.ts";
import { parseSessionKey } from "../record/session-key.ts";

export interface WatchOptions extends Pick<SyncDemand, "patience" | "full"> {
  /** Stops watching. A sync in progress is finished first. */
  signal?: AbortSignal;
  /** Time between two checks, in ms: changes in between are reported together. */
  every?: number;
  /**
   * Time between two checks of all files, in ms. In between, only recently written files and their directories are
   * checked: there may be thousands of others. When absent, every check covers all files.
   */
  all?: number;
}

/** What changed since the last batch. */
export interface Changes {
  /** The sync that found the changes; null if another process wrote them into the index. */
  sync: SyncReport | null;
  /** Sessions whose answers changed. */
  sessions: WatchedChange[];
}

/**
 * Waits for the next check; false when stopped. Polling every second sees what file notifications miss (network
 * disks, directories that come and go, databases) and costs one stat per file.
 */
export async function waitForNextCheck({ every = 1000, signal }: WatchOptions): Promise<boolean> {
  // Being stopped during the pause is the normal way to stop.
  await sleep(every, undefined, { signal }).catch(() => undefined);
  return signal?.aborted !== true;
}

/** The state of the files of all sessions as one text, with the notes of the sources. No file is read. */
export class FilesSeen {
  #files: string | null = null;
  #notes = "";

  /** Whether anything differs from what was last `remember`ed. */
  hasChanged({ refs, notes }: OpenedSources): boolean {
    return filesText(refs) !== this.#files || (notes.size > 0 && notesText(notes) !== this.#notes);
  }

  remember({ refs, notes }: OpenedSources): void {
    this.#files = filesText(refs);
    this.#notes = notesText(notes);
  }
}

/** In ms. Files written this recently are likely to be written again. */
const LATELY = 3_600_000;
const MOST_LIVELY = 200;

/** The state of the files that are being written, and of their directories. */
export class RecentFiles {
  #seen: ReadonlyMap<string, string> = new Map();
  #lookedAt = -Infinity;

  /** To be called after a check of all files. */
  remember({ refs }: OpenedSources, now: number): void {
    const lately = refs
      .filter(({ mtimeMs }) => now - mtimeMs < LATELY)
      .toSorted((a, b) => b.mtimeMs - a.mtimeMs)
      .slice(0, MOST_LIVELY);
    // A commit to a database is first written to the WAL beside it.
    const paths = lately.flatMap(({ path }) => [path, `${path}-wal`, dirname(path)]);
    this.#seen = new Map([...new Set(paths)].map((path) => [path, statText(path)]));
    this.#lookedAt = now;
  }

  /** Whether none of them changed, and a check of all files is not due yet. */
  isQuiet(now: number, all: number): boolean {
    return now - this.#lookedAt < all && [...this.#seen].every(([path, look]) => statText(path) === look);
  }
}

function statText(path: string): string {
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

/** By session, a digest of its view and those of its turns. */
export type SessionDigests = ReadonlyMap<string, string>;

/**
 * What happened to sessions between two states of a team store. If the store changed but no session did, something
 * else changed, such as tool outputs: which answers that affects is unknown, so all sessions count as changed.
 */
export function changesBetween(before: SessionDigests, after: SessionDigests): WatchedChange[] {
  const changes: WatchedChange[] = [];
  const note = (key: string, change: WatchedChange["change"]): void => {
    const { source, session_id } = parseSessionKey(key);
    changes.push({ source, session_id, change });
  };
  for (const [key, digest] of after) {
    if (!before.has(key)) note(key, "appeared");
    else if (before.get(key) !== digest) note(key, "changed");
  }
  for (const key of before.keys()) if (!after.has(key)) note(key, "removed");
  if (changes.length === 0) for (const key of after.keys()) note(key, "changed");
  return changes;
}
