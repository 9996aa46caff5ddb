import { daysBefore } from "../report/days.ts";
import { lookBack } from "../report/left-over.ts";
import { resolveSpan } from "../report/window.ts";
import type { Need } from "../store/sync/reading-order.ts";
import type { GivenDemand } from "../store/tables/given-demand.ts";
import { IndexQueries } from "../store/tables/queries.ts";
import { scopeOf } from "../store/tables/scope.ts";
import { choosesMarks } from "../answers/marks.ts";
import type { OpenedSources } from "../reading/library.ts";
import type { Zone } from "../time/zone.ts";
import { MUCH, type DaybookOptions, type ReportQuery, type SessionChoice } from "./questions.ts";

/** What began so soon after a day, in ms, may still belong to what was asked on it. */
const AFTER = 36 * 3_600_000;

/** Back from a time, in ms, within which there mostly was work. */
export const A_WHILE: number = 14 * 24 * 3_600_000;

/** The days of a report are known before anything is read. */
export function isOfDays({ date, since }: ReportQuery): boolean {
  return date !== undefined || since !== undefined;
}

/** A session by its name, and the first day of all, are known when everything is read. */
function isOfAll(query: ReportQuery): boolean {
  const { session, since, until } = query;
  return session !== undefined || choosesMarks(query) || (until !== undefined && since === undefined);
}

/** Which files a question must have read, where more is new than can be read in a moment. */
export class Needs {
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

  /** Its days must be read; without a date it is known only from what was read which ones they are. */
  ofReport(query: ReportQuery, now: number): Need {
    const { date, week, project, since, until } = query;
    const zone = this.#zone;
    const isOpen = isOfAll(query);
    const fixed = resolveSpan(query, zone, now, { first: null, newest: null });
    const isFixed = date !== undefined || since !== undefined;
    const end = isFixed ? Date.parse(fixed.end) + AFTER : null;
    return this.#need(end, (index, last) => {
      if (isOpen) return -Infinity;
      const { newest } = index.workTimes({ project });
      const span = resolveSpan({ date, week, since, until }, zone, now, { first: null, newest: newest ?? last });
      // Several days are compared with those before.
      return daysBefore(span, zone, now)?.range.start ?? Date.parse(span.start);
    });
  }

  /**
   * What a report needs of another store. `newest`: when anything was asked for last, for a report of that day; where that is today, the last
   * day with work before is asked for next.
   */
  inStore(query: ReportQuery, now: number, newest: number | null): GivenDemand {
    if (isOfAll(query)) return {};
    const zone = this.#zone;
    const span = resolveSpan(query, zone, now, { first: null, newest });
    const first = daysBefore(span, zone, now)?.range.start ?? Date.parse(span.start);
    const back = !isOfDays(query) && span.since === zone.day(now) ? A_WHILE : 0;
    const end = Date.parse(span.end);
    return {
      range: { start: Math.min(lookBack(span, zone), first) - back, end },
      spent: { start: first - back, end },
    };
  }

  /** The newest day with work before a time. */
  ofLastDay(end: number, query: SessionChoice): Need {
    const zone = this.#zone;
    const { project, session } = query;
    return this.#need(end, (index, last) => {
      if (session !== undefined || choosesMarks(query)) return -Infinity;
      return zone.startOfDay(zone.day(index.workTimes({ project, before: end }).newest ?? last));
    });
  }

  #need(end: number | null, start: (index: IndexQueries, newest: number) => number): Need {
    const { roots, sources } = this.#options;
    return {
      least: this.much,
      end,
      start: (store, newest) => {
        const scope = scopeOf(store, this.#opened, roots, sources);
        return start(new IndexQueries(store, scope), newest);
      },
    };
  }
}
