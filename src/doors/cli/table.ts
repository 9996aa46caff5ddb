import { displayWidth, fit, pad } from "../../base/text/inert.ts";

export interface Column {
  head: string;
  align?: "left" | "right";
  /** Takes the remaining width and shrinks first; at most one column should have it. */
  grow?: boolean;
  /** The minimum width it may be cut to. The growing column may always be cut. */
  minWidth?: number;
  /** A shorter form of each cell. */
  brief?: readonly string[];
  /** The order in which columns are dropped: 1 goes first. A column without this is never dropped. */
  dropOrder?: number;
  /** Colours a finished, padded cell. */
  paint?: (cell: string, row: number) => string;
}

/** Texts under rows; "" for none. */
export interface Below {
  text: (row: number) => string;
  paint: (line: string) => string;
}

const GAP = 2;
/** Minimum widths of the growing column: before other columns are touched, and when nothing else can shrink. */
const READABLE = 24;
const LEGIBLE = 8;

/**
 * A plain table that is never wider than `width`. If the cells need more, columns shrink in this order until it fits:
 *
 * 1. the growing column is cut to its `minWidth`;
 * 2. columns take their `brief` form, in the order in which they would be dropped;
 * 3. columns are cut to their `minWidth`, in the same order;
 * 4. the next column in the order of `dropOrder` is dropped, and 1 to 3 start again without it;
 * 5. when all droppable columns are gone, the growing column is cut further, then whichever is widest.
 *
 * Any width left over goes back to the growing column. Texts below rows are cut to the same
 * width.
 */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
  head: (s: string) => string,
  below?: Below,
): string {
  const shown = layout(columns, rows, width);
  const line = (row: number): string =>
    shown
      .map(({ column, index, width: w, isBrief }) => {
        const full = row < 0 ? column.head : (rows[row]?.[index] ?? "");
        const cell = pad(fit(row >= 0 && isBrief ? (column.brief?.[row] ?? full) : full, w), w, column.align ?? "left");
        return row >= 0 && column.paint ? column.paint(cell, row) : cell;
      })
      .join(" ".repeat(GAP))
      .trimEnd();
  const indent = " ".repeat(GAP);
  const lines = (row: number): string[] => {
    const text = fit(below?.text(row) ?? "", width - GAP);
    return below === undefined || text === "" ? [line(row)] : [line(row), below.paint(`${indent}${text}`)];
  };
  return [head(line(-1)), ...rows.flatMap((_, i) => lines(i))].join("\n");
}

/** A column with its final width. */
interface LaidOutColumn {
  column: Column;
  index: number;
  width: number;
  isBrief: boolean;
}

function layout(columns: readonly Column[], rows: readonly (readonly string[])[], width: number): LaidOutColumn[] {
  const full: readonly LaidOutColumn[] = columns.map((column, index) => {
    const cells = rows.reduce((most, row) => Math.max(most, displayWidth(row[index] ?? "")), 0);
    return { column, index, width: Math.max(cells, displayWidth(column.head)), isBrief: false };
  });
  const leaving = full.filter(({ column }) => column.dropOrder !== undefined).toSorted(bySooner);
  for (let left = 0; ; left++) {
    const gone = new Set(leaving.slice(0, left));
    const shown = full.filter((one) => !gone.has(one)).map((one) => ({ ...one }));
    const isLast = left >= leaving.length;
    if (!shrink(shown, width) && !isLast) continue;
    if (isLast) cutFurther(shown, width);
    useFreeWidth(shown, full, width);
    return shown;
  }
}

function bySooner(a: LaidOutColumn, b: LaidOutColumn): number {
  return (a.column.dropOrder ?? Infinity) - (b.column.dropOrder ?? Infinity) || a.index - b.index;
}

/** Steps 1 to 3; returns whether the table fits now. */
function shrink(shown: LaidOutColumn[], width: number): boolean {
  const growing = shown.find(({ column }) => column.grow === true);
  if (growing) cut(growing, growing.column.minWidth ?? READABLE, shown, width);
  const others = shown.filter((one) => one !== growing).toSorted(bySooner);
  for (const one of others) if (excess(shown, width) > 0) shorten(one);
  for (const one of others) if (one.column.minWidth !== undefined) cut(one, one.column.minWidth, shown, width);
  return excess(shown, width) <= 0;
}

function shorten(one: LaidOutColumn): void {
  const { brief, head } = one.column;
  if (brief === undefined) return;
  one.isBrief = true;
  one.width = brief.reduce((most, cell) => Math.max(most, displayWidth(cell)), displayWidth(head));
}

function cutFurther(shown: LaidOutColumn[], width: number): void {
  const growing = shown.find(({ column }) => column.grow === true);
  if (growing) cut(growing, LEGIBLE, shown, width);
  while (excess(shown, width) > 0) {
    const widest = shown.reduce((most, one) => (one.width > most.width ? one : most));
    // Give up: the window has fewer columns than the table.
    if (widest.width <= 1) return;
    widest.width--;
  }
}

function cut(one: LaidOutColumn, least: number, shown: readonly LaidOutColumn[], width: number): void {
  one.width = Math.max(Math.min(one.width, least), one.width - Math.max(0, excess(shown, width)));
}

function useFreeWidth(shown: readonly LaidOutColumn[], full: readonly LaidOutColumn[], width: number): void {
  const growing = shown.find(({ column }) => column.grow === true);
  if (growing) growing.width = Math.min(full[growing.index]?.width ?? 0, growing.width - excess(shown, width));
}

/** By how much the table is wider than the window; negative if there is room. */
function excess(shown: readonly LaidOutColumn[], width: number): number {
  return shown.reduce((sum, one) => sum + one.width, GAP * (shown.length - 1)) - width;
}
