import type { SourceRef } from "../../sources/contract.ts";
import type { StoredFile } from "../tables/index-store.ts";

/**
 * Files that are new here and may be ones that are gone from elsewhere: archived (moved), compressed, or a whole tree put in
 * another place. Only a suspicion; the reader looks at their bytes.
 */
export function suspectMoves(added: readonly SourceRef[], gone: readonly StoredFile[]): Map<SourceRef, StoredFile> {
  const byName = new Map<string, StoredFile[]>();
  for (const unit of gone) {
    if (unit.ref.key !== undefined) continue;
    const name = nameOf(unit.ref);
    const known = byName.get(name);
    if (known) known.push(unit);
    else byName.set(name, [unit]);
  }
  const found = new Map<SourceRef, StoredFile>();
  const taken = new Set<StoredFile>();
  for (const ref of added) {
    if (ref.key !== undefined) continue;
    const candidates = byName.get(nameOf(ref))?.filter((unit) => !taken.has(unit)) ?? [];
    // Some agents give every session's file the same name; then the directories above tell which is which.
    const [best, second] = candidates.toSorted((a, b) => shared(b.ref, ref) - shared(a.ref, ref));
    if (!best || (second && shared(second.ref, ref) === shared(best.ref, ref))) continue;
    found.set(ref, best);
    taken.add(best);
  }
  return found;
}

function nameOf(ref: SourceRef): string {
  return `${ref.source}\t${segments(ref).at(-1) ?? ""}`;
}

/** Path segments the two have in common, from the end. */
function shared(a: SourceRef, b: SourceRef): number {
  const [one, other] = [segments(a).toReversed(), segments(b).toReversed()];
  const end = one.findIndex((segment, i) => segment !== other[i]);
  return end === -1 ? one.length : end;
}

function segments(ref: SourceRef): string[] {
  return ref.path.replace(/\.zst$/, "").split(/[\\/]/);
}
