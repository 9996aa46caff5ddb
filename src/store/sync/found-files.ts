import { isElsewhere } from "../../io/named-path.ts";
import { openSources, type OpenedSources, type OpenOptions } from "../../reading/library.ts";
import type { SourceRef } from "../../sources/contract.ts";
import type { Forgotten } from "../pages/forgotten.ts";
import { DamagedIndex } from "../tables/damaged-index.ts";
import type { Naming } from "../tables/describe.ts";
import { IndexStore } from "../tables/index-store.ts";
import { hasChanges, lastLook, type KnownFiles } from "./changed-files.ts";
import { withoutForgotten } from "./forgotten-files.ts";

export interface FindOptions extends OpenOptions {
  book?: string | undefined;
}

/** The agents' files as they were found, and what the index knew of them before. */
export interface FoundFiles {
  /** Without those that were forgotten. */
  opened: OpenedSources;
  openedWith: OpenOptions;
  /** Null before the first sync, and where the index cannot be read. */
  known: KnownFiles | null;
  /** Some of what the book holds is in no file any more. */
  hasGone: boolean;
}

/** Looks for the agents' files, reading none. */
export function findFiles(options: FindOptions, forgotten: Forgotten): FoundFiles {
  return withIndex(options.book, (store) => filesBeside(store, options, forgotten));
}

/** The same with those that were forgotten. */
export function findAllFiles(options: FindOptions): readonly SourceRef[] {
  return withIndex(options.book, (store) => openSources({ ...options, ...rememberedIn(store, options).given }).refs);
}

/**
 * Whether a sync would find anything to do, and the files as they are: those that were found already, or found now. Null where
 * there is no index yet: then they are looked for when they are read.
 */
export function findChanges(
  options: FindOptions,
  forgotten: Forgotten,
  naming: Naming,
  before: FoundFiles | null,
): { found: FoundFiles | null; isChanged: boolean } {
  return withIndex(options.book, (store) => {
    if (!store) return { found: before, isChanged: true };
    const found = before ?? filesBeside(store, options, forgotten);
    try {
      return { found, isChanged: !found.known || hasChanges(store, found.known, found.opened, naming) };
    } catch (error) {
      // It is met again, and mended, by the sync.
      if (error instanceof DamagedIndex) return { found, isChanged: true };
      throw error;
    }
  });
}

function filesBeside(store: IndexStore | null, options: FindOptions, forgotten: Forgotten): FoundFiles {
  const { known, hasGone, given } = rememberedIn(store, options);
  const openedWith = { ...options, ...given };
  return { opened: withoutForgotten(openSources(openedWith), forgotten), openedWith, known, hasGone };
}

interface Remembered {
  known: KnownFiles | null;
  hasGone: boolean;
  given: Pick<OpenOptions, "worked_in" | "known" | "noted">;
}

/** What the book knows about where to look. Nothing before the first sync. */
function rememberedIn(store: IndexStore | null, { roots }: FindOptions): Remembered {
  const nothing: Remembered = { known: null, hasGone: false, given: {} };
  if (!store) return nothing;
  try {
    const { known, noted, hasGone } = lastLook(store);
    if (roots !== undefined) return { known, hasGone, given: { known, noted } };
    const dirs = store.all("SELECT DISTINCT cwd FROM session WHERE cwd IS NOT NULL ORDER BY cwd");
    const worked_in = dirs.map((row) => String(row["cwd"])).filter((dir) => !isElsewhere(dir));
    return { known, hasGone, given: { known, noted, worked_in } };
  } catch {
    // Only a help: a damaged index is met, and mended, by the sync.
    return nothing;
  }
}

/** Looks into the index as it is, where there is one that can be used. */
function withIndex<T>(book: string | undefined, work: (store: IndexStore | null) => T): T {
  const store = book === undefined ? null : IndexStore.peek(book);
  try {
    return work(store);
  } finally {
    store?.close();
  }
}
