import { DaybookError } from "../errors.ts";
import type { SessionFacts } from "../report/model.ts";
import { noFacts } from "../report/facts.ts";
import { fellShort } from "../report/loose/fell-short.ts";
import { isUnproven } from "../report/sums.ts";
import { commitCount } from "../report/turn.ts";
import type { IndexRows } from "../store/tables/index-rows.ts";
import { turnRef } from "../turns/session.ts";
import { StoredContents, type FoundInRecords, type SessionContents, type TurnCounts } from "./session-contents.ts";
import type { RecordFacts } from "./session-facts.ts";
import type { Asking } from "./asking.ts";

/** A session of the book, and a number that is another one whenever anything about it changed. */
export interface SessionStamp {
  key: string;
  source: string;
  session_id: string;
  change: number;
}

export interface SessionStamps {
  /** Which index the numbers are of: one that was made again counts anew. */
  index: string;
  /** The newest first. */
  sessions: SessionStamp[];
}

export async function sessionStamps({ at }: Asking): Promise<SessionStamps> {
  const { index } = at;
  if (!index) throw noBook();
  const rows = index.store.list(
    `SELECT s.key, s.source, s.session_id, COALESCE(c.n, 0) AS change FROM session s LEFT JOIN change c ON c.session = s.key
     ORDER BY COALESCE(s.ended, s.started, 0) DESC, s.key`,
  );
  const sessions = rows
    .map(([key, source, id, change]) => ({
      ...{ key: String(key), source: String(source), session_id: String(id), change: Number(change) },
    }))
    .filter(({ key }) => index.queries.isInScope(key));
  return { index: index.store.file ?? "", sessions };
}

/** What is done with everything the book has of one session, in one moment; null where it is not there any more. */
export async function withContents<T>(
  asking: Asking,
  key: string,
  use: (whole: SessionContents) => Promise<T>,
): Promise<T | null> {
  const { index } = asking.at;
  if (!index) throw noBook();
  const rows = (await asking.rows({})) as IndexRows;
  const facts = asking.recordFacts();
  const whole = StoredContents.of(index.store, key, {
    decisions: () => facts.of(key, rows).asked.map(({ decision }) => decision),
    recorded: () => rows.recorded(key),
    reported: () => foundOf(key, rows, facts),
  });
  return whole ? use(whole) : null;
}

function foundOf(key: string, rows: IndexRows, found: RecordFacts): FoundInRecords {
  // Each session is read once, however many turns there are.
  const read = new Map<string, SessionFacts>();
  const factsOf = (one: string): SessionFacts => {
    let known = read.get(one);
    if (!known) read.set(one, (known = found.of(one, rows)));
    return known;
  };
  const facts = factsOf(key).turns;
  const counts = (n: number): TurnCounts => {
    const turn = rows.turn(key, turnRef(n - 1));
    if (!turn) return { commits: 0, unproven: false };
    const { session, ref } = turn;
    const view = turn.view();
    const fell_short = view.outcome === "completed" ? fellShort(view, rows.callGlance(session, ref)) : null;
    const { last_check } = facts.get(ref) ?? noFacts();
    return {
      commits: commitCount(turn, rows, factsOf) ?? 0,
      unproven: isUnproven({ outcome: view.outcome, last_check, fell_short }),
    };
  };
  return { facts, detail: rows.detail(key), audit: rows.audit(key), counts };
}

function noBook(): DaybookError {
  return new DaybookError("only what is in a book can be sent, and here is none", {
    ...{ code: "usage", op: "read book", hint: "leave --root out, or name a book with --home DIR" },
  });
}
