import type { SearchedConcept } from "./question.ts";
import type { RankedCandidate } from "./rank.ts";
import type { FusedCandidate } from "./wordings.ts";

/** A turn that matches a smaller share of the question and its other wordings may do so by chance. */
const LITTLE = 0.3;
/** A version, a port, a count: a turn without it may be about another one. */
const NUMBER = /^\p{N}{2,}$/u;
/** How many of the best turns are checked. */
const BEST = 3;

/**
 * Whether the best turn can be what was meant. If the question names something that occurs in no text at all, the answer is
 * no. If that occurs elsewhere, or a number it names does not, or the best turn matches only a small share of all wordings,
 * the answer is `unsure`.
 */
export function isAnswered(
  concepts: readonly SearchedConcept[],
  ranked: readonly RankedCandidate[],
  best: FusedCandidate | undefined,
): boolean | "unsure" {
  if (!best) return false;
  const first = ranked.slice(0, BEST);
  const isHeld = (c: number): boolean => first.some(({ held }) => (held[c] ?? 0) > 0);
  const unheld = concepts.filter(({ isName }, c) => isName && !isHeld(c));
  // Questions name the language or host of a project; turns seldom do.
  if (unheld.length > 0) return unheld.some(({ isNowhere }) => isNowhere) ? false : "unsure";
  if (concepts.some(({ word }, c) => NUMBER.test(word) && !isHeld(c))) return "unsure";
  return best.score < LITTLE ? "unsure" : true;
}
