import type { TimeRange } from "../base/time/range.ts";
import type { Zone } from "../base/time/zone.ts";
import type { OpenedSources } from "../book/reading/library.ts";
import type { ReadDemand } from "../index/sync/reading-order.ts";
import { IndexQueries } from "../index/tables/queries.ts";
import { ONLY_SESSIONS, type RemoteDemand, type RemoteList } from "../index/tables/remote-demand.ts";
import { scopeOf } from "../index/tables/scope.ts";
import { hasMarkChoice } from "../views/marks.ts";
import type { Engine } from "./engine.ts";
import {
  chosenSources,
  type DaybookOptions,
  type ListQuery,
  MUCH,
  type ReportQuery,
  type WorkChoice,
} from "./questions.ts";
import { daysBefore } from "./report/days.ts";
import { lookBack } from "./report/span-loose-ends.ts";
import { resolveSpan } from "./report/window.ts";

/** In ms. A session that began this soon after a day may still belong to a request of that day. */
const AFTER = 36 * 3_600_000;

/** In ms. Going back this far usually finds a day with work. */
const RECENT_SPAN: number = 14 * 24 * 3_600_000;

/** Whether the days of a report are known before anything is read. */
function hasFixedDays({ date, since }: ReportQuery): boolean {
  return date !== undefined || since !== undefined;
}

/** What a list of sessions needs beside them: the last turn says how one ended, the first what was asked. */
export function listsForSessions({ outcome, text }: Pick<ListQuery, "outcome" | "text">): readonly RemoteList[] {
  return outcome === undefined && text === undefined ? [] : ["turns"];
}

/** Whether everything has to be read: to find a session by name, or the first day of all. */
function needsEverything(query: ReportQuery): boolean {
  const { session, since, until } = query;
  return session !== undefined || hasMarkChoice(query) || (until !== undefined && since === undefined);
}

/** Which files a question must have read if too much is new to read it all. */
export class ReadNeeds {
  readonly #options: DaybookOptions;
  readonly #zone: Zone;
  readonly #opened: () => OpenedSources;

  constructor(options: DaybookOptions, zone: Zone, opened: () => OpenedSources) {
    this.#options = options;
    this.#zone = zone;
    this.#opened = opened;
  }

  /** More new bytes than this are not waited for. */
  get much(): number {
    return this.#options.readFirst ?? MUCH;
  }

  /** The days of a report must be read; without a date, which days these are follows from what was read. */
  ofReport(query: ReportQuery, now: number): ReadDemand {
    const { date, week, project, since, until } = query;
    const zone = this.#zone;
    const isOpen = needsEverything(query);
    const fixed = resolveSpan(query, zone, now, { first: null, newest: null });
    const isFixed = date !== undefined || since !== undefined;
    const end = isFixed ? Date.parse(fixed.end) + AFTER : null;
    return this.#need(end, (index, last) => {
      if (isOpen) return -Infinity;
      const { newest } = index.workTimes({ project });
      const span = resolveSpan({ date, week, since, until }, zone, now, { first: null, newest: newest ?? last });
      // Several days are compared with the days before them.
      return daysBefore(span, zone, now)?.range.start ?? Date.parse(span.start);
    });
  }

  /**
   * What a report needs from a team store. `newest`: the time of the last request, for a report without a date; if
   * that is today, the previous day with work is needed as well.
   */
  remoteDemand(query: ReportQuery, now: number, newest: number | null): RemoteDemand {
    if (needsEverything(query)) return {};
    const zone = this.#zone;
    const span = resolveSpan(query, zone, now, { first: null, newest });
    const first = daysBefore(span, zone, now)?.range.start ?? Date.parse(span.start);
    const back = !hasFixedDays(query) && span.since === zone.day(now) ? RECENT_SPAN : 0;
    const end = Date.parse(span.end);
    return {
      range: { start: Math.min(lookBack(span, zone), first) - back, end },
      spent: { start: first - back, end },
    };
  }

  /** The newest day with work before a time. */
  ofLastDay(end: number, query: WorkChoice): ReadDemand {
    const zone = this.#zone;
    const { project, session } = query;
    return this.#need(end, (index, last) => {
      if (session !== undefined || hasMarkChoice(query)) return -Infinity;
      return zone.startOfDay(zone.day(index.workTimes({ project, before: end }).newest ?? last));
    });
  }

  #need(end: number | null, start: (index: IndexQueries, newest: number) => number): ReadDemand {
    return {
      least: this.much,
      end,
      start: (store, newest) => {
        const scope = scopeOf(store, chosenSources(this.#options, this.#opened));
        return start(new IndexQueries(store, scope), newest);
      },
    };
  }
}

/** The time of the last request before `end`; null if there is none. */
export async function newestTurn(engine: Engine, end: number | null, query: WorkChoice): Promise<number | null> {
  const { project, session } = query;
  const files = end === null ? undefined : engine.needs.ofLastDay(end, query);
  const newestIn = async (range?: TimeRange): Promise<number | null> =>
    engine.ask(
      async (ctx) => {
        const before = end === null ? {} : { before: end };
        return ctx.index.queries.workTimes({ project, session, marked: ctx.marked(query), ...before }).newest;
      },
      { files, store: { lists: ["turns"], range } },
    );
  if (!engine.isOfStore) return newestIn();
  // Recent days first: all turns in that range are fetched, so the newest of them is the newest of all.
  const last = await engine.ask(async ({ index }) => index.queries.newestActivity(), { store: ONLY_SESSIONS });
  const start = Math.min(end ?? Infinity, last ?? engine.now) - RECENT_SPAN;
  const recent = await newestIn({ start, end });
  return recent !== null && recent >= start ? recent : newestIn();
}

/** What a report needs from a team store. Without a date, the newest day with work is asked for first. */
export async function reportDemand(engine: Engine, query: ReportQuery): Promise<RemoteDemand> {
  if (!engine.isOfStore) return {};
  const newest = hasFixedDays(query) ? null : await newestTurn(engine, null, query);
  return engine.needs.remoteDemand(query, engine.now, newest);
}
