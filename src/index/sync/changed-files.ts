import { existsSync } from "node:fs";
import type { OpenedSources } from "../../book/reading/library.ts";
import type { SourceRef } from "../../agents/contract.ts";
import { namingText, type Naming } from "../tables/describe.ts";
import { needsCheck } from "../tables/seal.ts";
import type { IndexStore, StoredFile } from "../tables/index-store.ts";
import { loadNotes } from "../tables/source-notes.ts";
import { addTo, getOrAdd } from "../../base/maps.ts";

/** Files that the index has read and that existed at that time, by source and path. */
export type KnownFiles = ReadonlyMap<string, ReadonlyMap<string, readonly SourceRef[]>>;

/** What the index remembers of the last search for files. */
export interface LastSearch {
  known: KnownFiles;
  /** Notes of the sources, keyed by source and path with a tab between. */
  noted: ReadonlyMap<string, string>;
  /** Some of the files no longer exist. */
  hasGone: boolean;
}

export function lastSearch(store: IndexStore): LastSearch {
  const files = store.files();
  return { known: knownAmong(files), noted: loadNotes(store), hasGone: files.some(({ gone }) => gone) };
}

export function knownFiles(store: IndexStore): KnownFiles {
  return knownAmong(store.files());
}

function knownAmong(files: readonly StoredFile[]): KnownFiles {
  const known = new Map<string, Map<string, SourceRef[]>>();
  for (const { ref, gone } of files) {
    if (gone) continue;
    addTo(
      getOrAdd(known, ref.source, () => new Map<string, SourceRef[]>()),
      ref.path,
      ref,
    );
  }
  return known;
}

/**
 * Whether a sync would find anything to do, determined without the write lock: compares the index as of when `known`
 * was read with the files as they are. A concurrent writer can only add what this comparison need not have seen.
 */
export function hasChanges(store: IndexStore, known: KnownFiles, opened: OpenedSources, naming: Naming): boolean {
  if (opened.notes.size > 0 || needsCheck(store.home)) return true;
  if ((store.meta("naming") ?? "") !== namingText(naming)) return true;
  const met = new Set<SourceRef>();
  for (const ref of opened.refs) {
    const before = knownAs(known, ref);
    if (!before || !isSame(before, ref)) return true;
    met.add(before);
  }
  for (const { id } of opened.sources)
    for (const refs of known.get(id)?.values() ?? [])
      for (const ref of refs) if (!met.has(ref) && isMissing(ref, refs, met)) return true;
  return false;
}

/** Files that differ from what the index knows; all of them without an index. */
export function unknownFiles(known: KnownFiles | null, refs: readonly SourceRef[]): SourceRef[] {
  return refs.filter((ref) => {
    const before = known && knownAs(known, ref);
    return !before || !isSame(before, ref);
  });
}

/** Number of bytes that are new to the index. */
export function unknownBytes(known: KnownFiles | null, refs: readonly SourceRef[]): number {
  return unknownFiles(known, refs).reduce((sum, ref) => {
    const before = known && knownAs(known, ref);
    // A file that shrank was rewritten.
    return sum + (before && before.size <= ref.size ? ref.size - before.size : ref.size);
  }, 0);
}

function knownAs(known: KnownFiles, ref: SourceRef): SourceRef | undefined {
  const there = known.get(ref.source)?.get(ref.path);
  // Almost every file holds one session.
  return there?.[0]?.key === ref.key ? there?.[0] : there?.find(({ key }) => key === ref.key);
}

/** A file that exists and was only not searched for is not missing; a session is, if its database was searched. */
function isMissing(ref: SourceRef, there: readonly SourceRef[], met: ReadonlySet<SourceRef>): boolean {
  return (ref.key !== undefined && there.some((other) => met.has(other))) || !existsSync(ref.path);
}

export function isSame(a: SourceRef, b: SourceRef): boolean {
  if (a.stamp !== undefined || b.stamp !== undefined) return a.stamp === b.stamp;
  return a.size === b.size && a.mtimeMs === b.mtimeMs;
}
