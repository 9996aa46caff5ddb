import { DaybookError } from "../base/errors.ts";
import type { FoundFacts } from "./report/model.ts";
import { noFacts } from "./report/facts.ts";
import { fellShort } from "./report/loose/fell-short.ts";
import { isUnproven } from "./report/sums.ts";
import { commitCount } from "./report/turn.ts";
import type { IndexRows } from "../index/tables/index-rows.ts";
import type { ChangeStamp } from "../index/tables/queries.ts";
import { turnRef } from "../turns/session.ts";
import { StoredContents, type FoundInRecords } from "./session-contents.ts";
import type { RecordFacts } from "./session-facts.ts";
import type { AnswerContext } from "./answer-context.ts";

export interface BookStamps {
  /** Identifies the index the numbers belong to: a rebuilt index starts counting again. */
  index: string;
  /** Newest first. */
  sessions: ChangeStamp[];
}

export async function sessionStamps({ index }: AnswerContext): Promise<BookStamps> {
  if (!index.isOfBook) throw noBook();
  return { index: index.store.file ?? "", sessions: index.queries.stamps() };
}

/** Calls `use` with everything the book has of one session, in one snapshot; null if the session no longer exists. */
export async function withContents<T>(
  ctx: AnswerContext,
  key: string,
  use: (whole: StoredContents) => Promise<T>,
): Promise<T | null> {
  const { index } = ctx;
  if (!index.isOfBook) throw noBook();
  const rows = ctx.rows({});
  const facts = ctx.recordFacts();
  const whole = StoredContents.of(index.store, key, {
    decisions: () => facts.of(key, rows).asked.map(({ decision }) => decision),
    recorded: () => rows.recordedSession(key),
    reported: () => foundOf(key, rows, facts),
  });
  return whole ? use(whole) : null;
}

function foundOf(key: string, rows: IndexRows, found: RecordFacts): FoundInRecords {
  // Each session is read once, however many turns refer to it.
  const read = new Map<string, FoundFacts>();
  const factsOf = (one: string): FoundFacts => {
    let known = read.get(one);
    if (!known) read.set(one, (known = found.of(one, rows)));
    return known;
  };
  const facts = factsOf(key).turns;
  const counts = (n: number): ReturnType<FoundInRecords["counts"]> => {
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
  return new DaybookError("only sessions in a book can be pushed, but there is none here", {
    code: "usage",
    op: "read book",
    hint: "leave --root out, or name a book with --home DIR",
  });
}
