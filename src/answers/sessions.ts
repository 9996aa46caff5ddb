import type { KindCount } from "../views/glance.ts";
import type { SessionView } from "../views/session-view.ts";
import type { TurnView } from "../views/turn-view.ts";
import type { SessionRef } from "../record/record.ts";
import { sessionKey } from "../record/session-key.ts";
import type { JsonValue } from "../base/redact/redact.ts";
import type { AnswerContext } from "./answer-context.ts";
import { ownSessionKeys } from "./own-sessions.ts";
import type { ListQuery } from "./questions.ts";

export async function sessions(ctx: AnswerContext, query: ListQuery): Promise<SessionView[]> {
  return [...ctx.index.queries.sessions(ctx.work(query))];
}

export async function sessionTexts(ctx: AnswerContext, query: ListQuery): Promise<JsonValue[]> {
  return ctx.index.queries.sessionTexts(ctx.work(query));
}

/** The number of sessions per agent and kind. */
export async function sessionKinds(ctx: AnswerContext): Promise<KindCount[]> {
  return ctx.index.queries.sessionKinds(ownSessionKeys(ctx, {}));
}

/** The first and last turn of each session. */
export async function sessionEnds(
  { index }: AnswerContext,
  named: readonly SessionRef[],
): Promise<{ first: TurnView | null; last: TurnView | null }[]> {
  return named.map((one) => index.queries.firstAndLastTurn(sessionKey(one)));
}

/** The first request of each session; null if nothing was asked. */
export async function firstRequests(
  { index }: AnswerContext,
  named: readonly SessionRef[],
): Promise<(string | null)[]> {
  return named.map((one) => index.queries.firstRequest(one));
}

/** The ids of all sessions, whatever the query. */
export async function sessionIds({ index }: AnswerContext): Promise<string[]> {
  return index.queries.sessionIds();
}

export async function projectNames({ index }: AnswerContext): Promise<string[]> {
  return index.queries.projectNames();
}
