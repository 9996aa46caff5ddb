/** How much of a session is pushed: numbers; also requests and results; everything. Levels are cumulative. */
export const LEVELS = ["totals", "turns", "full"] as const;
export type Level = (typeof LEVELS)[number];

/** The level as stored in the team store; a higher number includes more. */
export function levelNumber(level: Level): number {
  return LEVELS.indexOf(level);
}

export function isLevel(word: string): word is Level {
  return (LEVELS as readonly string[]).includes(word);
}
