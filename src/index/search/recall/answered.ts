import type { SearchedConcept } from "./question.ts";
import type { RankedCandidate } from "./rank.ts";

/** A smaller share of the question, weighted by rarity, may match by chance. */
const LITTLE = 0.5;
/** A turn that holds less of the content words itself may only stand beside the right one. */
const CARRIED = 0.5;
/** A version, a port, a count: a turn without it may be about another one. */
const NUMBER = /^\p{N}{2,}$/u;
/** How many of the best turns are checked. */
const BEST = 3;

/**
 * Whether one of the best turns can be what was meant. If the question names something that occurs in no text at all,
 * the answer is no. If that occurs elsewhere, or only a small share of the question matches, or a number it names does
 * not, or the very best turn does not hold half of the content words itself, the answer is `unsure`.
 */
export function isAnswered(
  concepts: readonly SearchedConcept[],
  ranked: readonly RankedCandidate[],
): boolean | "unsure" {
  const best = ranked.slice(0, BEST);
  if (best.length === 0) return false;
  const isHeld = (c: number): boolean => best.some(({ held }) => (held[c] ?? 0) > 0);
  const unheld = concepts.filter(({ isName }, c) => isName && !isHeld(c));
  // Questions name the language or host of a project; turns seldom do.
  if (unheld.length > 0) return unheld.some(({ isNowhere }) => isNowhere) ? false : "unsure";
  if (concepts.some(({ word }, c) => NUMBER.test(word) && !isHeld(c))) return "unsure";
  if (Math.max(...best.map(({ covered }) => covered)) < LITTLE) return "unsure";
  return (best[0]?.carried ?? 0) < CARRIED ? "unsure" : true;
}
