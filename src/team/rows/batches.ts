import { digest } from "./ids.ts";
import type { Cell, RowBatch, TableName } from "./tables.ts";

/** A batch is sent as one statement: so many rows, or so many characters. */
const MOST_ROWS = 1000;
const MOST_CHARS = 1_000_000;

/** What a table is sent of one session. */
export interface TableSize {
  rows: number;
  bytes: number;
}

/** Rows of one table gathered into batches, column by column. */
export class Gathered {
  readonly #table: TableName;
  #columns: Cell[][] = [];
  #rows = 0;
  #chars = 0;

  constructor(table: TableName) {
    this.#table = table;
  }

  /** A batch where one is full. */
  add(row: readonly Cell[]): RowBatch | null {
    for (const [i, cell] of row.entries()) {
      (this.#columns[i] ??= []).push(cell);
      if (typeof cell === "string") this.#chars += cell.length;
    }
    this.#rows++;
    return this.#rows >= MOST_ROWS || this.#chars >= MOST_CHARS ? this.take() : null;
  }

  take(): RowBatch | null {
    if (this.#rows === 0) return null;
    const batch = { table: this.#table, columns: this.#columns };
    this.#columns = [];
    this.#rows = 0;
    this.#chars = 0;
    return batch;
  }
}

/** The row with its fingerprint behind it. */
export function hashed(row: readonly Cell[]): Cell[] {
  return [...row, bytes(digest(JSON.stringify(row)))];
}

/** A fingerprint as the text of a `bytea`. */
export function bytes(hex: string): string {
  return `\\x${hex}`;
}

/** What a batch holds, without what the wire adds. */
export function sizeOf({ columns }: RowBatch): TableSize {
  let size = 0;
  for (const column of columns)
    for (const cell of column) size += typeof cell === "string" ? Buffer.byteLength(cell) : cell === null ? 0 : 8;
  return { rows: columns[0]?.length ?? 0, bytes: size };
}
