/** A list with headings between its rows. */
export type Grouped<T> = { heading: string; key: string } | { row: T; key: string };

/** Puts a heading before each run of rows of one group; rows must stand in the order of their groups. */
export function grouped<T>(
  rows: readonly T[],
  keyOf: (row: T) => string,
  groupOf: ((row: T) => string) | null,
): Grouped<T>[] {
  const list: Grouped<T>[] = [];
  let last: string | null = null;
  for (const row of rows) {
    const group = groupOf === null ? null : groupOf(row);
    if (group !== null && group !== last) list.push({ heading: group, key: `#${group}` });
    last = group;
    list.push({ row, key: keyOf(row) });
  }
  return list;
}
