import type { ToolChoice } from "../answers/tool-list.ts";
import type { Asking } from "./asking.ts";
import type { Query } from "./questions.ts";
import { sessions } from "./sessions.ts";
import { tools } from "./tools.ts";
import { turns } from "./turns.ts";

export type CountedList = "sessions" | "turns" | "tools";

/** How many a list would have without its limit. */
export async function count(asking: Asking, list: CountedList, query: Query & ToolChoice): Promise<number> {
  const all = { ...query, limit: undefined };
  const queries = asking.at.index?.queries ?? null;
  const filter = asking.filter(all);
  if (list === "sessions") return queries?.countSessions(filter) ?? (await sessions(asking, all)).length;
  if (list === "turns") return queries?.countTurns(filter) ?? (await turns(asking, all)).length;
  // Which calls hold a text is known when all were looked at.
  if (queries && query.grep === undefined) return queries.countTools(filter, all);
  return (await tools(asking, all)).length;
}
