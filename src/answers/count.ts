import type { ToolChoice } from "../views/tool-list.ts";
import type { AnswerContext } from "./answer-context.ts";
import type { ListQuery } from "./questions.ts";
import { tools } from "./tools.ts";

export type CountedList = "sessions" | "turns" | "tools";

/** The length of a list without its limit. */
export async function count(ctx: AnswerContext, list: CountedList, query: ListQuery & ToolChoice): Promise<number> {
  const all = { ...query, limit: undefined };
  const { queries } = ctx.index;
  const filter = ctx.work(all);
  if (list === "sessions") return queries.countSessions(filter);
  if (list === "turns") return queries.countTurns(filter);
  // With --grep all calls have to be looked at.
  return query.grep === undefined ? queries.countTools(filter, all) : (await tools(ctx, all)).length;
}
