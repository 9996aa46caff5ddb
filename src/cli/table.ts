import { displayWidth, fit, pad } from "./text.ts";

export interface Column {
  head: string;
  align?: "left" | "right";
  /** Takes what is left of the width and gives way first; at most one column should. */
  grow?: boolean;
  /** May be cut down to this many columns of the terminal. One that grows may in any case. */
  least?: number;
  /** The cells once more, in a shorter form. */
  brief?: readonly string[];
  /** Which place it has among those that are left out: 1 goes first. One without a place always stays. */
  leaves?: number;
  /** Colours a finished, padded cell. */
  paint?: (cell: string, row: number) => string;
}

const GAP = 2;
/** What a growing column keeps before others are touched, and when nothing else can give way. */
const READABLE = 24;
const LEGIBLE = 8;

/**
 * A plain table that is never wider than `width`. Where the cells need more, columns give way in this order, until it fits:
 *
 * 1. the growing column is cut to its `least`;
 * 2. columns take their `brief` form, those that would leave sooner first;
 * 3. columns are cut to their `least`, in the same order;
 * 4. the next column in the order of `leaves` is left out, and 1 to 3 begin again without it;
 * 5. when all that may leave have left, the growing column is cut further, then whichever is widest.
 *
 * What is free after that goes back to the growing column.
 */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
  head: (s: string) => string,
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
  return [head(line(-1)), ...rows.map((_, i) => line(i))].join("\n");
}

/** A column as it will stand. */
interface Shown {
  column: Column;
  index: number;
  width: number;
  isBrief: boolean;
}

function layout(columns: readonly Column[], rows: readonly (readonly string[])[], width: number): Shown[] {
  const full: readonly Shown[] = columns.map((column, index) => {
    const cells = rows.reduce((most, row) => Math.max(most, displayWidth(row[index] ?? "")), 0);
    return { column, index, width: Math.max(cells, displayWidth(column.head)), isBrief: false };
  });
  const leaving = full.filter(({ column }) => column.leaves !== undefined).toSorted(bySooner);
  for (let left = 0; ; left++) {
    const gone = new Set(leaving.slice(0, left));
    const shown = full.filter((one) => !gone.has(one)).map((one) => ({ ...one }));
    const isLast = left >= leaving.length;
    if (!giveWay(shown, width) && !isLast) continue;
    if (isLast) cutFurther(shown, width);
    giveBack(shown, full, width);
    return shown;
  }
}

function bySooner(a: Shown, b: Shown): number {
  return (a.column.leaves ?? Infinity) - (b.column.leaves ?? Infinity) || a.index - b.index;
}

/** Steps 1 to 3; whether it fits now. */
function giveWay(shown: Shown[], width: number): boolean {
  const growing = shown.find(({ column }) => column.grow === true);
  if (growing) cut(growing, growing.column.least ?? READABLE, shown, width);
  const others = shown.filter((one) => one !== growing).toSorted(bySooner);
  for (const one of others) if (excess(shown, width) > 0) shorten(one);
  for (const one of others) if (one.column.least !== undefined) cut(one, one.column.least, shown, width);
  return excess(shown, width) <= 0;
}

function shorten(one: Shown): void {
  const { brief, head } = one.column;
  if (brief === undefined) return;
  one.isBrief = true;
  one.width = brief.reduce((most, cell) => Math.max(most, displayWidth(cell)), displayWidth(head));
}

function cutFurther(shown: Shown[], width: number): void {
  const growing = shown.find(({ column }) => column.grow === true);
  if (growing) cut(growing, LEGIBLE, shown, width);
  while (excess(shown, width) > 0) {
    const widest = shown.reduce((most, one) => (one.width > most.width ? one : most));
    // A window of fewer columns than the table has is nobody's.
    if (widest.width <= 1) return;
    widest.width--;
  }
}

function cut(one: Shown, least: number, shown: readonly Shown[], width: number): void {
  one.width = Math.max(Math.min(one.width, least), one.width - Math.max(0, excess(shown, width)));
}

function giveBack(shown: readonly Shown[], full: readonly Shown[], width: number): void {
  const growing = shown.find(({ column }) => column.grow === true);
  if (growing) growing.width = Math.min(full[growing.index]?.width ?? 0, growing.width - excess(shown, width));
}

/** By how much the columns are wider than the window; negative where there is room. */
function excess(shown: readonly Shown[], width: number): number {
  return shown.reduce((sum, one) => sum + one.width, GAP * (shown.length - 1)) - width;
}
