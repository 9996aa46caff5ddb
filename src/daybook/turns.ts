import { changedFiles, type ChangedFile, type FileChoice } from "../answers/changed-files.ts";
import { turnInRange } from "../answers/filter.ts";
import { glanceOf, projectWork, type ProjectWork, type TurnGlance } from "../answers/glance.ts";
import type { TurnView } from "../answers/turn-view.ts";
import type { JsonValue } from "../redact/redact.ts";
import { order } from "../text/order.ts";
import type { Turn } from "../turns/session.ts";
import { ownSessionKeys } from "./own-sessions.ts";
import { jsonValue, type AnswerContext } from "./answer-context.ts";
import { FULL, type ListQuery, type Query } from "./questions.ts";
import { sessionKey, turnKey } from "../format/session-key.ts";

export type FileQuery = Query & FileChoice & { offset?: number | undefined };
export type TurnName = Pick<TurnGlance, "source" | "session_id" | "turn_ref">;

export async function turns(ctx: AnswerContext, query: ListQuery): Promise<TurnView[]> {
  const { index } = ctx.snapshot;
  if (index) return index.queries.turns(ctx.work(query));
  const { chosen, range } = await ctx.select(query, FULL);
  const marked = ctx.marked(query);
  const isMeant = (turn: Turn): boolean => marked?.hasTurn(sessionKey(turn.session), turn.ref) !== false;
  const found = chosen.flatMap((session) => session.turns.filter((turn) => turnInRange(turn, range) && isMeant(turn)));
  found.sort((a, b) => (a.draft.trigger.time ?? 0) - (b.draft.trigger.time ?? 0));
  // The limit keeps the newest, still in order of time.
  const newest = query.limit === undefined ? found : found.slice(-query.limit);
  return newest.flatMap((turn) => ctx.unlessBroken(turn.session, () => ctx.turnView(turn)));
}

export async function turnTexts(ctx: AnswerContext, query: ListQuery): Promise<JsonValue[]> {
  const { index } = ctx.snapshot;
  return index ? index.queries.turnTexts(ctx.work(query)) : (await turns(ctx, query)).map(jsonValue);
}

export async function glances(ctx: AnswerContext, query: ListQuery, withFiles: boolean): Promise<TurnGlance[]> {
  const { index } = ctx.snapshot;
  if (index) return index.queries.glances(ctx.work(query), withFiles);
  return (await turns(ctx, { ...query, limit: undefined })).map((turn) => glanceOf(turn, withFiles));
}

/** Files changed by turns, last changed first, and their total number ignoring offset and limit. */
export async function filesChanged(
  ctx: AnswerContext,
  query: FileQuery,
): Promise<{ files: ChangedFile[]; total: number }> {
  const { index } = ctx.snapshot;
  const { offset = 0, limit } = query;
  const all = { ...query, limit: undefined };
  if (index) return index.queries.changedFiles(ctx.work(all), query, { offset, limit });
  const files = changedFiles(await glances(ctx, all, true), query);
  return { files: files.slice(offset, limit === undefined ? undefined : offset + limit), total: files.length };
}

/** Turns that changed a file for which `isMeant(path)` is true, in order of time. */
export async function turnsTouching(
  ctx: AnswerContext,
  query: Query,
  isMeant: (path: string) => boolean,
): Promise<readonly TurnName[]> {
  const { index } = ctx.snapshot;
  if (index) return index.queries.turnsTouching(ctx.work(query), isMeant);
  const all = await glances(ctx, query, true);
  return all.filter(({ files }) => files.some(({ path }) => isMeant(path)));
}

/** The number of requests per project, most recently used project first. */
export async function workByProject(ctx: AnswerContext): Promise<ProjectWork[]> {
  const { index } = ctx.snapshot;
  const found = index ? index.queries.projectWork(ownSessionKeys(ctx, {})) : projectWork(await glances(ctx, {}, false));
  return found.toSorted((a, b) => (b.last ?? 0) - (a.last ?? 0) || order(a.project, b.project));
}

/** The number of turns per day. */
export async function turnDays(ctx: AnswerContext, query: Query): Promise<Map<string, number>> {
  const { index } = ctx.snapshot;
  const times = index
    ? index.queries.turnQuarters(ctx.work(query))
    : (await glances(ctx, query, false)).flatMap(({ time }) => (time === null ? [] : [{ time, turns: 1 }]));
  const days = new Map<string, number>();
  for (const { time, turns: some } of times) {
    const day = ctx.zone.day(time);
    days.set(day, (days.get(day) ?? 0) + some);
  }
  return days;
}

/** In the given order; turns that no longer exist are left out. */
export async function turnsNamed(ctx: AnswerContext, names: readonly TurnName[]): Promise<TurnView[]> {
  const { index } = ctx.snapshot;
  if (index) return names.flatMap((one) => index.queries.turnAt(sessionKey(one), one.turn_ref) ?? []);
  const all = new Map((await turns(ctx, {})).map((turn) => [turnKey(turn), turn]));
  return names.flatMap((one) => all.get(turnKey(one)) ?? []);
}
