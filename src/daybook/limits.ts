import { latestLimits, limitViews, type LimitView } from "../answers/limit-view.ts";
import type { Asking } from "./asking.ts";
import { LEAN } from "./questions.ts";

/** Rate limits as the agent recorded them last, newest first. */
export async function limits({ at }: Asking): Promise<LimitView[]> {
  if (at.index) return latestLimits(at.index.queries.limits());
  return limitViews((await at.readFiles(LEAN)).sessions);
}
