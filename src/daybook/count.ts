import type { ToolChoice } from "../answers/tool-list.ts";
import type { AnswerContext } from "./answer-context.ts";
import type { ListQuery } from "./questions.ts";
import { sessions } from "./sessions.ts";
import { tools } from "./tools.ts";
import { turns } from "./turns.ts";

export type CountedList = "sessions" | "turns" | "tools";

/** The length of a list without its limit. */
export async function count(ctx: AnswerContext, list: CountedList, query: ListQuery & ToolChoice): Promise<number> {
  const all = { ...query, limit: undefined };
  const queries = ctx.snapshot.index?.queries ?? null;
  const filter = ctx.work(all);
  if (list === "sessions") return queries?.countSessions(filter) ?? (await sessions(ctx, all)).length;
  if (list === "turns") return queries?.countTurns(filter) ?? (await turns(ctx, all)).length;
  // With --grep all calls have to be looked at.
  if (queries && query.grep === undefined) return queries.countTools(filter, all);
  return (await tools(ctx, all)).length;
}
