import { isAbsolute } from "node:path";
import { z } from "@hono/zod-openapi";
import { inside, sourceIds } from "../../../answers/daybook.ts";
import { iso } from "../../../base/time/zone.ts";
import type { ChangedFile } from "../../../views/list-rows.ts";
import { pieceFrom } from "../paging.ts";
import type { Day, ProjectCard } from "../answers.ts";
import { report } from "../../../answers/questions/days.ts";
import { files } from "../../../answers/questions/lists.ts";
import { addRoute, type AnswerContext, type Api, commonFilters, pageParams, paramsOf } from "../route.ts";
import { listedTurns, runningSessions } from "../session-cards.ts";
import { order } from "../../../base/text/order.ts";
import { totalTokens } from "../../../record/tokens.ts";
import { sessionKey, keyOfSession, turnKey } from "../../../record/session-key.ts";

/** The usual cost is computed from this many days before today. */
const USUAL_DAYS = 28;
const USUAL_LEAST = 3;

/** What the page shows first: days, projects, files, the report of a day. */
export function overviewRoutes(api: Api, served: AnswerContext): void {
  const { daybook, now } = served;

  addRoute(api, served, {
    path: "/overview",
    summary: "What is available: projects, agents, number of sessions",
    answer: "Overview",
    ask: async () => {
      const [kinds, work] = await Promise.all([inside(daybook).sessionKinds(), inside(daybook).projectWork()]);
      const found = new Set(kinds.map(({ source }) => source));
      const today = daybook.zone.day(now());
      const last = work.reduce((most, one) => Math.max(most, one.last ?? -Infinity), -Infinity);
      return {
        version: served.version,
        today,
        opens_on: last === -Infinity ? today : earlier(daybook.zone.day(last), today),
        timezone: daybook.zone.name,
        sample: served.sample,
        sessions: kinds.reduce((sum, { kind, sessions }) => sum + (kind === "root" ? sessions : 0), 0),
        sources: sourceIds().filter((id) => found.has(id)),
        projects: work.map(({ last, ...card }): ProjectCard => ({ ...card, last_time: iso(last) })),
        opens_terminal: served.terminal !== null,
        syncing: served.isSyncing(),
      };
    },
  });

  addRoute(api, served, {
    path: "/now",
    summary: "What is running, and what waits for the human",
    answer: "Now",
    ask: async ({ redact }) => {
      const date = daybook.zone.day(now());
      const [running, report] = await Promise.all([runningSessions(served), daybook.report({ date, redact })]);
      const atWork = new Set(running.map(sessionKey));
      const waiting =
        report.loose_ends &&
        report.loose_ends.filter(
          ({ kind, source, session_id }) => kind !== "open" || !atWork.has(keyOfSession(source, session_id)),
        );
      return { running, waiting, waiting_longer: report.carried_over };
    },
  });

  addRoute(api, served, {
    path: "/days",
    summary: "Days with work: turns, tokens, cost",
    query: z.object(commonFilters),
    answer: "Days",
    ask: async ({ query }) => {
      const [usage, turns] = await Promise.all([
        daybook.usage({ ...query, group: "daily", by: "spent", breakdown: false, order: "asc" }),
        inside(daybook).turnDays(query),
      ]);
      const spent = new Map(usage.rows.map((row) => [row.period, row]));
      const named = [...new Set([...turns.keys(), ...spent.keys()])].filter(isDay).toSorted();
      const days = named.map((day): Day => {
        const row = spent.get(day);
        return {
          day,
          turns: turns.get(day) ?? 0,
          tokens: row ? totalTokens(row) : 0,
          cost_usd: row ? row.cost_usd : 0,
        };
      });
      return { days, usual_cost_usd: usualCost(days, daybook.zone.day(now())) };
    },
  });

  addRoute(api, served, {
    path: "/report",
    summary: "The report of a day, a week or any span of days",
    query: z.object(paramsOf(report.query)),
    answer: "Report",
    ask: ({ query, redact }) => daybook.report({ ...query, redact }),
  });

  addRoute(api, served, {
    path: "/files",
    summary: "Files changed by turns, last changed first",
    query: z.object({ ...paramsOf(files.query), ...pageParams }),
    answer: "FileList",
    ask: async ({ query }) => {
      const { cursor: _, ...choice } = query;
      let total = 0;
      const list = async (offset: number, limit?: number): Promise<readonly ChangedFile[]> => {
        const found = await daybook.files({ ...choice, offset, limit });
        ({ total } = found);
        return found.files;
      };
      const { piece, ...rest } = await pieceFrom(
        list,
        () => total,
        query,
        ({ path }) => path,
      );
      return { files: piece, ...rest };
    },
  });

  addRoute(api, served, {
    path: "/files/history",
    summary: "The turns that changed one file, under any of its names, in order of time",
    query: z.object({ ...commonFilters, path: z.string().min(1).max(4000) }),
    answer: "FileHistory",
    ask: async ({ query }) => {
      const { path, ...where } = query;
      const named = await inside(daybook).turnsNamed(
        await inside(daybook).turnsTouching((name) => name === path, where),
      );
      // A relative path is relative to the directory the agent worked in.
      const cwd = named.at(-1)?.cwd ?? undefined;
      const isTraced = !inside(daybook).isOfStore && (isAbsolute(path) || cwd !== undefined);
      const known = isTraced ? await daybook.file(path, { ...where, cwd }) : null;
      const met = new Set(named.map(turnKey));
      const traced = (known?.turns ?? []).filter((turn) => !met.has(turnKey(turn)));
      const turns = [...named, ...(await inside(daybook).turnsNamed(traced))];
      return {
        path,
        names: [...new Set([path, ...(known?.names ?? [])])],
        turns: await listedTurns(
          daybook,
          turns.toSorted((a, b) => order(a.started_at ?? "", b.started_at ?? "")),
        ),
      };
    },
  });

  addRoute(api, served, {
    path: "/sync",
    method: "post",
    summary: "Syncs now; only Daybook's own page may ask",
    answer: "SyncDone",
    ask: async () => {
      const { files_seen, files_read, entries } = await daybook.sync();
      return { files_seen, files_read, entries };
    },
  });
}

/** A clock that ran ahead may have written a day to come. */
function earlier(a: string, b: string): string {
  return a < b ? a : b;
}

function usualCost(days: readonly Day[], today: string): number | null {
  const costs = days
    .filter(({ day, turns }) => day < today && turns > 0)
    .slice(-USUAL_DAYS)
    .flatMap(({ cost_usd }) => (cost_usd === null ? [] : [cost_usd]))
    .toSorted((a, b) => a - b);
  return costs.length < USUAL_LEAST ? null : (costs[Math.floor(costs.length / 2)] ?? null);
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text);
}
