import { ONLY_SESSIONS, type RemoteDemand } from "../index/tables/remote-demand.ts";
import type { TimeRange } from "../base/time/range.ts";
import type { Engine } from "./engine.ts";
import { hasFixedDays, RECENT_SPAN } from "./need.ts";
import type { ReportQuery, WorkChoice } from "./questions.ts";

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
