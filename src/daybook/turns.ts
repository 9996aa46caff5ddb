import { changedFiles, type ChangedFile, type FileChoice } from "../answers/changed-files.ts";
import { turnInRange } from "../answers/filter.ts";
import { glanceOf, projectWork, type ProjectWork, type TurnGlance } from "../answers/glance.ts";
import type { TurnView } from "../answers/turn-view.ts";
import type { JsonValue } from "../redact/redact.ts";
import { order } from "../text/order.ts";
import { sessionKey, turnKey, type Turn } from "../turns/session.ts";
import { jsonValue, type Asking } from "./asking.ts";
import { FULL, type Query } from "./questions.ts";

export type FileQuery = Query & FileChoice & { offset?: number | undefined };
export type TurnName = Pick<TurnGlance, "source" | "session_id" | "turn_ref">;

export async function turns(asking: Asking, query: Query): Promise<TurnView[]> {
  const { index } = asking.at;
  if (index) return index.queries.turns(asking.filter(query));
  const { chosen, range } = await asking.select(query, FULL);
  const marked = asking.marked(query);
  const isMeant = (turn: Turn): boolean => marked?.hasTurn(sessionKey(turn.session), turn.ref) !== false;
  const found = chosen.flatMap((session) => session.turns.filter((turn) => turnInRange(turn, range) && isMeant(turn)));
  found.sort((a, b) => (a.draft.trigger.time ?? 0) - (b.draft.trigger.time ?? 0));
  // The newest are the ones asked for; they still stand in order of time.
  const newest = query.limit === undefined ? found : found.slice(-query.limit);
  return newest.flatMap((turn) => asking.unlessBroken(turn.session, () => asking.turnView(turn)));
}

export async function turnTexts(asking: Asking, query: Query): Promise<JsonValue[]> {
  const { index } = asking.at;
  return index ? index.queries.turnTexts(asking.filter(query)) : (await turns(asking, query)).map(jsonValue);
}

export async function glances(asking: Asking, query: Query, withFiles: boolean): Promise<TurnGlance[]> {
  const { index } = asking.at;
  if (index) return index.queries.glances(asking.filter(query), withFiles);
  return (await turns(asking, { ...query, limit: undefined })).map((turn) => glanceOf(turn, withFiles));
}

/** Files that turns changed, the last changed first, and how many there are without offset and limit. */
export async function filesChanged(asking: Asking, query: FileQuery): Promise<{ files: ChangedFile[]; total: number }> {
  const { index } = asking.at;
  const { offset = 0, limit } = query;
  const all = { ...query, limit: undefined };
  if (index) return index.queries.changedFiles(asking.filter(all), query, { offset, limit });
  const files = changedFiles(await glances(asking, all, true), query);
  return { files: files.slice(offset, limit === undefined ? undefined : offset + limit), total: files.length };
}

/** Turns that changed a file whose path is meant, in order of time. */
export async function turnsTouching(
  asking: Asking,
  query: Query,
  isMeant: (path: string) => boolean,
): Promise<readonly TurnName[]> {
  const { index } = asking.at;
  if (index) return index.queries.turnsTouching(asking.filter(query), isMeant);
  const all = await glances(asking, query, true);
  return all.filter(({ files }) => files.some(({ path }) => isMeant(path)));
}

/** How much was asked for in each project, the last asked first. */
export async function workByProject(asking: Asking): Promise<ProjectWork[]> {
  const { index } = asking.at;
  const found = index ? index.queries.projectWork() : projectWork(await glances(asking, {}, false));
  return found.toSorted((a, b) => (b.last ?? 0) - (a.last ?? 0) || order(a.project, b.project));
}

/** How many turns were asked for on each day. */
export async function turnDays(asking: Asking, query: Query): Promise<Map<string, number>> {
  const { index } = asking.at;
  const times = index
    ? index.queries.turnQuarters(asking.filter(query))
    : (await glances(asking, query, false)).flatMap(({ time }) => (time === null ? [] : [{ time, turns: 1 }]));
  const days = new Map<string, number>();
  for (const { time, turns: some } of times) {
    const day = asking.zone.day(time);
    days.set(day, (days.get(day) ?? 0) + some);
  }
  return days;
}

/** In the order in which they are named; without those that are no longer there. */
export async function turnsNamed(asking: Asking, names: readonly TurnName[]): Promise<TurnView[]> {
  const { index } = asking.at;
  if (index) return names.flatMap((one) => index.queries.turnAt(sessionKey(one), one.turn_ref) ?? []);
  const all = new Map((await turns(asking, {})).map((turn) => [turnKey(turn), turn]));
  return names.flatMap((one) => all.get(turnKey(one)) ?? []);
}
