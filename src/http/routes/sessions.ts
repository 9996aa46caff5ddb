import { z } from "@hono/zod-openapi";
import { DaybookError } from "../../errors.ts";
import type { SessionView } from "../../answers/session-view.ts";
import type { TurnView } from "../../answers/turn-view.ts";
import { OUTCOMES } from "../../turns/model.ts";
import type { SessionCard, SessionDetail } from "../answers.ts";
import { pieceOf } from "../paging.ts";
import {
  addRoute,
  flag,
  markFilters,
  markChoiceOf,
  commonFilters,
  sessionParams,
  pageParams,
  type Api,
  type AnswerContext,
} from "../route.ts";
import { RecentOutlines } from "../recent-outlines.ts";
import { sessionCards } from "../session-cards.ts";
import { turnBrief } from "../turn-brief.ts";
import { order } from "../../text/order.ts";
import { keyOfSession, turnKey } from "../../format/session-key.ts";

const SORTS = ["newest", "oldest", "active", "cost", "turns", "project"] as const;

const listQuery = z.object({
  ...commonFilters,
  ...markFilters,
  ...pageParams,
  source: z.string().max(40).optional(),
  model: z.string().max(100).optional(),
  outcome: z.enum(OUTCOMES).optional(),
  failures: flag.openapi({ description: "Only sessions in which a tool call failed" }),
  min_cost: z.coerce.number().min(0).optional().openapi({ description: "In dollars" }),
  text: z.string().max(200).optional().openapi({ description: "Part of the title, the first request or the project" }),
  children: flag.openapi({ description: "Also sessions that no human started: sub-agents, reviews" }),
  sort: z.enum(SORTS).default("newest"),
});

export function sessionRoutes(api: Api, served: AnswerContext): void {
  const { daybook } = served;
  const outlines = new RecentOutlines(daybook);

  addRoute(api, served, {
    path: "/sessions",
    summary: "Sessions, newest first by default",
    query: listQuery,
    answer: "SessionPage",
    ask: async ({ query }) => {
      const { project, since, until, outcome, text } = query;
      const listed = (await daybook.sessions({ project, since, until, ...markChoiceOf(query) })).filter((one) =>
        isMeant(one, query),
      );
      // The outcome and the first request are looked up only for the sessions shown, unless they are needed for
      // filtering.
      const all = outcome === undefined && text === undefined ? null : await sessionCards(served, listed);
      if (all === null) {
        const { piece, ...rest } = pieceOf(listed.toSorted(ORDER[query.sort]), query, nameOf);
        return { sessions: await sessionCards(served, piece), ...rest };
      }
      const chosen = all.filter((one) => (outcome ?? one.outcome) === one.outcome && holds(one, text));
      const { piece, ...rest } = pieceOf(chosen.toSorted(ORDER[query.sort]), query, nameOf);
      return { sessions: piece, ...rest };
    },
  });

  addRoute(api, served, {
    path: "/sessions/{source}/{session}",
    summary: "One session with all its turns",
    params: sessionParams,
    answer: "SessionDetail",
    ask: ({ params }) => sessionDetail(served, keyOfSession(params.source, params.session)),
  });

  addRoute(api, served, {
    path: "/sessions/{source}/{session}/requests",
    summary: "One session with a short form of all its turns",
    params: sessionParams,
    answer: "SessionRequests",
    ask: async ({ params }) => {
      const { turns, ...rest } = await sessionDetail(served, keyOfSession(params.source, params.session));
      return { ...rest, turns: turns.map(turnBrief) };
    },
  });

  addRoute(api, served, {
    path: "/sessions/{source}/{session}/records",
    summary: "The records of a session, or of one of its turns, in order",
    params: sessionParams,
    query: z.object({
      ...pageParams,
      turn: z
        .string()
        .regex(/^(?:T\d{4,}|none)$/)
        .optional()
        .openapi({ description: "Only records of this turn; `none`: those that belong to no turn" }),
      after: z.coerce.number().int().optional().openapi({ description: "Only records whose `seq` is higher" }),
    }),
    answer: "RecordPage",
    ask: async ({ params, query }) => {
      const { turn, after } = query;
      const turnOf = async (source: string, session_id: string): Promise<TurnView | null> => {
        const isNamed = turn !== undefined && turn !== "none";
        const [view = null] = await daybook.turnsNamed(isNamed ? [{ source, session_id, turn_ref: turn }] : []);
        return view;
      };
      if (daybook.isOfStore) {
        const name = keyOfSession(params.source, params.session);
        if ((await daybook.sessions({ session: name })).length === 0) throw notFound(name);
        const view = await turnOf(params.source, params.session);
        return { records: [], turn: view, are_elsewhere: true, total: 0, next_cursor: null };
      }
      const outline = await outlines.of(params.source, params.session);
      const { piece, ...rest } = pieceOf(outline.seqs(turn === "none" ? null : turn, after), query, String);
      const view = await turnOf(outline.source, outline.session_id);
      return { records: outline.read(piece), turn: view, are_elsewhere: false, ...rest };
    },
  });

  addRoute(api, served, {
    path: "/sessions/{source}/{session}/explain",
    summary: "How one native line was understood, and why, with the line itself",
    params: sessionParams,
    query: z.object({ line: z.coerce.number().int().min(0) }),
    answer: "ExplainAnswer",
    ask: async ({ params, query }) => ({
      schema_version: 1,
      explanations: await daybook.explain(`${keyOfSession(params.source, params.session)}:${query.line}`),
    }),
  });

  addRoute(api, served, {
    path: "/turns",
    summary: "Turns, newest first",
    query: z.object({ ...commonFilters, ...markFilters, ...pageParams, session: z.string().max(1000).optional() }),
    answer: "TurnPage",
    ask: async ({ query }) => {
      const { project, since, until, session } = query;
      const glances = (await daybook.glances({ project, since, until, session, ...markChoiceOf(query) })).toReversed();
      const { piece, ...rest } = pieceOf(glances, query, turnKey);
      return { turns: await daybook.turnsNamed(piece), ...rest };
    },
  });
}

