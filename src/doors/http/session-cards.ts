import { inside } from "../../answers/daybook.ts";
import { askedLine } from "../../base/text/asked-line.ts";
import type { SessionView } from "../../views/session-view.ts";
import { sessionKey } from "../../record/session-key.ts";
import type { SessionCard } from "./answers.ts";
import type { AnswerContext } from "./route.ts";

/** In ms. A session whose last turn is open counts as running if something was written this recently. */
const LIVELY = 10 * 60_000;

/** Sessions as lists show them: with the first request, and how the last turn ended. */
export async function sessionCards(
  { daybook, now }: Pick<AnswerContext, "daybook" | "now">,
  views: readonly SessionView[],
): Promise<SessionCard[]> {
  const [ends, waiting] = await Promise.all([inside(daybook).ends(views), inside(daybook).waiting()]);
  return views.map((view, i) => {
    const { first = null, last = null } = ends[i] ?? {};
    const asked = first?.trigger.text ?? null;
    return {
      ...view,
      first_request: asked === null ? null : askedLine(asked),
      outcome: last?.outcome ?? null,
      running: last?.outcome === "open" && isLively(view, now()) && !waiting.has(sessionKey(view)),
    };
  });
}

/** The sessions running now. Only the few that were written recently are looked at. */
export async function runningSessions(served: Pick<AnswerContext, "daybook" | "now">): Promise<SessionCard[]> {
  const { daybook, now } = served;
  const since = daybook.zone.day(now() - LIVELY);
  const lately = (await daybook.sessions({ since })).filter((one) => one.kind === "root" && isLively(one, now()));
  return (await sessionCards(served, lately)).filter(({ running }) => running);
}

function isLively({ ended_at }: SessionView, now: number): boolean {
  return now - Date.parse(ended_at ?? "") < LIVELY;
}
