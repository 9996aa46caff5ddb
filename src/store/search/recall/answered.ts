import type { Concept } from "./question.ts";
import type { RankedTurn } from "./rank.ts";

/** Less of what a question speaks of than this, weighed by how rare it is, may be there by chance. */
const LITTLE = 0.3;
/** How many of the best are asked what they hold. */
const BEST = 3;

/**
 * Whether one of the best turns can be what was meant. A thing that is called by its own name, and that none of them names, is not
 * what they are about; where only little of the question is found they may be.
 */
export function isAnswered(concepts: readonly Concept[], ranked: readonly RankedTurn[]): boolean | "unsure" {
  const best = ranked.slice(0, BEST);
  if (best.length === 0) return false;
  const isHeld = (c: number): boolean => best.some(({ held }) => (held[c] ?? 0) > 0);
  if (concepts.some(({ isName }, c) => isName && !isHeld(c))) return false;
  return Math.max(...best.map(({ covered }) => covered)) < LITTLE ? "unsure" : true;
}
