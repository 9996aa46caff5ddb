/** Micro-dollars and the pico-dollars beyond them: whole numbers. The sum of many costs is too large for one exact number. */
export interface KnownCost {
  micro: number;
  pico: number;
  /** Of some of the responses added up no price is known: this is what the others cost. */
  lacking?: true;
}

/** Costs of several responses as one: null only where of none of them a price is known. */
export function addCost(a: KnownCost | null, b: KnownCost | null): KnownCost | null {
  if (a === null && b === null) return null;
  const sum: KnownCost = { micro: (a?.micro ?? 0) + (b?.micro ?? 0), pico: (a?.pico ?? 0) + (b?.pico ?? 0) };
  if (a === null || b === null || a.lacking === true || b.lacking === true) sum.lacking = true;
  return sum;
}

/** Pico-dollars in a micro-dollar. */
export const MICRO = 1_000_000;

export function splitCost(pico: number): KnownCost {
  return { micro: Math.floor(pico / MICRO), pico: pico % MICRO };
}
