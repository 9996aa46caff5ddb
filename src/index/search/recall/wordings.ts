import { turnNameOf, type RecallCandidates } from "./find.ts";
import type { RankedCandidate } from "./rank.ts";
import type { Concept } from "./question.ts";

/** What one wording of a question found. */
export interface Wording {
  text: string;
  concepts: readonly Concept[];
  turns: RecallCandidates;
  /** Best first. */
  ranked: readonly RankedCandidate[];
}

/** A turn that one or more wordings found. */
export interface FusedCandidate {
  score: number;
  /** The wordings that found it with what each of them found in it, the one that ranked it highest first. */
  by: { wording: Wording; turn: RankedCandidate }[];
}

/** Dampens the difference between the first places. Answers hardly depend on it: 5 to 60 were tried. */
const DAMPING = 20;
/** Makes scores readable with three digits. */
const SCALE = 1000;

/**
 * Joins what several wordings found, by rank: scores of different questions cannot be compared. The first wording, the
 * question itself, counts twice; alone, it keeps its order and scores.
 */
export function fuse([first, ...others]: readonly [Wording, ...Wording[]]): FusedCandidate[] {
  if (others.length === 0) return first.ranked.map((turn) => ({ score: turn.score, by: [{ wording: first, turn }] }));
  const found = new Map<string, { score: number; by: { wording: Wording; turn: RankedCandidate; rank: number }[] }>();
  for (const wording of [first, ...others]) {
    for (const [rank, turn] of wording.ranked.entries()) {
      const name = turnNameOf(turn.turn);
      const one = found.get(name) ?? { score: 0, by: [] };
      one.score += ((wording === first ? 2 : 1) * SCALE) / (DAMPING + rank + 1);
      one.by.push({ wording, turn, rank });
      found.set(name, one);
    }
  }
  // Equal scores keep the order in which the wordings found them.
  return [...found.values()]
    .toSorted((a, b) => b.score - a.score)
    .map(({ score, by }) => ({ score, by: by.toSorted((a, b) => a.rank - b.rank) }));
}
