import { z } from "@hono/zod-openapi";
import { type Daybook, inside, type RecordOutline } from "../../../answers/daybook.ts";
import { sessions, turns } from "../../../answers/questions/lists.ts";
import { DaybookError } from "../../../base/errors.ts";
import { keyOfSession, turnKey, turnKeyIn } from "../../../record/session-key.ts";
import type { SessionView } from "../../../views/session-view.ts";
import type { TurnView } from "../../../views/turn-view.ts";
import type { SessionDetail } from "../answers.ts";
import { pieceFrom, pieceOf } from "../paging.ts";
import { addRoute, type AnswerContext, type Api, pageParams, paramsOf, sessionParams } from "../route.ts";
import { listedTurns, sessionCards, turnBrief } from "../session-cards.ts";

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
      const listed = await listedTurns(daybook, turns);
      return { ...rest, turns: listed.map((turn) => turnBrief(turn, turn.shown_outcome)) };
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
      return { turns: await listedTurns(daybook, await inside(daybook).turnsNamed(piece)), ...rest };
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

/** Outlines of at most this many lines are kept: a reader asks for one session page by page. */
const MOST_OUTLINED_LINES = 200_000;

/** The outlines of recently requested sessions, until anything about them changes. */
class RecentOutlines {
  readonly #daybook: Daybook;
  readonly #recent = new Map<string, { state: number; outline: RecordOutline }>();

  constructor(daybook: Daybook) {
    this.#daybook = daybook;
  }

  async of(source: string, session: string): Promise<RecordOutline> {
    const name = keyOfSession(source, session);
    const state = await inside(this.#daybook).changeOf({ source, session_id: session });
    const recent = this.#recent.get(name);
    this.#recent.delete(name);
    const outline = recent && recent.state === state ? recent.outline : await inside(this.#daybook).outline(name);
    if (state !== null) this.#recent.set(name, { state, outline });
    this.#forget();
    return outline;
  }

  /** The one just requested is kept, however long it is. */
  #forget(): void {
    let sum = 0;
    for (const [name, { outline }] of [...this.#recent].toReversed()) {
      sum += outline.entries;
      if (sum > MOST_OUTLINED_LINES && sum > outline.entries) this.#recent.delete(name);
    }
  }
}

const change = z.object({
  turn_ref: z
    .string()
    .regex(/^T\d{4,}$/)
    .optional()
    .openapi({ description: "One of its turns; the session itself when absent" }),
  starred: z.boolean().optional(),
  closed: z.boolean().optional().openapi({ description: "Closes what the turn left open, or opens it again" }),
  label: z.array(z.string().max(600)).max(20).optional().openapi({ description: "`KEY=VALUE`, or plain words" }),
  unlabel: z.array(z.string().max(100)).max(20).optional().openapi({ description: "Keys" }),
  note: z.string().max(8000).optional().openapi({ description: "The text of a new note" }),
  unnote: z.string().max(40).optional().openapi({ description: "The id of a note" }),
});

/** Marks on sessions and turns. */
export function markRoutes(api: Api, served: AnswerContext): void {
  const { daybook } = served;

  addRoute(api, served, {
    path: "/labels",
    summary: "All labels, and the number of sessions and turns that have each",
    answer: "LabelList",
    ask: async () => ({ labels: await daybook.labels() }),
  });

  addRoute(api, served, {
    path: "/sessions/{source}/{session}/marks",
    method: "post",
    summary: "Puts a star, labels or a note on a session or one of its turns, or closes what it left; or removes them",
    params: sessionParams,
    body: change,
    answer: "SessionMarked",
    ask: async ({ params, body }) => {
      const name = keyOfSession(params.source, params.session);
      const { turn_ref, ...demand } = body;
      await daybook.mark(turn_ref === undefined ? name : turnKeyIn(name, turn_ref), demand);
      const [view] = await daybook.sessions({ session: name });
      return { marks: view?.marks ?? null };
    },
  });
}
