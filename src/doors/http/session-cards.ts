import { type Daybook, inside, type SearchResult } from "../../answers/daybook.ts";
import { askedLine } from "../../base/text/asked-line.ts";
import { sessionKey } from "../../record/session-key.ts";
import type { SessionView } from "../../views/session-view.ts";
import type { TurnView } from "../../views/turn-view.ts";
import type { ShownOutcome } from "../../answers/shown-outcomes.ts";
import type { ListedTurn, SessionCard, SessionName, TurnBrief } from "./answers.ts";
import type { AnswerContext } from "./route.ts";

/** In ms. A session whose last turn is open counts as running if something was written this recently. */
const LIVELY_MS = 10 * 60_000;

/** Sessions as lists show them: with the first request, and how the last turn ended. */
export async function sessionCards(
  { daybook, now }: Pick<AnswerContext, "daybook" | "now">,
  views: readonly SessionView[],
): Promise<SessionCard[]> {
  const [ends, waiting] = await Promise.all([inside(daybook).ends(views), inside(daybook).waiting()]);
  const lasts = ends.map(({ last }) => last);
  const shown = await inside(daybook).shownOutcomes(lasts.filter((last) => last !== null));
  // In the order of the sessions that have a last turn.
  const next = shown[Symbol.iterator]();
  return views.map((view, i) => {
    const { first = null, last = null } = ends[i] ?? {};
    const asked = first?.trigger.text ?? null;
    return {
      ...view,
      first_request: asked === null ? null : askedLine(asked),
      outcome: last?.outcome ?? null,
      shown_outcome: last === null ? null : (next.next().value ?? last.outcome),
      running: last?.outcome === "open" && isLively(view, now()) && !waiting.has(sessionKey(view)),
    };
  });
}

/** The sessions running now. Only the few that were written recently are looked at. */
export async function runningSessions(served: Pick<AnswerContext, "daybook" | "now">): Promise<SessionCard[]> {
  const { daybook, now } = served;
  const since = daybook.zone.day(now() - LIVELY_MS);
  const lately = (await daybook.sessions({ since })).filter((one) => one.kind === "root" && isLively(one, now()));
  return (await sessionCards(served, lately)).filter(({ running }) => running);
}

function isLively({ ended_at }: SessionView, now: number): boolean {
  return now - Date.parse(ended_at ?? "") < LIVELY_MS;
}

/** The names of the sessions these hits belong to, each once. */
export async function sessionNames(
  daybook: Daybook,
  hits: readonly Pick<SearchResult, "source" | "session_id" | "lost">[],
): Promise<SessionName[]> {
  // A prompt without a transcript has no session to name.
  const found = hits.filter(({ lost }) => !lost);
  const names = new Set(found.map(sessionKey));
  const views = (await Promise.all([...names].map((session) => daybook.sessions({ session })))).flat();
  const ends = await inside(daybook).ends(views);
  return views.map(({ source, session_id, title }, i) => {
    const asked = ends[i]?.first?.trigger.text ?? null;
    return { source, session_id, title, first_request: asked === null ? null : askedLine(asked) };
  });
}

/** Turns as lists show them. */
export async function listedTurns(daybook: Daybook, views: readonly TurnView[]): Promise<ListedTurn[]> {
  const shown = await inside(daybook).shownOutcomes(views);
  return views.map((view, i) => ({ ...view, shown_outcome: shown[i] ?? view.outcome }));
}

/** Maximum length of a request, in characters. */
export const LONGEST_REQUEST = 300;

export function turnBrief(turn: TurnView, shown_outcome: ShownOutcome): TurnBrief {
  const { turn_ref, start_line, trigger, outcome, duration_ms, usage_with_children, tools, final_text } = turn;
  return {
    turn_ref,
    start_line,
    time: trigger.time,
    request: trigger.text === null ? null : askedLine(trigger.text).slice(0, LONGEST_REQUEST),
    outcome,
    shown_outcome,
    duration_ms,
    cost_usd: usage_with_children.cost_usd,
    tool_calls: tools.total,
    answer_length: final_text?.length ?? null,
    model: turn.context.model,
    has_decisions: turn.decisions && turn.decisions.length > 0,
  };
}
