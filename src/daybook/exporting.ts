import { inRange, turnInRange } from "../answers/filter.ts";
import { toolView, type ToolView } from "../answers/tool-view.ts";
import type { SessionView } from "../answers/session-view.ts";
import type { TurnView } from "../answers/turn-view.ts";
import { byTime, responsesOf, type OwnedResponse } from "../answers/usage-response.ts";
import { DaybookError, isLocal } from "../errors.ts";
import type { LogRecord } from "../format/record.ts";
import { logRecords } from "../reading/records.ts";
import { order } from "../text/order.ts";
import { within, type TimeRange } from "../time/range.ts";
import { leftOutDiagnostic } from "../turns/assemble.ts";
import type { Session } from "../turns/session.ts";
import type { AnswerContext } from "./answer-context.ts";
import { cut, LEAN, TOOLS, type Query } from "./questions.ts";
import { sessions } from "./sessions.ts";
import { sessionKey } from "../format/session-key.ts";

/** One session of an export. Its rows are limited to the requested days; its records are complete. */
export interface ExportedSession {
  view: SessionView;
  turns: () => TurnView[];
  calls: () => ToolView[];
  /** Responses counted in this session, each once, in order of time. */
  responses: () => OwnedResponse[];
  whole: () => Promise<WholeSession>;
}

/** An assembled session, independent of the requested days. */
export interface WholeSession {
  /** Read lazily during iteration. */
  records: Iterable<LogRecord>;
  turns: () => TurnView[];
  /** Every response counted in it, by the id in its records. */
  responses: ReadonlyMap<string, OwnedResponse>;
}

/** The consumer of an export. */
export interface ExportVisitor {
  /** `records`: what was said and done in each session. `rows`: what the lists of turns, calls and usage contain. */
  needs: "rows" | "records";
  /** All sessions to come, oldest first; called before anything is written. */
  begin?: (sessions: readonly ExportedSession[]) => void | Promise<void>;
  /** Takes a session, or throws and leaves no trace of it. */
  add: (session: ExportedSession) => void | Promise<void>;
}

/**
 * Passes the selected sessions to the visitor one by one, all from one snapshot: concurrent writes do not change any
 * sum.
 */
export async function exportSessions(ctx: AnswerContext, query: Query, visitor: ExportVisitor): Promise<void> {
  const { snapshot } = ctx;
  const all = snapshot.index ? await sessionsFromIndex(ctx, query) : await sessionsFromFiles(ctx, query, visitor.needs);
  await visitor.begin?.(all);
  for (const one of all) {
    try {
      await visitor.add(one);
    } catch (error) {
      if (!isLocal(error)) throw error;
      snapshot.fail(leftOutDiagnostic({ source: one.view.source, path: one.view.session_path ?? "" }, error));
    }
  }
}

async function sessionsFromIndex(ctx: AnswerContext, query: Query): Promise<ExportedSession[]> {
  const views = (await sessions(ctx, { ...query, own: true })).toReversed();
  const { session: _, limit: __, ...rest } = query;
  const filter = ctx.filter(rest);
  return views.map((view) => {
    const key = sessionKey(view);
    const of = { ...filter, key };
    return {
      view,
      turns: () => indexOf(ctx).queries.turns(of),
      calls: () => indexOf(ctx).queries.tools(of, {}),
      responses: () => indexOf(ctx).queries.responses(of).toSorted(inOrder),
      whole: async () => wholeOf(ctx, sessionWithKey(ctx.snapshot.assemble(indexOf(ctx), [key]).sessions, key)),
    };
  });
}

async function sessionsFromFiles(
  ctx: AnswerContext,
  query: Query,
  needs: ExportVisitor["needs"],
): Promise<ExportedSession[]> {
  const { chosen, range } = await ctx.select(query, needs === "rows" ? TOOLS : LEAN);
  const newest = chosen.filter((session) => inRange(session, range)).toReversed();
  return cut(newest, query.limit)
    .toReversed()
    .flatMap((session) => ctx.unlessBroken(session, () => exportedFromFile(ctx, session, range)));
}

function exportedFromFile(ctx: AnswerContext, session: Session, range: TimeRange): ExportedSession {
  return {
    view: ctx.sessionView(session),
    // In the same order as in the index.
    turns: () =>
      session.turns
        .filter((turn) => turnInRange(turn, range))
        .toSorted((a, b) => (a.draft.trigger.time ?? 0) - (b.draft.trigger.time ?? 0))
        .map((turn) => ctx.turnView(turn)),
    calls: () =>
      session.tools.filter(({ call }) => within(range, call.started_at)).map((owned) => toolView(session, owned)),
    responses: () => responsesOf([session], range, ctx.prices).toSorted(inOrder),
    whole: async () => wholeOf(ctx, session),
  };
}

function inOrder(a: OwnedResponse, b: OwnedResponse): number {
  return byTime(a, b) || order(a.response_id, b.response_id);
}

function wholeOf(ctx: AnswerContext, session: Session): WholeSession {
  const everything = { start: null, end: null };
  return {
    records: { [Symbol.iterator]: () => logRecords(session) },
    turns: () => session.turns.map((turn) => ctx.turnView(turn)),
    responses: new Map(
      responsesOf([session], everything, ctx.prices).map((response) => [response.response_id, response]),
    ),
  };
}

function sessionWithKey(all: readonly Session[], key: string): Session {
  const session = all.find((one) => sessionKey(one) === key);
  if (session) return session;
  throw new DaybookError("the session could not be assembled", { code: "unreadable", op: "export session" });
}

function indexOf({ snapshot }: AnswerContext): NonNullable<typeof snapshot.index> {
  if (snapshot.index) return snapshot.index;
  throw new DaybookError("the index is closed", { code: "internal", op: "export session" });
}
