import type { SeqRange } from "../../record/reader.ts";
import type { TurnState } from "./state.ts";

/**
 * A turn whose end is not stated got its outcome from what follows. If records after its request are missing, one of
 * them may have stated it, so the turn says that they are.
 */
export function noteMissingEnds(turns: readonly TurnState[], gaps: readonly SeqRange[]): TurnState[] {
  return turns.map((turn, i) => {
    if (turn.outcome_stated || turn.outcome_detail !== null) return turn;
    const until = turns[i + 1]?.first_seq ?? Infinity;
    const gap = gaps.findLast(({ from }) => from > turn.first_seq && from < until);
    return gap ? { ...turn, outcome_detail: `${named(gap)} missing: its end may have been there` } : turn;
  });
}

function named({ from, to }: SeqRange): string {
  return from === to ? `record ${from} is` : `records ${from} to ${to} are`;
}
