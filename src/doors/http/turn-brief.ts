import { askedLine } from "../../base/text/asked-line.ts";
import type { TurnView } from "../../views/turn-view.ts";
import type { TurnBrief } from "./answers.ts";

/** Maximum length of a request, in characters. */
const LONGEST = 300;

export function turnBrief(turn: TurnView): TurnBrief {
  const { turn_ref, start_line, trigger, outcome, duration_ms, usage_with_children, tools, final_text } = turn;
  return {
    turn_ref,
    start_line,
    time: trigger.time,
    request: trigger.text === null ? null : askedLine(trigger.text).slice(0, LONGEST),
    outcome,
    duration_ms,
    cost_usd: usage_with_children.cost_usd,
    tool_calls: tools.total,
    answer_length: final_text?.length ?? null,
    model: turn.context.model,
    has_decisions: turn.decisions && turn.decisions.length > 0,
  };
}
