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
import { leftOut } from "../turns/assemble.ts";
import { sessionKey, type Session } from "../turns/session.ts";
import type { Asking } from "./asking.ts";
import { cut, LEAN, TOOLS, type Query } from "./questions.ts";
import { sessions } from "./sessions.ts";

/** One session of an export. Its rows are those of the days that were asked for; its records are all it has. */
export interface ExportedSession {
  view: SessionView;
  turns: () => TurnView[];
  calls: () => ToolView[];
  /** Responses that count in this session, each once, in order of time. */
  responses: () => OwnedResponse[];
  whole: () => Promise<WholeSession>;
}

/** A session put together, whatever days were asked for. */
export interface WholeSession {
  /** Read while they are walked through. */
  records: Iterable<LogRecord>;
  turns: () => TurnView[];
  /** Every response that counts in it, by the name its records give it. */
  responses: ReadonlyMap<string, OwnedResponse>;
}

/** Whoever writes an export. */
export interface ExportVisitor {
  /** `records`: what was said and done in each session. `rows`: what lists of turns, calls and usage say. */
  needs: "rows" | "records";
  /** All that will come, the oldest first: before anything is written. */
  begin?: (sessions: readonly ExportedSession[]) => void | Promise<void>;
  /** Takes a session, or throws and leaves nothing of it. */
  add: (session: ExportedSession) => void | Promise<void>;
}

/** Shows the sessions of a question one after the other, all of one moment: what is written meanwhile changes no sum. */
export async function exportSessions(asking: Asking, query: Query, visitor: ExportVisitor): Promise<void> {
  const { at } = asking;
  const all = at.index ? await stored(asking, query) : await direct(asking, query, visitor.needs);
  await visitor.begin?.(all);
  for (const one of all) {
    try {
      await visitor.add(one);
    } catch (error) {
      if (!isLocal(error)) throw error;
      at.fail(leftOut({ source: one.view.source, path: one.view.session_path ?? "" }, error));
    }
  }
}

async function stored(asking: Asking, query: Query): Promise<ExportedSession[]> {
  const views = (await sessions(asking, query)).toReversed();
  const { session: _, limit: __, ...rest } = query;
  const filter = asking.filter(rest);
  return views.map((view) => {
    const key = sessionKey(view);
    const of = { ...filter, key };
    return {
      view,
      turns: () => indexOf(asking).queries.turns(of),
      calls: () => indexOf(asking).queries.tools(of, {}),
      responses: () => indexOf(asking).queries.responses(of).toSorted(inOrder),
      whole: async () => wholeOf(asking, find(asking.at.assemble(indexOf(asking), [key]).sessions, key)),
    };
  });
}

async function direct(asking: Asking, query: Query, needs: ExportVisitor["needs"]): Promise<ExportedSession[]> {
  const { chosen, range } = await asking.select(query, needs === "rows" ? TOOLS : LEAN);
  const newest = chosen.filter((session) => inRange(session, range)).toReversed();
  return cut(newest, query.limit)
    .toReversed()
    .flatMap((session) => asking.unlessBroken(session, () => directly(asking, session, range)));
}

function directly(asking: Asking, session: Session, range: TimeRange): ExportedSession {
  return {
    view: asking.sessionView(session),
    // In the order of lists of turns, in which an index has them.
    turns: () =>
      session.turns
        .filter((turn) => turnInRange(turn, range))
        .toSorted((a, b) => (a.draft.trigger.time ?? 0) - (b.draft.trigger.time ?? 0))
        .map((turn) => asking.turnView(turn)),
    calls: () =>
      session.tools.filter(({ call }) => within(range, call.started_at)).map((owned) => toolView(session, owned)),
    responses: () => responsesOf([session], range, asking.prices).toSorted(inOrder),
    whole: async () => wholeOf(asking, session),
  };
}

function inOrder(a: OwnedResponse, b: OwnedResponse): number {
  return byTime(a, b) || order(a.response_id, b.response_id);
}

function wholeOf(asking: Asking, session: Session): WholeSession {
  const everything = { start: null, end: null };
  return {
    records: { [Symbol.iterator]: () => logRecords(session) },
    turns: () => session.turns.map((turn) => asking.turnView(turn)),
    responses: new Map(
      responsesOf([session], everything, asking.prices).map((response) => [response.response_id, response]),
    ),
  };
}

function find(all: readonly Session[], key: string): Session {
  const session = all.find((one) => sessionKey(one) === key);
  if (session) return session;
  throw new DaybookError("it could not be put together", { code: "unreadable", op: "export session" });
}

function indexOf({ at }: Asking): NonNullable<typeof at.index> {
  if (at.index) return at.index;
  throw new DaybookError("the index is closed", { code: "internal", op: "export session" });
}
