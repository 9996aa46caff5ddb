/** An entry of a list with headings: a heading or a row. */
export type ListEntry<T> = { heading: string; key: string } | { row: T; key: string };

/** Inserts a heading before each run of rows of one group; the rows must be sorted by group. */
export function withHeadings<T>(
  rows: readonly T[],
  keyOf: (row: T) => string,
  groupOf: ((row: T) => string) | null,
): ListEntry<T>[] {
  const list: ListEntry<T>[] = [];
  let last: string | null = null;
  for (const row of rows) {
    const group = groupOf === null ? null : groupOf(row);
    if (group !== null && group !== last) list.push({ heading: group, key: `#${group}` });
    last = group;
    list.push({ row, key: keyOf(row) });
  }
  return list;
}
