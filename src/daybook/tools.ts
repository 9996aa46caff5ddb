import { commandCounts, type CommandCount } from "../answers/command-counts.ts";
import { chooseTools, type ToolChoice } from "../answers/tool-list.ts";
import { toolView, type ToolView } from "../answers/tool-view.ts";
import { within } from "../time/range.ts";
import type { AnswerContext } from "./answer-context.ts";
import { TOOLS, type Query } from "./questions.ts";

export async function tools(ctx: AnswerContext, query: Query & ToolChoice): Promise<ToolView[]> {
  const { index } = ctx.snapshot;
  if (index) return index.queries.tools(ctx.work(query), query);
  const { chosen, range } = await ctx.select(query, TOOLS);
  const views: ToolView[] = [];
  for (const session of chosen) {
    for (const owned of session.tools) {
      if (query.status !== undefined && owned.call.status !== query.status) continue;
      if (query.name !== undefined && owned.call.name !== query.name) continue;
      if (!within(range, owned.call.started_at)) continue;
      views.push(...ctx.unlessBroken(session, () => toolView(session, owned)));
    }
  }
  return chooseTools(views, query);
}

/** Calls counted by the command that was run. */
export async function commands(ctx: AnswerContext, query: Query): Promise<CommandCount[]> {
  const { index } = ctx.snapshot;
  return index ? index.queries.commandCounts(ctx.work(query)) : commandCounts(await tools(ctx, query));
}

/** Finished calls, successful or not, whose input contains one of these texts; may include a few more. */
export async function callsHolding(
  ctx: AnswerContext,
  texts: readonly string[],
  query: Pick<Query, "project" | "session"> = {},
): Promise<ToolView[]> {
  const { index } = ctx.snapshot;
  if (index) return index.queries.callsContaining(ctx.filter(query), texts);
  const views = await tools(ctx, query);
  return views.filter(
    (view) =>
      (view.status === "ok" || view.status === "failed") &&
      texts.some((text) => JSON.stringify(view.input).includes(jsonOf(text))),
  );
}

/** The text as it appears inside a JSON string. */
function jsonOf(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
