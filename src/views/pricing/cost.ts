/** A cost in micro-dollars plus remaining pico-dollars. Two integers, because large sums would not be exact in one. */
export interface KnownCost {
  micro: number;
  pico: number;
  /** Some of the summed responses have no known price; this is the cost of the others. */
  lacking?: true;
}

/** Adds costs; null only when neither is known. */
export function addCost(a: KnownCost | null, b: KnownCost | null): KnownCost | null {
  if (a === null && b === null) return null;
  const sum: KnownCost = { micro: (a?.micro ?? 0) + (b?.micro ?? 0), pico: (a?.pico ?? 0) + (b?.pico ?? 0) };
  if (a === null || b === null || a.lacking === true || b.lacking === true) sum.lacking = true;
  return sum;
}

/** Pico-dollars in a micro-dollar. */
export const MICRO = 1_000_000;

export function costOfPico(pico: number | null): KnownCost | null {
  return pico === null ? null : splitCost(pico);
}

export function splitCost(pico: number): KnownCost {
  return { micro: Math.floor(pico / MICRO), pico: pico % MICRO };
}
