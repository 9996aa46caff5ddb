import type { ChangedFile, FileChoice } from "../views/changed-files.ts";
import type { ProjectWork, Glance } from "../views/glance.ts";
import type { TurnView } from "../views/turn-view.ts";
import type { SessionRef } from "../record/record.ts";
import { sessionKey } from "../record/session-key.ts";
import type { JsonValue } from "../base/redact/redact.ts";
import { order } from "../base/text/order.ts";
import type { AnswerContext } from "./answer-context.ts";
import { ownSessionKeys } from "./own-sessions.ts";
import type { ListQuery, Query } from "./questions.ts";

export type FileQuery = Query & FileChoice & { offset?: number | undefined };

export async function turns(ctx: AnswerContext, query: ListQuery): Promise<TurnView[]> {
  return ctx.index.queries.turns(ctx.work(query));
}

export async function turnTexts(ctx: AnswerContext, query: ListQuery): Promise<JsonValue[]> {
  return ctx.index.queries.turnTexts(ctx.work(query));
}

export async function glances(ctx: AnswerContext, query: ListQuery, withFiles: boolean): Promise<Glance[]> {
  return ctx.index.queries.glances(ctx.work(query), withFiles);
}

/** Files changed by turns, last changed first, and their total number ignoring offset and limit. */
export async function filesChanged(
  ctx: AnswerContext,
  query: FileQuery,
): Promise<{ files: ChangedFile[]; total: number }> {
  const { offset = 0, limit } = query;
  return ctx.index.queries.changedFiles(ctx.work({ ...query, limit: undefined }), query, { offset, limit });
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
