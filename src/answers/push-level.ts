/** How much of a session leaves: numbers; what was asked and what came of it; everything. Each holds what is in those before it. */
export const LEVELS = ["totals", "turns", "full"] as const;
export type Level = (typeof LEVELS)[number];

/** As it stands in the store, where the higher of two is the richer. */
export function levelNumber(level: Level): number {
  return LEVELS.indexOf(level);
}

export function isLevel(word: string): word is Level {
  return (LEVELS as readonly string[]).includes(word);
}
