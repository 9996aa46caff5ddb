import { limitViews, type LimitView } from "../answers/limit-view.ts";
import type { Asking } from "./asking.ts";
import { LEAN } from "./questions.ts";
import { cacheKey } from "./report.ts";

/** Rate limits as the agent recorded them last, newest first. */
export async function limits(asking: Asking): Promise<LimitView[]> {
  return asking.recordFacts().answer(
    () => cacheKey(asking, "limits", {}),
    async () => limitViews((await asking.read(LEAN)).sessions),
  );
}
