import { DaybookError } from "../base/errors.ts";
import type { IndexRows } from "../index/tables/index-rows.ts";
import type { ChangeStamp } from "../index/tables/queries.ts";
import { turnRef } from "../turns/session.ts";
import type { AnswerContext } from "./answer-context.ts";
import { fellShort } from "./report/loose/fell-short.ts";
import type { FoundFacts } from "./report/model.ts";
import { isUnproven } from "./report/sums.ts";
import { commitCount } from "./report/turn.ts";
import type { RecordFacts } from "./session-facts.ts";
import type { SessionAudit } from "../views/audit-view.ts";
import type { ContextShift } from "../views/context-trail.ts";
import type { SessionDetail, SettingsChange } from "../views/rows.ts";
import type { Decision } from "../turns/decisions/model.ts";
import { recordsOf, type Recording } from "../views/recorded.ts";
import type { RecordBody } from "../record/record.ts";
import type { JsonValue } from "../base/redact/redact.ts";
import { noFacts, type TurnFacts } from "../views/facts/facts.ts";
import { parseRow } from "../index/tables/damaged-index.ts";
import { readerVersion } from "../stored-versions.ts";
import { textOf, type DocKind } from "../index/search/text-kinds.ts";
import type { IndexStore } from "../index/tables/index-store.ts";
import { responsesIn } from "../index/tables/usage-rows.ts";
import type { CountedResponse } from "../views/response.ts";

/** A finished view, with its number in the session. */
export interface NumberedAnswer {
  n: number;
  view: JsonValue;
}

export interface IndexedText {
  kind: DocKind;
  line: number | null;
  time: string | null;
  turn: number | null;
  text: string;
}

/**
 * What reports derive from a session in addition to its views. Turns by number; 0 stands for work no human turn asked
 * for.
 */
export interface ReportedFacts {
  facts: ReadonlyMap<number, TurnFacts>;
  detail: SessionDetail;
  audit: SessionAudit | null;
  /** Settings that changed with a turn, or during it. */
  changes: ReadonlyMap<number, readonly ContextShift[]>;
  /** What reports count for a turn, including the sessions it started; `unproven`: it succeeded by the agent's word alone. */
  counts: (n: number) => { commits: number; unproven: boolean };
}

/** Rows fetched from the index at once: a session may have tens of thousands. */
const AT_ONCE = 500;

/**
 * Everything the index and the book have of one session, as finished views and numbers. Lists are read in batches,
 * each time they are iterated.
 */
export class StoredContents {
  readonly key: string;
  readonly source: string;
  readonly session_id: string;
  readonly view: JsonValue;
  /** Number of lines of its files, as far as they are final. */
  readonly lines: number;
  readonly decisions: readonly Decision[];
  /** Version of its source's reader. */
  readonly reader: number;
  readonly #store: IndexStore;
  readonly #recorded: () => Recording | null;
  readonly #reported: () => FoundInRecords;
  #found: ReportedFacts | null = null;

  private constructor(
    store: IndexStore,
    row: readonly [key: string, source: string, id: string, view: JsonValue],
    rest: { decisions: readonly Decision[]; recorded: () => Recording | null; reported: () => FoundInRecords },
  ) {
    [this.key, this.source, this.session_id, this.view] = row;
    this.reader = readerVersion(this.source);
    this.#store = store;
    this.#recorded = rest.recorded;
    this.#reported = rest.reported;
    this.decisions = rest.decisions;
    const lines = store.get(
      "SELECT SUM(lines) AS n FROM file WHERE source = ? AND session_id = ? AND gone <> 2",
      this.source,
      this.session_id,
    );
    this.lines = Number(lines?.["n"] ?? 0);
  }

