import { inside } from "../../../answers/daybook.ts";
import { z } from "@hono/zod-openapi";
import { DaybookError } from "../../../base/errors.ts";
import type { SessionView } from "../../../views/session-view.ts";
import type { TurnView } from "../../../views/turn-view.ts";
import type { SessionDetail } from "../answers.ts";
import { pieceFrom, pieceOf } from "../paging.ts";
import { sessions, turns } from "../../../answers/questions/lists.ts";
import { paramsOf } from "../query.ts";
import { addRoute, sessionParams, pageParams, type Api, type AnswerContext } from "../route.ts";
import { RecentOutlines } from "../recent-outlines.ts";
import { sessionCards } from "../session-cards.ts";
import { turnBrief } from "../turn-brief.ts";
import { keyOfSession, turnKey } from "../../../record/session-key.ts";

/** Sessions that no human started are listed only on request. */
const listQuery = z.object({
  ...paramsOf(sessions.query),
  ...pageParams,
  sort: z.enum(sessions.query.sort.values).default("newest"),
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
      const { cursor: _, limit: __, children = false, ...choice } = query;
      const wanted = { ...choice, children };
      const { piece, ...rest } = await pieceFrom(
        (offset, limit) => daybook.sessions({ ...wanted, offset, limit }),
        () => inside(daybook).count("sessions", wanted),
        query,
        nameOf,
      );
      return { sessions: await sessionCards(served, piece), ...rest };
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
        const [view = null] = await inside(daybook).turnsNamed(isNamed ? [{ source, session_id, turn_ref: turn }] : []);
        return view;
      };
      if (inside(daybook).isOfStore) {
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
    query: z.object({ ...paramsOf(turns.query), ...pageParams }),
    answer: "TurnPage",
    ask: async ({ query }) => {
      const { cursor: _, limit: __, ...choice } = query;
      const glances = (await inside(daybook).glances(choice)).toReversed();
      const { piece, ...rest } = pieceOf(glances, query, turnKey);
      return { turns: await inside(daybook).turnsNamed(piece), ...rest };
    },
  });
}

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
  const resume = inside(daybook).resumeOf(session).command;
  return { session, turns, children: await sessionCards(served, await childrenOf(served, turns)), resume };
}

function notFound(name: string): DaybookError {
  return new DaybookError(`no session ${name}`, { code: "not_found", op: "find session" });
}