function isMeant(one: SessionView, query: z.output<typeof listQuery>): boolean {
  const { source, model, failures, min_cost, children } = query;
  if (children !== true && one.kind !== "root") return false;
  if (source !== undefined && one.source !== source) return false;
  if (model !== undefined && !one.models.includes(model)) return false;
  if (failures === true && one.tools.failed === 0) return false;
  return min_cost === undefined || (one.usage.cost_usd ?? 0) >= min_cost;
}

function holds({ title, first_request, project, session_id }: SessionCard, text: string | undefined): boolean {
  if (text === undefined) return true;
  return [title, first_request, project, session_id].join("\n").toLowerCase().includes(text.toLowerCase());
}

type Order = (a: SessionView, b: SessionView) => number;
const byTime =
  (field: "started_at" | "ended_at", sign: 1 | -1): Order =>
  (a, b) =>
    sign * order(a[field] ?? "", b[field] ?? "") || order(nameOf(a), nameOf(b));
const ORDER: Readonly<Record<(typeof SORTS)[number], Order>> = {
  newest: byTime("started_at", -1),
  oldest: byTime("started_at", 1),
  active: byTime("ended_at", -1),
  cost: (a, b) => (b.usage.cost_usd ?? 0) - (a.usage.cost_usd ?? 0) || order(nameOf(a), nameOf(b)),
  turns: (a, b) => b.turns - a.turns || order(nameOf(a), nameOf(b)),
  // Newest first within each project, so that the list can be grouped by project.
  project: (a, b) => order(a.project, b.project) || byTime("started_at", -1)(a, b),
};

function nameOf({ source, session_id }: Pick<SessionView, "source" | "session_id">): string {
  return keyOfSession(source, session_id);
}

async function childrenOf({ daybook }: AnswerContext, turns: readonly TurnView[]): Promise<SessionView[]> {
  const names = new Set(turns.flatMap(({ children }) => (children ?? []).map(nameOf)));
  const found = await Promise.all(
    // A child without a file of its own is named by its turn alone.
    [...names].map((session) => daybook.sessions({ session }).catch(() => [])),
  );
  return found.flat();
}

async function sessionDetail(served: AnswerContext, name: string): Promise<SessionDetail> {
  const { daybook } = served;
  const [[view], turns] = await Promise.all([daybook.sessions({ session: name }), daybook.turns({ session: name })]);
  const [session] = view === undefined ? [] : await sessionCards(served, [view]);
  if (session === undefined) throw notFound(name);
  const resume = daybook.resumeOf(session).command;
  return { session, turns, children: await sessionCards(served, await childrenOf(served, turns)), resume };
}

function notFound(name: string): DaybookError {
  return new DaybookError(`no session ${name}`, { code: "not_found", op: "find session" });
}
