import { isNetworkPath } from "../../base/io/named-path.ts";
import { openSources, type OpenedSources, type OpenOptions } from "../../book/reading/library.ts";
import type { SourceRef } from "../../agents/contract.ts";
import type { Forgotten } from "../../book/pages/forgotten.ts";
import { DamagedIndex } from "../tables/damaged-index.ts";
import type { Naming } from "../tables/describe.ts";
import { IndexStore } from "../tables/index-store.ts";
import { hasChanges, lastSearch, type KnownFiles } from "./changed-files.ts";
import { withoutForgotten } from "./forgotten-files.ts";

export interface FindOptions extends OpenOptions {
  book?: string | undefined;
}

/** The agents' files as found, and what the index knew of them before. */
export interface FoundFiles {
  /** Without the files of forgotten sessions. */
  opened: OpenedSources;
  openedWith: OpenOptions;
  /** Null before the first sync, and where the index cannot be read. */
  known: KnownFiles | null;
  /** Some files whose content is in the book no longer exist. */
  hasGone: boolean;
}

/** Searches for the agents' files without reading any. */
export function findFiles(options: FindOptions, forgotten: Forgotten): FoundFiles {
  return withIndex(options.book, (store) => findFilesWith(store, options, forgotten));
}

/** The same, including the files of forgotten sessions. */
export function findAllFiles(options: FindOptions): readonly SourceRef[] {
  return withIndex(options.book, (store) => openSources({ ...options, ...memoryOf(store, options).given }).refs);
}

/**
 * Whether a sync would find anything to do, and the current files: `before` if given, else found now. Null where there
 * is no index yet: then the sync searches for them.
 */
export function findChanges(
  options: FindOptions,
  forgotten: Forgotten,
  naming: Naming,
  before: FoundFiles | null,
): { found: FoundFiles | null; isChanged: boolean } {
  return withIndex(options.book, (store) => {
    if (!store) return { found: before, isChanged: true };
    const found = before ?? findFilesWith(store, options, forgotten);
    try {
      return { found, isChanged: !found.known || hasChanges(store, found.known, found.opened, naming) };
    } catch (error) {
      // The sync runs into the damage again, and repairs it.
      if (error instanceof DamagedIndex) return { found, isChanged: true };
      throw error;
    }
  });
}

function findFilesWith(store: IndexStore | null, options: FindOptions, forgotten: Forgotten): FoundFiles {
  const { known, hasGone, given } = memoryOf(store, options);
  const openedWith = { ...options, ...given };
  return { opened: withoutForgotten(openSources(openedWith), forgotten), openedWith, known, hasGone };
}

interface IndexMemory {
  known: KnownFiles | null;
  hasGone: boolean;
  given: Pick<OpenOptions, "worked_in" | "known" | "noted">;
}

/** What the index knows about where to search. Nothing before the first sync. */
function memoryOf(store: IndexStore | null, { roots }: FindOptions): IndexMemory {
  const nothing: IndexMemory = { known: null, hasGone: false, given: {} };
  if (!store) return nothing;
  try {
    const { known, noted, hasGone } = lastSearch(store);
    if (roots !== undefined) return { known, hasGone, given: { known, noted } };
    const dirs = store.all("SELECT DISTINCT cwd FROM session WHERE cwd IS NOT NULL ORDER BY cwd");
    const worked_in = dirs.map((row) => String(row["cwd"])).filter((dir) => !isNetworkPath(dir));
    return { known, hasGone, given: { known, noted, worked_in } };
  } catch {
    // Optional information: the sync runs into a damaged index itself, and repairs it.
    return nothing;
  }
}

/** Runs `work` with the index, or null if there is no usable one. */
function withIndex<T>(book: string | undefined, work: (store: IndexStore | null) => T): T {
  const store = book === undefined ? null : IndexStore.openExisting(book);
  try {
    return work(store);
  } finally {
    store?.close();
  }
}
