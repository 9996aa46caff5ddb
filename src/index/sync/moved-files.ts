import type { SourceRef } from "../../agents/contract.ts";
import type { StoredFile } from "../tables/index-store.ts";
import { groupBy } from "../../base/maps.ts";

/**
 * New files that may be files which disappeared elsewhere: archived (moved), compressed, or part of a moved directory.
 * Only candidates; the reader compares their bytes.
 */
export function suspectMoves(added: readonly SourceRef[], gone: readonly StoredFile[]): Map<SourceRef, StoredFile> {
  const files = gone.filter(({ ref }) => ref.key === undefined);
  const byName = groupBy(files, ({ ref }) => nameOf(ref));
  const found = new Map<SourceRef, StoredFile>();
  const taken = new Set<StoredFile>();
  for (const ref of added) {
    if (ref.key !== undefined) continue;
    const candidates = byName.get(nameOf(ref))?.filter((file) => !taken.has(file)) ?? [];
    // Some agents use the same file name for every session; then the parent directories decide.
    const [best, second] = candidates.toSorted((a, b) => sharedSegments(b.ref, ref) - sharedSegments(a.ref, ref));
    if (!best || (second && sharedSegments(second.ref, ref) === sharedSegments(best.ref, ref))) continue;
    found.set(ref, best);
    taken.add(best);
  }
  return found;
}

function nameOf(ref: SourceRef): string {
  return `${ref.source}\t${segments(ref).at(-1) ?? ""}`;
}

/** Number of path segments the two have in common, from the end. */
function sharedSegments(a: SourceRef, b: SourceRef): number {
  const [one, other] = [segments(a).toReversed(), segments(b).toReversed()];
  const end = one.findIndex((segment, i) => segment !== other[i]);
  return end === -1 ? one.length : end;
}

function segments(ref: SourceRef): string[] {
  return ref.path.replace(/\.zst$/, "").split(/[\\/]/);
}
