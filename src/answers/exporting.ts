import type { ToolView } from "../views/tool-view.ts";
import type { SessionView } from "../views/session-view.ts";
import type { TurnView } from "../views/turn-view.ts";
import { byTime, responsesOf, type CountedResponse } from "../views/response.ts";
import { DaybookError, isLocal } from "../base/errors.ts";
import type { LogRecord } from "../record/record.ts";
import { logRecords } from "../book/reading/records.ts";
import { order } from "../base/text/order.ts";
import { leftOutDiagnostic } from "../turns/assemble.ts";
import type { Session } from "../turns/session.ts";
import type { AnswerContext } from "./answer-context.ts";
import type { Query } from "./questions.ts";
import { type ShownOutcome, shownOutcomes } from "./shown-outcomes.ts";
import { sessions } from "./lists.ts";
import { sessionKey } from "../record/session-key.ts";

/** One session of an export. Its rows are limited to the requested days; its records are complete. */
export interface Exported {
  view: SessionView;
  turns: () => TurnView[];
  calls: () => ToolView[];
  /** Responses counted in this session, each once, in order of time. */
  responses: () => CountedResponse[];
  whole: () => Promise<ExportedWhole>;
}

/** An assembled session, independent of the requested days. */
export interface ExportedWhole {
  /** Read lazily during iteration. */
  records: Iterable<LogRecord>;
  turns: () => TurnView[];
  /** How each of its turns is shown, in their order. */
  shown: () => ShownOutcome[];
  /** Every response counted in it, by the id in its records. */
  responses: ReadonlyMap<string, CountedResponse>;
}

/** The consumer of an export. */
export interface ExportVisitor {
  /** `records`: what was said and done in each session. `rows`: what the lists of turns, calls and usage contain. */
  needs: "rows" | "records";
  /** All sessions to come, oldest first; called before anything is written. */
  begin?: (sessions: readonly Exported[]) => void | Promise<void>;
  /** Takes a session, or throws and leaves no trace of it. */
  add: (session: Exported) => void | Promise<void>;
}

/**
 * Passes the selected sessions to the visitor one by one, all from one snapshot: concurrent writes do not change any
 * sum.
 */
export async function exportSessions(ctx: AnswerContext, query: Query, visitor: ExportVisitor): Promise<void> {
  const { snapshot } = ctx;
  const all = await exportedSessions(ctx, query);
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

async function exportedSessions(ctx: AnswerContext, query: Query): Promise<Exported[]> {
  const views = (await sessions(ctx, { ...query, own: true })).toReversed();
  const { session: _, limit: __, ...rest } = query;
  const filter = ctx.filter(rest);
  return views.map((view) => {
    const key = sessionKey(view);
    const of = { ...filter, key };
    return {
      view,
      turns: () => ctx.index.queries.turns(of),
      calls: () => ctx.index.queries.tools(of, {}),
      responses: () => ctx.index.queries.responses(of).toSorted(inOrder),
      whole: async () => wholeOf(ctx, sessionWithKey(ctx.read([key]).sessions, key)),
    };
  });
}

function inOrder(a: CountedResponse, b: CountedResponse): number {
  return byTime(a, b) || order(a.response_id, b.response_id);
}

function wholeOf(ctx: AnswerContext, session: Session): ExportedWhole {
  const turns = (): TurnView[] => session.turns.map((turn) => ctx.turnView(turn));
  return {
    records: { [Symbol.iterator]: () => logRecords(session) },
    turns,
    shown: () => shownOutcomes(ctx, turns()),
    responses: new Map(responsesOf(session, ctx.prices).map((response) => [response.response_id, response])),
  };
}

function sessionWithKey(all: readonly Session[], key: string): Session {
  const session = all.find((one) => sessionKey(one) === key);
  if (session) return session;
  throw new DaybookError("the session could not be assembled", { code: "unreadable", op: "export session" });
}
