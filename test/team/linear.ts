/**
 * Linear algebra over a large prime field. Sums of what people did have small whole coefficients, so a rank differs
 * from that over the rationals only by an accident of one in a billion.
 */
const PRIME = 2_147_483_647n;

type Row = Map<number, bigint>;

/** Sparse rows in echelon form, by their first column. */
export class Span {
  readonly #rows = new Map<number, Row>();

  get rank(): number {
    return this.#rows.size;
  }

  /** Adds a vector, column → coefficient; false if it is a combination of the others. */
  add(vector: ReadonlyMap<number, number>): boolean {
    const row: Row = new Map();
    for (const [column, value] of vector) if (value !== 0) row.set(column, mod(BigInt(value)));
    for (;;) {
      const first = firstOf(row);
      if (first === null) return false;
      const known = this.#rows.get(first);
      if (!known) {
        const factor = inverse(row.get(first) ?? 1n);
        for (const [column, value] of row) row.set(column, mod(value * factor));
        this.#rows.set(first, row);
        return true;
      }
      const factor = row.get(first) ?? 0n;
      for (const [column, value] of known) {
        const rest = mod((row.get(column) ?? 0n) - factor * value);
        if (rest === 0n) row.delete(column);
        else row.set(column, rest);
      }
    }
  }
}

function firstOf(row: Row): number | null {
  let first: number | null = null;
  for (const column of row.keys()) if (first === null || column < first) first = column;
  return first;
}

function mod(value: bigint): bigint {
  const rest = value % PRIME;
  return rest < 0n ? rest + PRIME : rest;
}

function inverse(value: bigint): bigint {
  let [result, base, power] = [1n, mod(value), PRIME - 2n];
  for (; power > 0n; power >>= 1n) {
    if (power & 1n) result = mod(result * base);
    base = mod(base * base);
  }
  return result;
}

/** The rank of some vectors when only some columns are looked at. */
export function rankIn(vectors: readonly ReadonlyMap<number, number>[], isSeen: (column: number) => boolean): number {
  const span = new Span();
  for (const vector of vectors) span.add(new Map([...vector].filter(([column]) => isSeen(column))));
  return span.rank;
}
