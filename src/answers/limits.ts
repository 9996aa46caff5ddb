import { latestLimits, type LimitView } from "../views/limit-view.ts";
import type { AnswerContext } from "./answer-context.ts";

/** The rate limits each agent recorded last, newest first. */
export async function limits({ index }: AnswerContext): Promise<LimitView[]> {
  return latestLimits(index.queries.limits());
}
