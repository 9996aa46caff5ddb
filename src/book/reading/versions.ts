import type { Checked, Source } from "../../agents/contract.ts";

/** A version of an agent that wrote sessions here, newer than any whose files were checked. */
export interface NewerVersion {
  source: string;
  name: string;
  version: string;
  checked: string;
}

/** `met`: source and version pairs as the files state them. Sorted from old to new within each source. */
export function newerVersions(
  sources: readonly Pick<Source, "id" | "name" | "checked">[],
  met: Iterable<readonly [source: string, version: string]>,
): NewerVersion[] {
  const seen = new Map<string, Set<string>>();
  for (const [id, version] of met) {
    const versions = seen.get(id);
    if (versions) versions.add(version);
    else seen.set(id, new Set([version]));
  }
  return sources.flatMap(({ id, name, checked }) => {
    const newest = newestChecked(checked);
    if (newest === null) return [];
    return [...(seen.get(id) ?? [])]
      .filter((version) => isNewer(version, newest))
      .toSorted((a, b) => compare(numbersOf(a), numbersOf(b)) || (a < b ? -1 : 1))
      .map((version) => ({ source: id, name, version, checked: newest }));
  });
}

function newestChecked(checked: Checked | null): string | null {
  if (checked === null) return null;
  return checked.marked === undefined ? checked.newest : checked.marked;
}

/** Compares only as many numbers as were checked: if `0.48` was checked, `0.48.1` is not newer. */
export function isNewer(version: string, than: string): boolean {
  if (wordOf(version) !== wordOf(than)) return false;
  const checked = numbersOf(than);
  return compare(numbersOf(version).slice(0, checked.length), checked) > 0;
}

/** The text before the first number: `schema`, `session v`. */
function wordOf(version: string): string {
  return /^\D*/.exec(version)?.[0] ?? "";
}

function numbersOf(version: string): number[] {
  return (/\d+(?:\.\d+)*/.exec(version)?.[0] ?? "").split(".").map(Number);
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
