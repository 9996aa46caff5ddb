import { displayWidth, fit, pad } from "./text.ts";

export interface Column {
  head: string;
  align?: "left" | "right";
  /** Takes what is left of the width; at most one column should. */
  grow?: boolean;
  /** Colours a finished, padded cell. */
  paint?: (cell: string, row: number) => string;
}

/** A plain table that fits the width: the growing column gives way, the others keep theirs. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
  head: (s: string) => string,
): string {
  const widths = columns.map((column, i) =>
    rows.reduce((max, row) => Math.max(max, displayWidth(row[i] ?? "")), displayWidth(column.head)),
  );
  const growing = columns.findIndex((column) => column.grow === true);
  const gaps = 2 * (columns.length - 1);
  const total = widths.reduce((sum, w) => sum + w, 0) + gaps;
  if (growing !== -1 && total > width) widths[growing] = Math.max(12, (widths[growing] ?? 0) - (total - width));
  const line = (cells: readonly string[], row: number): string =>
    columns
      .map((column, i) => {
        const w = widths[i] ?? 0;
        const cell = pad(fit(cells[i] ?? "", w), w, column.align ?? "left");
        return row >= 0 && column.paint ? column.paint(cell, row) : cell;
      })
      .join("  ")
      .trimEnd();
  return [
    head(
      line(
        columns.map((column) => column.head),
        -1,
      ),
    ),
    ...rows.map((row, i) => line(row, i)),
  ].join("\n");
}
