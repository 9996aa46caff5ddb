import { ONLY_SESSIONS, type RemoteDemand } from "../store/tables/remote-demand.ts";
import type { TimeRange } from "../time/range.ts";
import { addDays } from "../time/zone.ts";
import type { Engine } from "./engine.ts";
import { hasFixedDays, RECENT_SPAN } from "./need.ts";
import type { ReportQuery, SessionChoice } from "./questions.ts";
import { turns } from "./turns.ts";

/** The time of the last request before `end`; null if there is none. */
export async function newestTurn(engine: Engine, end: number | null, query: SessionChoice): Promise<number | null> {
  const { project, session } = query;
  const files = end === null ? undefined : engine.needs.ofLastDay(end, query);
  const newestIn = async (range?: TimeRange): Promise<number | null> =>
    engine.ask(
      async (ctx) => {
        const { index } = ctx.snapshot;
        const before = end === null ? {} : { before: end };
        if (index) return index.queries.workTimes({ project, session, marked: ctx.marked(query), ...before }).newest;
        const until = end === null ? undefined : addDays(engine.zone.day(end), -1);
        const [turn] = await turns(ctx, { ...query, until, limit: 1 });
        const time = turn?.trigger.time ?? null;
        return time === null ? null : Date.parse(time);
      },
      { files, store: { lists: ["turns"], range } },
    );
  if (!engine.isOfStore) return newestIn();
  // Recent days first: all turns in that range are fetched, so the newest of them is the newest of all.
  const last = await engine.ask(async ({ snapshot }) => snapshot.index?.queries.newestActivity() ?? null, {
    store: ONLY_SESSIONS,
  });
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
