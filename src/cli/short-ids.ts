/** Enough of an id for a person to recognise, and short enough to type. */
const LEAST = 8;

/**
 * The beginning of each id by which it can be told from all others, so that it can be asked for as it is printed; ids made within
 * one minute often begin alike. An id that is given twice is one and the same.
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

/** Each id whole where there is room for it, else short: only then all others have to be asked for. */
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
