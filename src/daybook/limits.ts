import { latestLimits, limitViews, type LimitView } from "../answers/limit-view.ts";
import type { AnswerContext } from "./answer-context.ts";
import { LEAN } from "./questions.ts";

/** The rate limits each agent recorded last, newest first. */
export async function limits({ snapshot }: AnswerContext): Promise<LimitView[]> {
  if (snapshot.index) return latestLimits(snapshot.index.queries.limits());
  return limitViews((await snapshot.readFiles(LEAN)).sessions);
}
