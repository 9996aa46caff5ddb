import { inRange } from "../answers/filter.ts";
import { countKinds, type SessionEnds, type SessionKinds } from "../answers/glance.ts";
import type { SessionView } from "../answers/session-view.ts";
import type { JsonValue } from "../redact/redact.ts";
import { ownSessionKeys } from "./own-sessions.ts";
import { jsonValue, type AnswerContext } from "./answer-context.ts";
import { cut, FULL, LEAN, type ListQuery } from "./questions.ts";
import { sessionKey } from "../format/session-key.ts";

export type SessionName = Pick<SessionView, "source" | "session_id">;

export async function sessions(ctx: AnswerContext, query: ListQuery): Promise<SessionView[]> {
  const { index } = ctx.snapshot;
  if (index) return [...index.queries.sessions(ctx.work(query))];
  const { chosen, range } = await ctx.select(query, LEAN);
  const listed = chosen.filter((session) => inRange(session, range)).toReversed();
  return cut(listed, query.limit).flatMap((session) => ctx.unlessBroken(session, () => ctx.sessionView(session)));
}

export async function sessionTexts(ctx: AnswerContext, query: ListQuery): Promise<JsonValue[]> {
  const { index } = ctx.snapshot;
  if (index) return index.queries.sessionTexts(ctx.work(query));
  return (await sessions(ctx, query)).map(jsonValue);
}

/** The number of sessions per agent and kind. */
export async function sessionKinds(ctx: AnswerContext): Promise<SessionKinds[]> {
  const { index } = ctx.snapshot;
  return index ? index.queries.sessionKinds(ownSessionKeys(ctx, {})) : countKinds(await sessions(ctx, {}));
}

/** The first and last turn of each session. */
export async function sessionEnds(ctx: AnswerContext, named: readonly SessionName[]): Promise<SessionEnds[]> {
  const { index } = ctx.snapshot;
  if (index) return named.map((one) => index.queries.firstAndLastTurn(sessionKey(one)));
  const read = new Map((await ctx.read(FULL)).sessions.map((one) => [sessionKey(one), one]));
  return named.map((one) => {
    const turns = read.get(sessionKey(one))?.turns ?? [];
    const [first, last] = [turns[0], turns.at(-1)];
    return { first: first ? ctx.turnView(first) : null, last: last ? ctx.turnView(last) : null };
  });
}

/** The first request of each session; null if nothing was asked. */
export async function firstRequests(ctx: AnswerContext, named: readonly SessionName[]): Promise<(string | null)[]> {
  const { index } = ctx.snapshot;
  if (index) return named.map((one) => index.queries.firstRequest(one));
  const read = new Map((await ctx.read(LEAN)).sessions.map((session) => [sessionKey(session), session]));
  return named.map((one) => read.get(sessionKey(one))?.turns[0]?.draft.trigger.text ?? null);
}

/** The ids of all sessions, whatever the query. */
export async function sessionIds({ snapshot }: AnswerContext): Promise<string[]> {
  if (snapshot.index) return snapshot.index.queries.sessionIds();
  return (await snapshot.filesRead()).flatMap((read) => read.sessions.map(({ session_id }) => session_id));
}

export async function projectNames({ snapshot }: AnswerContext): Promise<string[]> {
  if (snapshot.index) return snapshot.index.queries.projectNames();
  const read = (await snapshot.filesRead()).flatMap((one) => one.sessions);
  return [...new Set(read.map((session) => snapshot.names.projectOf(session).project))].toSorted();
}
