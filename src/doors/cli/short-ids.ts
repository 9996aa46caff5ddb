/** Enough of an id to recognise it, and short enough to type. */
const LEAST = 8;

/**
 * The shortest prefix of each id that is unambiguous among all ids, so that it can be typed as printed; ids created
 * within one minute often share a prefix. Duplicates in the list count as the same id.
 */
export function shortIds(ids: readonly string[], others: readonly string[] = []): string[] {
  const sorted = [...new Set([...ids, ...others])].toSorted();
  const lengths = new Map<string, number>();
  for (const [i, id] of sorted.entries()) {
    const neighbours = [sorted[i - 1], sorted[i + 1]].filter((other) => other !== undefined);
    lengths.set(id, Math.max(LEAST, ...neighbours.map((other) => common(id, other) + 1)));
  }
  return ids.map((id) => id.slice(0, lengths.get(id)));
}

/**
 * Full ids where they fit, otherwise short ones. The other ids are fetched only if at least one has to be shortened.
 */
export async function fittingIds(
  given: readonly { id: string; isFitting: boolean }[],
  others: () => Promise<readonly string[]>,
): Promise<string[]> {
  const ids = given.map(({ id }) => id);
  if (given.every(({ isFitting }) => isFitting)) return ids;
  const short = shortIds(ids, await others());
  return given.map(({ id, isFitting }, i) => (isFitting ? id : (short[i] ?? id)));
}

function common(a: string, b: string): number {
  let n = 0;
  while (n < a.length && a[n] === b[n]) n++;
  return n;
}
