/** Micro-dollars and the pico-dollars beyond them: whole numbers. The sum of many costs is too large for one exact number. */
export interface KnownCost {
  micro: number;
  pico: number;
}

/** Pico-dollars in a micro-dollar. */
export const MICRO = 1_000_000;

export function splitCost(pico: number): KnownCost {
  return { micro: Math.floor(pico / MICRO), pico: pico % MICRO };
}
