/** Compares by code unit, so the order does not depend on the machine's locale. */
export function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Compares lists element by element; the first difference decides. */
export function orderLists(a: readonly string[], b: readonly string[]): number {
  for (const [i, text] of a.entries()) {
    const decided = order(text, b[i] ?? "");
    if (decided !== 0) return decided;
  }
  return 0;
}
