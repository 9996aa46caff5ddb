import { daysBefore } from "./report/days.ts";
import { lookBack } from "./report/span-loose-ends.ts";
import { resolveSpan } from "./report/window.ts";
import type { ReadDemand } from "../index/sync/reading-order.ts";
import type { RemoteDemand, RemoteList } from "../index/tables/remote-demand.ts";
import { IndexQueries } from "../index/tables/queries.ts";
import { scopeOf } from "../index/tables/scope.ts";
import { hasMarkChoice } from "../views/marks.ts";
import type { OpenedSources } from "../book/reading/library.ts";
import type { Zone } from "../base/time/zone.ts";
import {
  chosenSources,
  MUCH,
  type DaybookOptions,
  type ListQuery,
  type ReportQuery,
  type WorkChoice,
} from "./questions.ts";

/** In ms. A session that began this soon after a day may still belong to a request of that day. */
const AFTER = 36 * 3_600_000;

/** In ms. Going back this far usually finds a day with work. */
export const RECENT_SPAN: number = 14 * 24 * 3_600_000;

/** Whether the days of a report are known before anything is read. */
export function hasFixedDays({ date, since }: ReportQuery): boolean {
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
