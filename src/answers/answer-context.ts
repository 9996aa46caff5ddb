import { leftOutDiagnostic } from "../turns/assemble.ts";
import { DaybookError, isLocal } from "../base/errors.ts";
import { hasMarkChoice, type MarkFilter } from "../views/marks.ts";
import type { PriceTable } from "../views/pricing/price-table.ts";
import type { AnswerRows } from "../views/rows.ts";
import { sessionView, type SessionView } from "../views/session-view.ts";
import { turnView, type TurnView } from "../views/turn-view.ts";
import type { ReadResult } from "../book/reading/library.ts";
import type { Redactor } from "../base/redact/redact.ts";
import type { OpenIndex } from "../index/open-index.ts";
import type { Vectors } from "../index/search/vectors/vectors.ts";
import { IndexRows } from "../index/tables/index-rows.ts";
import type { IndexFilter } from "../index/tables/queries.ts";
import { parseRange, type TimeRange } from "../base/time/range.ts";
import type { Zone } from "../base/time/zone.ts";
import type { Session, Turn } from "../turns/session.ts";
import type { ListQuery, Query } from "./questions.ts";
import { ownSessionKeys } from "./own-sessions.ts";
import { notInStoreError } from "./not-in-store.ts";
import { RecordFacts } from "./session-facts.ts";
import type { Snapshot, SnapshotOptions } from "./snapshot.ts";
import { sessionKey } from "../record/session-key.ts";

/**
 * Everything one question is answered with: the snapshot, the time zone, the current time, prices and the redactor.
 */
export class AnswerContext {
  readonly snapshot: Snapshot;
  readonly zone: Zone;
  readonly now: number;
  readonly prices: PriceTable;
  readonly redactor: Redactor;
  readonly options: SnapshotOptions;
  /** For `recall`; null without a model. */
  readonly vectors: Vectors | null;

  constructor(
    snapshot: Snapshot,
    by: Pick<AnswerContext, "zone" | "now" | "prices" | "redactor" | "options" | "vectors">,
  ) {
    this.snapshot = snapshot;
    this.zone = by.zone;
    this.now = by.now;
    this.prices = by.prices;
    this.redactor = by.redactor;
    this.options = by.options;
    this.vectors = by.vectors;
  }

  /** What every answer is made from. */
  get index(): OpenIndex {
    const { index } = this.snapshot;
    if (index) return index;
    throw new DaybookError("the index is closed", { code: "internal", op: "answer question" });
  }

  range(query: Query): TimeRange {
    return parseRange(query, this.zone, this.now);
  }

  filter(query: ListQuery): IndexFilter {
    const { project, session, limit, sort, offset } = query;
    return {
      project,
      session,
      marked: this.marked(query),
      range: this.range(query),
      limit,
      listed: query,
      sort,
      offset,
    };
  }

  /** The same without sessions in which narratives were written, which are no work. */
  work(query: ListQuery): IndexFilter {
    return { ...this.filter(query), without: ownSessionKeys(this, query) };
  }

  /** The marks selected by the query; undefined if it selects none. */
  marked(query: Query): MarkFilter | undefined {
    if (!hasMarkChoice(query)) return undefined;
    if (this.options.book === undefined) throw noBookForMarksError(this.options);
    return this.snapshot.marks.chosen(query);
  }

  /** Assembles the named sessions with all they depend on, and perhaps others; null: every session. */
  read(keys: readonly string[] | null): ReadResult {
    return this.snapshot.assemble(this.index, keys);
  }

  /** The rows that reports and similar answers are made from. */
  rows(query: Query): IndexRows {
    const { project, session } = query;
    return new IndexRows(this.index, { project, session, marked: this.marked(query) });
  }

  turnView(turn: Turn): TurnView {
    const { names, marks } = this.snapshot;
    const view = turnView(turn, names.projectOf(turn.session), this.prices);
    return { ...view, marks: marks.ofTurn(sessionKey(turn.session), turn.ref) };
  }

  sessionView(session: Session): SessionView {
    const { names, marks } = this.snapshot;
    const view = sessionView(session, names.projectOf(session), names.titleOf(session), this.prices);
    return { ...view, marks: marks.ofSession(sessionKey(session)) };
  }

  /** A function that hides secrets in a text, unless `redact` is false. */
  hiderFor(redact: boolean | undefined): (text: string) => string {
    return redact === false ? (text) => text : (text) => this.redactor.text(text);
  }

  /** Must be called before the sessions are read: facts that change later must not be cached under the old key. */
  recordFacts(): RecordFacts {
    const { snapshot } = this;
    const found = new RecordFacts(this.index.store, (session, error) => this.#failed(session, error));
    snapshot.afterLastQuestion(() => found.cache());
    return found;
  }

  /** The result of `make` for one session. If that session is broken, returns nothing and records it as a problem. */
  unlessBroken<T>(session: Session | SessionView, make: () => T): T[] {
    try {
      return [make()];
    } catch (error) {
      this.#failed(session, error);
      return [];
    }
  }

  /**
   * The result of `make` over many sessions. If that fails, it is repeated without the sessions that also fail alone.
   */
  withoutBroken<T>(rows: IndexRows, range: TimeRange, make: (some: AnswerRows) => T): T {
    try {
      return make(rows);
    } catch (error) {
      if (!isLocal(error)) throw error;
      const broken = new Set<string>();
      for (const key of new Set(rows.turnsIn(range).map(({ session }) => session))) {
        const view = rows.session(key);
        const isAnswered =
          view && this.unlessBroken(view, () => make(rows.without((other) => other !== key))).length > 0;
        if (isAnswered === false) broken.add(key);
      }
      if (broken.size === 0) throw error;
      return make(rows.without((key) => broken.has(key)));
    }
  }

  #failed(session: Session | SessionView, error: unknown): void {
    if (!isLocal(error)) throw error;
    const path = "path" in session ? session.path : (session.session_path ?? "");
    this.snapshot.fail(leftOutDiagnostic({ source: session.source, path }, error));
  }
}

export function noBookForMarksError({ remote }: Pick<SnapshotOptions, "remote">): DaybookError {
  if (remote) return notInStoreError("labels, stars and notes");
  return new DaybookError("labels, stars and notes are kept in the book, but there is none here", {
    code: "usage",
    op: "find marks",
    hint: "leave --root out, or name a book with --home DIR",
  });
}

export function noBookForReviewsError(): DaybookError {
  return new DaybookError("what a model reads in a day is kept in the book, but there is none here", {
    code: "usage",
    op: "review day",
    hint: "leave --root out, or name a book with --home DIR",
  });
}
