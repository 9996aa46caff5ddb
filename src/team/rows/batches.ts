import { digest } from "./ids.ts";
import type { Cell, RowBatch, TableName } from "./tables.ts";

/** A batch is sent as one statement: at most this many rows, or about this many characters. */
const MOST_ROWS = 1000;
const MOST_CHARS = 1_000_000;

/** What is sent to one table for one session. */
export interface TableSize {
  rows: number;
  bytes: number;
}

/** Collects rows of one table into batches, column by column. */
export class BatchBuilder {
  readonly #table: TableName;
  #columns: Cell[][] = [];
  #rows = 0;
  #chars = 0;

  constructor(table: TableName) {
    this.#table = table;
  }

  /** Returns a batch when it is full. */
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

/** The row with its fingerprint appended. */
export function withHash(row: readonly Cell[]): Cell[] {
  return [...row, byteaText(digest(JSON.stringify(row)))];
}

/** A fingerprint as `bytea` text. */
export function byteaText(hex: string): string {
  return `\\x${hex}`;
}

/** The size of a batch's content, without the overhead of the protocol. */
export function sizeOf({ columns }: RowBatch): TableSize {
  let size = 0;
  for (const column of columns)
    for (const cell of column) size += typeof cell === "string" ? Buffer.byteLength(cell) : cell === null ? 0 : 8;
  return { rows: columns[0]?.length ?? 0, bytes: size };
}
