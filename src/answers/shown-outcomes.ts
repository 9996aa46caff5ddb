import { getOrAdd } from "../base/maps.ts";
import { sessionKey, turnKey } from "../record/session-key.ts";
import type { Outcome } from "../turns/model.ts";
import type { TurnView } from "../views/turn-view.ts";
import type { AnswerContext } from "./answer-context.ts";
import { fellShort } from "./report/loose/fell-short.ts";
import type { FoundFacts } from "./report/model.ts";
import { isUnproven } from "./report/sums.ts";

/**
 * How a turn is shown, the same in every list: its outcome, or `unproven` for a completed turn that is contradicted by
 * its last check or its own words.
 */
export type ShownOutcome = Outcome | "unproven";

/** How each of these turns is shown, in the same order. Only completed ones need a look at their facts. */
export function shownOutcomes(ctx: AnswerContext, views: readonly TurnView[]): ShownOutcome[] {
  const rows = ctx.rows({});
  const found = ctx.recordFacts();
  const known = new Map<string, FoundFacts>();
  const isContradicted = (view: TurnView): boolean => {
    const key = sessionKey(view);
    const { counted, turns } = getOrAdd(known, key, () => found.of(key, rows));
    if (counted) return counted.get(view.turn_ref)?.unproven === true;
    const fell_short = fellShort(view, rows.callGlance(key, view.turn_ref));
    return isUnproven({ ...view, last_check: turns.get(view.turn_ref)?.last_check ?? null, fell_short });
  };
  const shown = new Map<string, ShownOutcome>();
  return views.map((view) =>
    getOrAdd(shown, turnKey(view), () =>
      view.outcome === "completed" && isContradicted(view) ? "unproven" : view.outcome,
    ),
  );
}
