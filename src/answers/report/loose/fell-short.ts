import type { CallGlance } from "../../../views/rows.ts";
import type { TurnView } from "../../../views/turn-view.ts";
import { likeliestIn } from "./said.ts";

/** The least log-odds of a sentence beside a call that failed. */
const LEAST = 1;

/**
 * If the last call of a turn failed, the sentence of its final text that says what is left undone. A request that only
 * asks got its answer and does not count.
 */
export function fellShort({ final_text, trigger }: TurnView, { fails }: Pick<CallGlance, "fails">): string | null {
  if (!fails || final_text === null || /[?？؟]\s*$/.test(trigger.text ?? "")) return null;
  const best = likeliestIn(final_text);
  return best !== null && best.odds >= LEAST ? best.quote : null;
}
