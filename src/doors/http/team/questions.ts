import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Pool } from "pg";
import { failuresBy } from "../../../team/ask/failures.ts";
import { searchOwn } from "../../../team/ask/search.ts";
import { turnsOf } from "../../../team/ask/turns.ts";
import { usageBy, type Days } from "../../../team/ask/usage.ts";
import { viewOf, viewsOf } from "../../../team/ask/view.ts";
import type { TeamSplit } from "../../../views/team.ts";
import { DaybookError } from "../../../base/errors.ts";
import { addDays, type Zone } from "../../../base/time/zone.ts";
import type { Api } from "../route.ts";
import type { TeamApiAnswers } from "./answers.ts";
import { askerOf, requireScope } from "./access.ts";

export interface TeamServerContext {
  pool: Pool;
  zone: Zone;
  now: () => number;
  /** Called with errors that the answer does not reveal. */
  failed: (error: unknown) => void;
}

const SPLITS = [
  "total",
  "week",
  "day",
  "project",
  "model",
  "source",
  "outcome",
  "person",
] as const satisfies readonly TeamSplit[];
/** Default number of days. */
const DEFAULT_DAYS = 28;
/** Ten years: rejects a mistyped century. */
const MOST_DAYS = 3660;

const day: z.ZodOptional<z.ZodString> = z
  .string()
  .regex(/^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/)
  .optional();
const commonFilters = {
  view: z.string().max(40).default("own").openapi({ description: "`own`, a team's id, or `all`" }),
  since: day.openapi({ example: "2026-05-12" }),
  until: day,
};

/** The questions people and the page ask a team's server. */
export function questionRoutes(api: Api, served: TeamServerContext): void {
  const { pool, zone, now } = served;
  const daysOf = ({ since, until }: { since?: string | undefined; until?: string | undefined }): Days => {
    const last = until ?? zone.day(now());
    return { since: since ?? addDays(last, 1 - DEFAULT_DAYS), until: last };
  };
  addRoute(api, "/me", "TeamAsker", "The person who asks, and what they may ask for", z.object({}), async (c) => {
    const asker = askerOf(c);
    const { login, scopes, auditor, teams } = asker;
    return { login, scopes, auditor, teams, ...(await viewsOf(pool, asker)), zone: zone.name, today: zone.day(now()) };
  });
  const usage = z.object({ ...commonFilters, by: z.enum(SPLITS).default("total") });
  addRoute(api, "/usage", "TeamUsageAnswer", "Turns, tokens and cost, grouped by one property", usage, (c, query) =>
    usageBy(pool, viewOf(askerOf(c), query.view), query.by, checked(daysOf(query))),
  );
  const failures = z.object(commonFilters);
  addRoute(api, "/failures", "TeamFailuresAnswer", "Failed calls, by tool", failures, (c, query) =>
    failuresBy(pool, viewOf(askerOf(c), query.view), checked(daysOf(query)), zone),
  );
  const turns = z.object({
    ...commonFilters,
    person: z
      .string()
      .max(100)
      .optional()
      .openapi({ description: "Whose turns; required if several people may be seen" }),
    project: z.string().max(500).optional(),
    limit: z.coerce.number().int().min(1).max(500).default(100),
    cursor: z.string().max(100).optional(),
  });
  addRoute(api, "/turns", "TeamTurnsAnswer", "One person's turns, redacted, newest first", turns, (c, query) => {
    const { since, until } = checked(daysOf(query));
    const asker = askerOf(c);
    const wanted = {
      person: query.person ?? null,
      project: query.project ?? null,
      limit: query.limit,
      since: new Date(zone.startOfDay(since)),
      until: new Date(zone.startOfDay(addDays(until, 1))),
      cursor: query.cursor ?? null,
    };
    return turnsOf(pool, viewOf(asker, query.view), wanted, asker.login);
  });
  searchRoute(api, served);
}

function searchRoute(api: Api, { pool, zone }: TeamServerContext): void {
  const query = z.object({
    q: z.string().min(1).max(500).openapi({ description: "Words; a phrase in quotes" }),
    since: day,
    until: day,
    limit: z.coerce.number().int().min(1).max(200).default(50),
  });
  addRoute(api, "/search", "TeamSearchAnswer", "Own texts that contain all the words", query, (c, asked) => {
    const { since, until } = asked;
    const days = checked({ since: since ?? until ?? "2000-01-01", until: until ?? since ?? "2000-01-01" });
    return searchOwn(pool, askerOf(c).owner, {
      query: asked.q,
      limit: asked.limit,
      since: since === undefined ? null : new Date(zone.startOfDay(days.since)),
      until: until === undefined ? null : new Date(zone.startOfDay(addDays(days.until, 1))),
    });
  });
}

function checked(days: Days): Days {
  const length = (Date.parse(days.until) - Date.parse(days.since)) / 86_400_000;
  // An invalid day, such as February 31, changes when it is normalized.
  if (
    length >= 0 &&
    length <= MOST_DAYS &&
    addDays(days.since, 0) === days.since &&
    addDays(days.until, 0) === days.until
  )
    return days;
  throw new DaybookError("since and until must be days in order, at most ten years apart", {
    code: "usage",
    op: "ask store",
  });
}

/** Adds a route to the API and to its document. */
function addRoute<Query extends z.ZodObject, Name extends keyof TeamApiAnswers>(
  api: Api,
  path: string,
  name: Name,
  summary: string,
  query: Query,
  ask: (c: Context, query: z.output<Query>) => Promise<TeamApiAnswers[Name]>,
): void {
  const route = createRoute({
    method: "get",
    path,
    summary,
    operationId: `getTeam${path.slice(1)}`,
    request: { query },
    middleware: [requireScope("read")] as never,
    responses: {
      200: { description: "", content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } } },
      default: {
        description: "Why it could not be answered",
        content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
      },
    },
  });
  // The type is checked by `ask`, as in the personal API.
  api.openapi(route, (async (c: Context) =>
    c.json(await ask(c, c.req.valid("query" as never) as z.output<Query>))) as never);
}
