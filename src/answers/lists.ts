import type { JsonValue } from "../base/redact/redact.ts";
import { order } from "../base/text/order.ts";
import type { SessionRef } from "../record/record.ts";
import { sessionKey } from "../record/session-key.ts";
import type { CommandCount } from "../views/command-counts.ts";
import type { ChangedFile, ProjectWork, KindCount, TurnGlance } from "../views/list-rows.ts";
import type { SessionView } from "../views/session-view.ts";
import type { ToolChoice } from "../views/list-filter.ts";
import type { ToolView } from "../views/tool-view.ts";
import type { TurnView } from "../views/turn-view.ts";
import type { AnswerContext } from "./answer-context.ts";
import { ownSessionKeys } from "./own-sessions.ts";
import type { ListQuery, Query } from "./questions.ts";

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

/** How sessions are named in print, by their keys. */
export async function shortIds({ index }: AnswerContext, keys: Iterable<string>): Promise<ReadonlyMap<string, string>> {
  return new Map([...new Set(keys)].map((key) => [key, index.queries.shortId(key)]));
}

/** What names a session in print. */
export type SessionNaming = (session: SessionRef) => string;

export async function projectNames({ index }: AnswerContext): Promise<string[]> {
  return index.queries.projectNames();
}

export async function turns(ctx: AnswerContext, query: ListQuery): Promise<TurnView[]> {
  return ctx.index.queries.turns(ctx.work(query));
}

export async function turnTexts(ctx: AnswerContext, query: ListQuery): Promise<JsonValue[]> {
  return ctx.index.queries.turnTexts(ctx.work(query));
}

export async function glances(ctx: AnswerContext, query: ListQuery, withFiles: boolean): Promise<TurnGlance[]> {
  return ctx.index.queries.glances(ctx.work(query), withFiles);
}

/** Files changed by turns, last changed first, and their total number ignoring offset and limit. */
export async function filesChanged(
  ctx: AnswerContext,
  query: Query & Pick<ListQuery, "text" | "offset">,
): Promise<{ files: ChangedFile[]; total: number }> {
  const { text, offset = 0, limit } = query;
  return ctx.index.queries.changedFiles(ctx.work({ ...query, limit: undefined }), text, { offset, limit });
}

/** Turns that changed a file for which `isMeant(path)` is true, in order of time. */
export async function turnsTouching(
  ctx: AnswerContext,
  query: Query,
  isMeant: (path: string) => boolean,
): Promise<readonly (SessionRef & { turn_ref: string })[]> {
  return ctx.index.queries.turnsTouching(ctx.work(query), isMeant);
}

/** The number of requests per project, most recently used project first. */
export async function workByProject(ctx: AnswerContext): Promise<ProjectWork[]> {
  const found = ctx.index.queries.projectWork(ownSessionKeys(ctx, {}));
  return found.toSorted((a, b) => (b.last ?? 0) - (a.last ?? 0) || order(a.project, b.project));
}

/** The number of turns per day. */
export async function turnDays(ctx: AnswerContext, query: Query): Promise<Map<string, number>> {
  const days = new Map<string, number>();
  for (const { time, turns: some } of ctx.index.queries.turnQuarters(ctx.work(query))) {
    const day = ctx.zone.day(time);
    days.set(day, (days.get(day) ?? 0) + some);
  }
  return days;
}

/** In the given order; turns that no longer exist are left out. */
export async function turnsNamed(
  { index }: AnswerContext,
  names: readonly (SessionRef & { turn_ref: string })[],
): Promise<TurnView[]> {
  return names.flatMap((one) => index.queries.turnAt(sessionKey(one), one.turn_ref) ?? []);
}

export async function tools(ctx: AnswerContext, query: Query & ToolChoice): Promise<ToolView[]> {
  return ctx.index.queries.tools(ctx.work(query), query);
}

/** Calls counted by the command that was run. */
export async function commands(ctx: AnswerContext, query: Query): Promise<CommandCount[]> {
  return ctx.index.queries.commandCounts(ctx.work(query));
}

/** Finished calls, successful or not, whose input contains one of these texts; may include a few more. */
export async function callsHolding(
  ctx: AnswerContext,
  texts: readonly string[],
  query: Pick<Query, "project" | "session"> = {},
): Promise<ToolView[]> {
  return ctx.index.queries.callsContaining(ctx.filter(query), texts);
}

export type CountedList = "sessions" | "turns" | "tools";

/** The length of a list without its limit. */
export async function count(ctx: AnswerContext, list: CountedList, query: ListQuery & ToolChoice): Promise<number> {
  const all = { ...query, limit: undefined };
  const { queries } = ctx.index;
  const filter = ctx.work(all);
  if (list === "sessions") return queries.countSessions(filter);
  if (list === "turns") return queries.countTurns(filter);
  // With --grep all calls have to be looked at.
  return query.grep === undefined ? queries.countTools(filter, all) : (await tools(ctx, all)).length;
}
