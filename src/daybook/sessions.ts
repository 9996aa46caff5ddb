import { inRange } from "../answers/filter.ts";
import { countKinds, type SessionEnds, type SessionKinds } from "../answers/glance.ts";
import type { SessionView } from "../answers/session-view.ts";
import type { JsonValue } from "../redact/redact.ts";
import { sessionKey } from "../turns/session.ts";
import { jsonValue, type Asking } from "./asking.ts";
import { cut, FULL, LEAN, type Query } from "./questions.ts";

export type SessionName = Pick<SessionView, "source" | "session_id">;

export async function sessions(asking: Asking, query: Query): Promise<SessionView[]> {
  const { index } = asking.at;
  if (index) return [...index.queries.sessions(asking.filter(query))];
  const { chosen, range } = await asking.select(query, LEAN);
  const listed = chosen.filter((session) => inRange(session, range)).toReversed();
  return cut(listed, query.limit).flatMap((session) => asking.unlessBroken(session, () => asking.sessionView(session)));
}

export async function sessionTexts(asking: Asking, query: Query): Promise<JsonValue[]> {
  const { index } = asking.at;
  if (index) return index.queries.sessionTexts(asking.filter(query));
  return (await sessions(asking, query)).map(jsonValue);
}

/** How many there are of each agent and kind. */
export async function sessionKinds(asking: Asking): Promise<SessionKinds[]> {
  const { index } = asking.at;
  return index ? index.queries.sessionKinds() : countKinds(await sessions(asking, {}));
}

/** The first and the last turn of each. */
export async function sessionEnds(asking: Asking, named: readonly SessionName[]): Promise<SessionEnds[]> {
  const { index } = asking.at;
  if (index) return named.map((one) => index.queries.endsOf(sessionKey(one)));
  const read = new Map((await asking.read(FULL)).sessions.map((one) => [sessionKey(one), one]));
  return named.map((one) => {
    const turns = read.get(sessionKey(one))?.turns ?? [];
    const [first, last] = [turns[0], turns.at(-1)];
    return { first: first ? asking.turnView(first) : null, last: last ? asking.turnView(last) : null };
  });
}

/** What each was first asked for; null where nobody asked anything. */
export async function firstRequests(asking: Asking, named: readonly SessionName[]): Promise<(string | null)[]> {
  const { index } = asking.at;
  if (index) return named.map((one) => index.queries.firstRequest(one));
  const read = new Map((await asking.read(LEAN)).sessions.map((session) => [sessionKey(session), session]));
  return named.map((one) => read.get(sessionKey(one))?.turns[0]?.draft.trigger.text ?? null);
}

/** Of all there are, also those that were not asked about. */
export async function sessionIds({ at }: Asking): Promise<string[]> {
  if (at.index) return at.index.queries.sessionIds();
  return (await at.filesRead()).flatMap((read) => read.sessions.map(({ session_id }) => session_id));
}

export async function projectNames({ at }: Asking): Promise<string[]> {
  if (at.index) return at.index.queries.projectNames();
  const read = (await at.filesRead()).flatMap((one) => one.sessions);
  return [...new Set(read.map((session) => at.names.projectOf(session).project))].toSorted();
}
