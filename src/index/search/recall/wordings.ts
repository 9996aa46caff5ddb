import { turnNameOf, type RecallCandidates } from "./find.ts";
import type { RankedCandidate } from "./rank.ts";
import type { Concept } from "./question.ts";

/** What one wording of a question found. */
export interface Wording {
  text: string;
  concepts: readonly Concept[];
  turns: RecallCandidates;
  /** Found by its words, best first. */
  ranked: readonly RankedCandidate[];
  /** Found by its vector, most similar first; empty without a model. */
  similar: readonly LikeTurn[];
}

/** A turn with the cosine of its vector and that of the wording. */
export interface LikeTurn {
  turn: RankedCandidate;
  likeness: number;
  standsOut: boolean;
}

/** A turn that one or more wordings found. */
export interface FusedCandidate {
  score: number;
  /** The wordings that found it with what each of them found in it, the one that ranked it highest first. */
  by: { wording: Wording; turn: RankedCandidate }[];
  /** The highest of its vectors and those of the wordings; null where none was compared. */
  likeness: number | null;
  /** One of them is far more similar than chance explains. */
  standsOut: boolean;
}

/** Dampens the difference between the first places of lists. Answers hardly depend on it: 5 to 60 were tried. */
const DAMPING = 20;
/** The same with vectors: their first places are worth more than their many middling ones. */
const DAMPING_VECTORS = 7;
/** Makes scores readable with three digits. */
const SCALE = 1000;

interface Standing extends FusedCandidate {
  by: { wording: Wording; turn: RankedCandidate; rank: number }[];
}

/**
 * Joins what several wordings found, by words and by vectors, by rank: scores of different questions cannot be compared.
 * The first wording, the question itself, counts twice; alone, without vectors, it keeps its order and scores.
 */
export function fuse([first, ...others]: readonly [Wording, ...Wording[]]): FusedCandidate[] {
  if (others.length === 0 && first.similar.length === 0)
    return first.ranked.map((turn) => ({
      score: turn.score,
      by: [{ wording: first, turn }],
      likeness: null,
      standsOut: false,
    }));
  const found = new Map<string, Standing>();
  const damping = [first, ...others].some(({ similar }) => similar.length > 0) ? DAMPING_VECTORS : DAMPING;
  const worth = (weight: number, rank: number): number => (weight * SCALE) / (damping + rank + 1);
  for (const wording of [first, ...others]) {
    const weight = wording === first ? 2 : 1;
    for (const [rank, turn] of wording.ranked.entries())
      standing(found, turn, worth(weight, rank)).by.push({ wording, turn, rank });
    for (const [rank, { turn, likeness, standsOut }] of wording.similar.entries()) {
      const one = standing(found, turn, worth(weight, rank));
      one.likeness = Math.max(one.likeness ?? -1, likeness);
      one.standsOut ||= standsOut;
      const known = one.by.find((by) => by.wording === wording);
      // Where words matched too, they show why.
      if (known) known.rank = Math.min(known.rank, rank);
      else one.by.push({ wording, turn, rank });
    }
  }
  // Equal scores keep the order in which the wordings found them.
  return [...found.values()]
    .toSorted((a, b) => b.score - a.score)
    .map(({ by, ...one }) => ({ ...one, by: by.toSorted((a, b) => a.rank - b.rank) }));
}

/** What a turn has reached so far, with the worth of one more place added. */
function standing(found: Map<string, Standing>, { turn }: RankedCandidate, worth: number): Standing {
  const name = turnNameOf(turn);
  let one = found.get(name);
  if (!one) found.set(name, (one = { score: 0, by: [], likeness: null, standsOut: false }));
  one.score += worth;
  return one;
}
