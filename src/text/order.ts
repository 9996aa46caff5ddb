/** Code unit order: the same on every machine, whatever its language. */
export function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The same for lists of texts: the first that differs decides. */
export function orderLists(a: readonly string[], b: readonly string[]): number {
  for (const [i, text] of a.entries()) {
    const decided = order(text, b[i] ?? "");
    if (decided !== 0) return decided;
  }
  return 0;
}
