import type { CallGlance } from "../../../views/rows.ts";
import type { TurnView } from "../../../views/turn-view.ts";
import { saysItFailed } from "./prose.ts";

/**
 * If the last call of a turn failed, the sentence of its final text that says so. A request that only asks why
 * something fails got its answer and does not count.
 */
export function fellShort({ final_text, trigger }: TurnView, { fails }: Pick<CallGlance, "fails">): string | null {
  return fails && final_text !== null ? saysItFailed(final_text, trigger.text ?? "") : null;
}
