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
}

/** A turn that one or more wordings found. */
export interface FusedCandidate {
  /** The share of all wordings that it matches. */
  score: number;
  /** The wordings that found it with what each of them found in it, the one that ranked it highest first. */
  by: { wording: Wording; turn: RankedCandidate }[];
  /** The highest of its vectors and those of the wordings; null where none was compared. */
  likeness: number | null;
}

/** A likeness one deviation above that of the usual similar turn is worth this share of a full match of words. */
const LIKE = 0.02;
/** The question itself. */
const TWICE = 2;

interface Standing extends FusedCandidate {
  by: { wording: Wording; turn: RankedCandidate; rank: number }[];
}

/**
 * Joins what several wordings found, by words and by vectors. Ranks say nothing about how well the first of a list fits:
 * a wording in another language than the texts has a first one too. So what counts is the share of the wording that a turn
 * matches, and how far its vector is above those of the other similar turns. The first wording, the question itself,
 * counts twice; alone, without vectors, it keeps its order.
 */
export function fuse([first, ...others]: readonly [Wording, ...Wording[]]): FusedCandidate[] {
  const found = new Map<string, Standing>();
  const whole = TWICE + others.length;
  for (const wording of [first, ...others]) {
    const weight = (wording === first ? TWICE : 1) / whole;
    for (const [rank, turn] of wording.ranked.entries())
      standing(found, turn, weight * turn.fit).by.push({ wording, turn, rank });
    const above = deviations(wording.similar.map(({ likeness }) => likeness));
    for (const [rank, { turn, likeness }] of wording.similar.entries()) {
      const one = standing(found, turn, weight * LIKE * Math.max(0, above[rank] ?? 0));
      one.likeness = Math.max(one.likeness ?? -1, likeness);
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

/** How many standard deviations each value is above the mean of all. */
function deviations(all: readonly number[]): number[] {
  const mean = all.reduce((sum, one) => sum + one, 0) / all.length;
  const deviation = Math.sqrt(all.reduce((sum, one) => sum + (one - mean) ** 2, 0) / all.length);
  return all.map((one) => (deviation === 0 ? 0 : (one - mean) / deviation));
}

/** What a turn has reached so far, with the worth of one more place added. */
function standing(found: Map<string, Standing>, { turn }: RankedCandidate, worth: number): Standing {
  const name = turnNameOf(turn);
  let one = found.get(name);
  if (!one) found.set(name, (one = { score: 0, by: [], likeness: null }));
  one.score += worth;
  return one;
}
