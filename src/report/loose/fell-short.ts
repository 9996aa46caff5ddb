import type { CallGlance } from "../../answers/rows.ts";
import type { TurnView } from "../../answers/turn-view.ts";
import { saysItFailed } from "./prose.ts";

/** Where the last thing a turn did failed: the words by which its end says so. Who only asked why something fails got his answer. */
export function fellShort({ final_text, trigger }: TurnView, { fails }: Pick<CallGlance, "fails">): string | null {
  return fails && final_text !== null ? saysItFailed(final_text, trigger.text ?? "") : null;
}
