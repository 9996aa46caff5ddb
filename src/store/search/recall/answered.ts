import type { SoughtConcept } from "./question.ts";
import type { RankedTurn } from "./rank.ts";

/** Less of what a question speaks of than this, weighed by how rare it is, may be there by chance. */
const LITTLE = 0.4;
/** A version, a port, a count: a turn that does not hold it may be about another one. */
const NUMBER = /^\p{N}{2,}$/u;
/** How many of the best are asked what they hold. */
const BEST = 3;

/**
 * Whether one of the best turns can be what was meant. A thing that is called by its own name, and that nobody ever named, is not
 * what they are about; where it is named elsewhere, where only little of the question is found, or not the number it names, they may be.
 */
export function isAnswered(concepts: readonly SoughtConcept[], ranked: readonly RankedTurn[]): boolean | "unsure" {
  const best = ranked.slice(0, BEST);
  if (best.length === 0) return false;
  const isHeld = (c: number): boolean => best.some(({ held }) => (held[c] ?? 0) > 0);
  const unheld = concepts.filter(({ isName }, c) => isName && !isHeld(c));
  // A project's language, or its host, is named by whoever asks, and seldom by a turn.
  if (unheld.length > 0) return unheld.some(({ isNowhere }) => isNowhere) ? false : "unsure";
  if (concepts.some(({ word }, c) => NUMBER.test(word) && !isHeld(c))) return "unsure";
  return Math.max(...best.map(({ covered }) => covered)) < LITTLE ? "unsure" : true;
}
