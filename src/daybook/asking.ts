import { leftOut } from "../turns/assemble.ts";
import { DaybookError, isLocal } from "../errors.ts";
import { selectSessions, type Filter } from "../answers/filter.ts";
import { choosesMarks, type Marked } from "../answers/marks.ts";
import type { PriceTable } from "../answers/pricing/price-table.ts";
import type { AnswerRows } from "../answers/rows.ts";
import { sessionView, type SessionView } from "../answers/session-view.ts";
import { turnView, type TurnView } from "../answers/turn-view.ts";
import type { ReadResult } from "../reading/library.ts";
import type { ReadOptions } from "../reading/read-file.ts";
import { SessionRows } from "../reading/session-rows.ts";
import type { JsonValue, Redactor } from "../redact/redact.ts";
import { IndexRows } from "../store/tables/index-rows.ts";
import type { IndexFilter, IndexQueries } from "../store/tables/queries.ts";
import { parseRange, type TimeRange } from "../time/range.ts";
import type { Zone } from "../time/zone.ts";
import { sessionKey, type Session, type Turn } from "../turns/session.ts";
import { FULL, type Query } from "./questions.ts";
import { notInStore } from "./not-in-store.ts";
import { RecordFacts } from "./session-facts.ts";
import type { Snapshot, SnapshotOptions } from "./snapshot.ts";

/** What a report and the like are made from. */
export type Rows = IndexRows | SessionRows;

/** One question: the moment it is answered from, and whose day, prices and secrets it is answered with. */
export class Asking {
  readonly at: Snapshot;
  readonly zone: Zone;
  readonly now: number;
  readonly prices: PriceTable;
  readonly redactor: Redactor;
  readonly options: SnapshotOptions;

  constructor(at: Snapshot, by: Pick<Asking, "zone" | "now" | "prices" | "redactor" | "options">) {
    this.at = at;
    this.zone = by.zone;
    this.now = by.now;
    this.prices = by.prices;
    this.redactor = by.redactor;
    this.options = by.options;
  }

  range(query: Query): TimeRange {
    return parseRange(query, this.zone, this.now);
  }

  filter(query: Query): IndexFilter {
    const { project, session, limit } = query;
    return { project, session, marked: this.marked(query), range: this.range(query), limit };
  }

  /** What is meant by the marks a question names; undefined where it names none. */
  marked(query: Query): Marked | undefined {
    if (!choosesMarks(query)) return undefined;
    if (this.options.book === undefined) throw noBookForMarks(this.options);
    return this.at.marks.chosen(query);
  }

  /** With a book, `which` names those the question is about: only they, and what they depend on, are put together. */
  async read(options: ReadOptions, which?: (index: IndexQueries) => readonly string[] | null): Promise<ReadResult> {
    const { at } = this;
    if (at.index) return at.assemble(at.index, which?.(at.index.queries) ?? null);
    return at.readFiles(options);
  }

  /** Sessions of the files that the question is about. */
  async select(query: Query, options: ReadOptions): Promise<{ chosen: Session[]; range: TimeRange }> {
    const range = this.range(query);
    const { sessions } = await this.at.readFiles(options);
    const filter: Filter = { project: query.project, session: query.session, marked: this.marked(query), range };
    return { chosen: selectSessions(sessions, filter, this.at.names), range };
  }

  /** The rows of the index, or of all sessions read now. */
  async rows(query: Query): Promise<Rows> {
    const { at } = this;
    const { project, session } = query;
    const marked = this.marked(query);
    if (at.index) return new IndexRows(at.index.store, at.index.queries, { project, session, marked });
    const { sessions } = await at.readFiles(FULL);
    const range = { start: null, end: null };
    const meant = selectSessions(sessions, { project, session, marked, range }, at.names);
    return new SessionRows(sessions, meant, at.names, this.prices);
  }

  turnView(turn: Turn): TurnView {
    const { names, marks } = this.at;
    const view = turnView(turn, names.projectOf(turn.session), this.prices);
    return { ...view, marks: marks.ofTurn(sessionKey(turn.session), turn.ref) };
  }

  sessionView(session: Session): SessionView {
    const { names, marks } = this.at;
    const view = sessionView(session, names.projectOf(session), names.titleOf(session), this.prices);
    return { ...view, marks: marks.ofSession(sessionKey(session)) };
  }

  /** Takes secrets out of texts, unless they are asked for. */
  hiding(redact: boolean | undefined): (text: string) => string {
    return redact === false ? (text) => text : (text) => this.redactor.text(text);
  }

  /** To be taken before the sessions are: what changes later must not be cached under the old name. */
  recordFacts(): RecordFacts {
    const { at } = this;
    const found = new RecordFacts(at.index?.store ?? null, (session, error) => this.#failed(session, error));
    at.atLast(() => found.cache());
    return found;
  }

  /** What is said of one session; nothing, and its name among the problems, when that cannot be said. */
  unlessBroken<T>(session: Session | SessionView, make: () => T): T[] {
    try {
      return [make()];
    } catch (error) {
      this.#failed(session, error);
      return [];
    }
  }

  /** What is said of many at once: where it cannot be said, without those of whom alone it cannot be said either. */
  withoutBroken<T>(rows: Rows, range: TimeRange, make: (some: AnswerRows) => T): T {
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
    this.at.fail(leftOut({ source: session.source, path }, error));
  }
}

export function noBookForMarks({ given }: Pick<SnapshotOptions, "given">): DaybookError {
  if (given) return notInStore("labels, stars and notes");
  return new DaybookError("labels, stars and notes are kept in the book, and here is none", {
    ...{ code: "usage", op: "find marks", hint: "leave --root out, or name a book with --home DIR" },
  });
}

/** What was not in the index was looked through for secrets by nobody. */
export function jsonValue(value: unknown): JsonValue {
  return { json: JSON.stringify(value), secret: true };
}
