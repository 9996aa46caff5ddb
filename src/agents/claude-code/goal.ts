import { foreseeGoalCommand } from "./lookahead.ts";
import { str, type Native } from "../kit/native.ts";
import { verdict } from "../kit/verdict.ts";
import type { ReaderState } from "./state.ts";
import type { ClassifyContext, Verdict } from "./verdict.ts";

/**
 * `/goal <request>` makes the agent work until a check says that the request is met. An attachment (`sentinel`) notes
 * that a goal was set or cleared: before the command that set it, at once if the command was typed while the agent
 * works, and once more after a compaction.
 */
export function classifyGoal(attachment: Native, ctx: ClassifyContext): Verdict {
  const { state } = ctx;
  const condition = str(attachment["condition"]);
  const active = attachment["met"] === true || attachment["failed"] === true ? null : condition;
  const note = (awaited: string | null): [] => {
    state.goal = { active, awaited };
    return [];
  };
  const status = (awaited: string | null): Verdict =>
    verdict("reaction", "claude.attachment.goal_status", () => note(awaited));
  if (attachment["sentinel"] !== true || active === state.goal.active) return status(state.goal.awaited);
  if (active === null) return verdict("session", "claude.goal.cleared", () => note(null));
  const ahead = foreseeGoalCommand(ctx.lines);
  if (!ahead.value) return { ...status(active), open: ahead.open };
  return verdict("setup", "claude.goal.before_command", () => note(null), ahead.open);
}

/**
 * A goal that was typed while the agent worked has no record of the command. It reaches the model as a text of the
 * client that quotes it, as part of the running turn or as the next one. Returns the command; null for other texts.
 */
export function deliveredGoal(origin: Native | null, text: string, { goal }: ReaderState): string | null {
  const quoted = origin?.["kind"] === "auto-continuation" && goal.awaited !== null && text.endsWith(goal.awaited);
  return quoted ? `/goal ${goal.awaited}` : null;
}