  /** Null if the index has no such session. */
  static of(
    store: IndexStore,
    key: string,
    more: {
      decisions: () => readonly Decision[];
      recorded: () => Recording | null;
      reported: () => FoundInRecords;
    },
  ): StoredContents | null {
    const row = store.get("SELECT source, session_id, view, secret FROM session WHERE key = ?", key);
    if (!row) return null;
    const view = { json: String(row["view"]), secret: row["secret"] !== 0 };
    const asks = store.get("SELECT 1 FROM with_questions WHERE session = ?", key) !== undefined;
    const rest = { ...more, decisions: asks ? more.decisions() : [] };
    return new StoredContents(store, [key, String(row["source"]), String(row["session_id"]), view], rest);
  }

  reported(): ReportedFacts {
    return (this.#found ??= this.#report());
  }

  #report(): ReportedFacts {
    const { facts, ...rest } = this.#reported();
    const rows = this.#store.all("SELECT ref, settings FROM turn WHERE session = ? AND settings IS NOT NULL", this.key);
    const changes = rows.map(({ ref, settings }) => {
      return [numberIn(String(ref)), (parseRow(settings) as SettingsChange).changes] as const;
    });
    return {
      ...rest,
      facts: new Map([...facts].map(([ref, found]) => [ref === "" ? 0 : numberIn(ref), found])),
      changes: new Map(changes.filter(([, shifts]) => shifts.length > 0)),
    };
  }

  *turns(): Generator<NumberedAnswer, void, undefined> {
    const sql = `SELECT ref, view, secret FROM turn WHERE session = ? AND ref > ? ORDER BY ref LIMIT ${AT_ONCE}`;
    for (let last = ""; ;) {
      const rows = this.#store.all(sql, this.key, last);
      for (const { ref, view, secret } of rows)
        yield { n: numberIn(String(ref)), view: { json: String(view), secret: secret !== 0 } };
      if (rows.length < AT_ONCE) return;
      last = String(rows.at(-1)?.["ref"]);
    }
  }

  *calls(): Generator<NumberedAnswer, void, undefined> {
    const sql = `SELECT n, view FROM call WHERE session = ? AND n > ? ORDER BY n LIMIT ${AT_ONCE}`;
    for (let last = -1; ;) {
      const rows = this.#store.all(sql, this.key, last);
      // The index does not record whether a call contains a secret, so assume it does.
      for (const { n, view } of rows) yield { n: Number(n), view: { json: String(view), secret: true } };
      if (rows.length < AT_ONCE) return;
      last = Number(rows.at(-1)?.["n"]);
    }
  }

  /** By id. */
  responses(): CountedResponse[] {
    return responsesIn(this.#store, this.key);
  }

  /** Every searchable text, in the order of the session's records. */
  *texts(): Generator<IndexedText, void, undefined> {
    const recorded = this.#recorded();
    if (!recorded) return;
    for (const record of recordsOf(recorded, WITH_TEXT)) {
      const found = textOf(record);
      if (!found) continue;
      yield {
        kind: found[0],
        text: found[1],
        time: record.time,
        line: record.origin.line ?? null,
        turn: record.turn_id === undefined ? null : numberIn(record.turn_id),
      };
    }
  }
}

/** The same, by turn reference. */
interface FoundInRecords extends Pick<ReportedFacts, "detail" | "audit" | "counts"> {
  facts: ReadonlyMap<string, TurnFacts>;
}

/** Record types in which `textOf` finds a text. */
const WITH_TEXT: ReadonlySet<RecordBody["type"]> = new Set([
  "user",
  "assistant_finished",
  "reasoning_finished",
  "tool_started",
  "tool_finished",
  "failed",
  "compacted",
]);

/** `T0012` → 12. */
function numberIn(ref: string): number {
  return Number(ref.slice(1));
}

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
    const { session, ref, view } = turn;
    const fell_short = view.outcome === "completed" ? fellShort(view, rows.callGlance(session, ref)) : null;
    const { last_check } = facts.get(ref) ?? noFacts();
    return {
      commits: commitCount(turn, factsOf) ?? 0,
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
