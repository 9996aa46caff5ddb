import { existsSync } from "node:fs";
import type { OpenedSources } from "../../reading/library.ts";
import type { SourceRef } from "../../sources/contract.ts";
import { namingText, type Naming } from "../tables/describe.ts";
import { isUnsettled } from "../tables/seal.ts";
import type { IndexStore, StoredFile } from "../tables/index-store.ts";
import { loadNotes } from "../tables/source-notes.ts";

/** Files the index has read and that were there when it did, by source and path. */
export type KnownFiles = ReadonlyMap<string, ReadonlyMap<string, readonly SourceRef[]>>;

/** What helps to look at the agents' places once more. */
export interface LastLook {
  known: KnownFiles;
  /** What the sources noted, by source and path with a tab between. */
  noted: ReadonlyMap<string, string>;
  /** Some of the files are not there any more. */
  hasGone: boolean;
}

export function lastLook(store: IndexStore): LastLook {
  const units = store.units();
  return { known: knownAmong(units), noted: loadNotes(store), hasGone: units.some(({ gone }) => gone) };
}

export function knownFiles(store: IndexStore): KnownFiles {
  return knownAmong(store.units());
}

function knownAmong(units: readonly StoredFile[]): KnownFiles {
  const known = new Map<string, Map<string, SourceRef[]>>();
  for (const { ref, gone } of units) {
    if (gone) continue;
    let places = known.get(ref.source);
    if (!places) known.set(ref.source, (places = new Map()));
    const others = places.get(ref.path);
    if (others) others.push(ref);
    else places.set(ref.path, [ref]);
  }
  return known;
}

/**
 * Whether a sync would find anything to do, found out without the right to write: the index as it was when `known` was taken from it
 * against the files as they are. Whoever writes meanwhile brings only what this look need not have seen.
 */
export function hasChanges(store: IndexStore, known: KnownFiles, opened: OpenedSources, naming: Naming): boolean {
  if (opened.notes.size > 0 || isUnsettled(store.home)) return true;
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

/** Files that are not as the index knows them; all where there is none. */
export function unknownFiles(known: KnownFiles | null, refs: readonly SourceRef[]): SourceRef[] {
  return refs.filter((ref) => {
    const before = known && knownAs(known, ref);
    return !before || !isSame(before, ref);
  });
}

/** How many bytes are in them that the index does not know. */
export function unknownBytes(known: KnownFiles | null, refs: readonly SourceRef[]): number {
  return unknownFiles(known, refs).reduce((sum, ref) => {
    const before = known && knownAs(known, ref);
    // One that shrank was written anew.
    return sum + (before && before.size <= ref.size ? ref.size - before.size : ref.size);
  }, 0);
}

function knownAs(known: KnownFiles, ref: SourceRef): SourceRef | undefined {
  const there = known.get(ref.source)?.get(ref.path);
  // Almost every file is one session.
  return there?.[0]?.key === ref.key ? there?.[0] : there?.find(({ key }) => key === ref.key);
}

/** One that is there and was only not looked for is not missing; a session in a store that was looked at is. */
function isMissing(ref: SourceRef, there: readonly SourceRef[], met: ReadonlySet<SourceRef>): boolean {
  return (ref.key !== undefined && there.some((other) => met.has(other))) || !existsSync(ref.path);
}

export function isSame(a: SourceRef, b: SourceRef): boolean {
  if (a.stamp !== undefined || b.stamp !== undefined) return a.stamp === b.stamp;
  return a.size === b.size && a.mtimeMs === b.mtimeMs;
}
