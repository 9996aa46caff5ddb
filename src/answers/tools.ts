import type { CommandCount } from "../views/command-counts.ts";
import type { ToolChoice } from "../views/tool-list.ts";
import type { ToolView } from "../views/tool-view.ts";
import type { AnswerContext } from "./answer-context.ts";
import type { Query } from "./questions.ts";

export async function tools(ctx: AnswerContext, query: Query & ToolChoice): Promise<ToolView[]> {
  return ctx.index.queries.tools(ctx.work(query), query);
}

/** Calls counted by the command that was run. */
export async function commands(ctx: AnswerContext, query: Query): Promise<CommandCount[]> {
  return ctx.index.queries.commandCounts(ctx.work(query));
}

/** Finished calls, successful or not, whose input contains one of these texts; may include a few more. */
export async function callsHolding(
  ctx: AnswerContext,
  texts: readonly string[],
  query: Pick<Query, "project" | "session"> = {},
): Promise<ToolView[]> {
  return ctx.index.queries.callsContaining(ctx.filter(query), texts);
}
