import type { Pool } from "pg";
import type { RetentionRun } from "../../views/team.ts";
import { DaybookError } from "../../base/errors.ts";
import { Zone } from "../../base/time/zone.ts";
import { retrying, type RetryOptions } from "../push/retry.ts";
import { NEXT_SEQ } from "../push/sql.ts";
import { transaction, type Sql } from "../store/transaction.ts";
import {
  AGED_KINDS,
  removesLess,
  laterDate,
  MARK_COLUMNS,
  marksFromRow,
  marksOf,
  NO_MARKS,
  POLICY_COLUMNS,
  policyFromRow,
  retentionFromRow,
  type AgedKind,
  type RetentionMarks,
  type MarkRow,
  type Policy,
  type PolicyRow,
} from "./policy.ts";
import { countOld, removeOld, sessionsWithOld, type RemovedIn } from "./remove.ts";

export interface RetentionWanted {
  /** The changed parts of the policy. */
  change: Partial<Policy>;
  now: number;
  /** Only report what would be done. */
  isDry: boolean;
  how: RetryOptions;
  signal?: AbortSignal | undefined;
  onProgress?: ((done: number, all: number) => void) | undefined;
  /** Lines of sessions per transaction. */
  most?: number | undefined;
}

/** Lines of sessions per transaction, so that it is not much larger than that of a push; and sessions. */
const MOST_LINES = 20_000;
const MOST_SESSIONS = 200;

/**
 * Brings a store in line with its policy. The policy and its marks are written first, so that no push brings back
 * what is about to be removed; then the rows of each person are removed with that person's role, a few sessions per
 * transaction. If it is interrupted, the next run continues.
 */
export async function applyRetention(pool: Pool, wanted: RetentionWanted): Promise<RetentionRun> {
  const { isDry, signal, onProgress, how, most = MOST_LINES } = wanted;
  const { marks, row, zone, owners } = await retrying(() => decideMarks(pool, wanted), how);
  const run: RetentionRun = {
    dry_run: isDry,
    retention: retentionFromRow(row, zone),
    people: 0,
    sessions: 0,
    asked_again: 0,
    unfinished: false,
    removed: {},
  };
  for (const [i, owner] of owners.entries()) {
    if (signal?.aborted === true) break;
    onProgress?.(i, owners.length);
    const person = new PersonRetention(pool, owner, marks, how);
    const did = isDry ? await person.plan() : await person.run(most, signal);
    run.people += did.sessions > 0 || did.askedAgain > 0 ? 1 : 0;
    run.sessions += did.sessions;
    run.asked_again += did.askedAgain;
    addTo(run.removed, did.removed);
  }
  run.unfinished = signal?.aborted === true;
  return run;
}

interface RetentionDecision {
  marks: RetentionMarks;
  row: PolicyRow;
  zone: Zone;
  owners: string[];
}

/** Runs with the admin role, which only the administrator's login may take. */
async function decideMarks(pool: Pool, { change, now, isDry }: RetentionWanted): Promise<RetentionDecision> {
  return transaction(pool, { role: "daybook_admin", owner: null }, async (sql) => {
    const { rows } = await sql.query<PolicyRow & { zone: string }>(
      `SELECT zone, ${POLICY_COLUMNS} FROM daybook.stores`,
    );
    const [store] = rows;
    if (!store) throw new DaybookError("this database holds no team store", { code: "not_found", op: "open store" });
    const zone = new Zone(store.zone);
    const [before, known] = [policyFromRow(store), marksFromRow(store)];
    const policy: Policy = { ...before, ...change };
    const today = marksOf(policy, zone, now);
    // A clock that went back brings nothing back: only a changed policy does.
    const isSame = AGED_KINDS.every((aged) => policy[aged] === before[aged]);
    const at = (aged: AgedKind): Date | null => (isSame ? laterDate(today[aged], known[aged]) : today[aged]);
    const marks: RetentionMarks = { texts: at("texts"), calls: at("calls"), turns: at("turns") };
    const row: PolicyRow = {
      texts_days: policy.texts,
      calls_days: policy.calls,
      turns_days: policy.turns,
      texts_before: marks.texts,
      calls_before: marks.calls,
      turns_before: marks.turns,
    };
    if (!isDry)
      await sql.query(
        `UPDATE daybook.stores SET texts_days = $1, calls_days = $2, turns_days = $3,
           texts_before = $4, calls_before = $5, turns_before = $6`,
        [policy.texts, policy.calls, policy.turns, marks.texts, marks.calls, marks.turns],
      );
    const people = await sql.query<{ owner_id: string }>("SELECT owner_id FROM daybook.owners ORDER BY owner_id");
    return { marks, row, zone, owners: people.rows.map(({ owner_id }) => owner_id) };
  });
}

interface PersonResult {
  sessions: number;
  askedAgain: number;
  removed: RemovedIn;
}

/** The progress for one person. */
interface State {
  /** What has been removed so far; nothing is certain after an interrupted run. */
  done: RetentionMarks;
  /** Up to where something may have been removed. */
  begun: RetentionMarks;
}

/** The rows of one person, read and removed with that person's role. */
class PersonRetention {
  readonly #pool: Pool;
  readonly #owner: string;
  readonly #marks: RetentionMarks;
  readonly #how: RetryOptions;

  constructor(pool: Pool, owner: string, marks: RetentionMarks, how: RetryOptions) {
    this.#pool = pool;
    this.#owner = owner;
    this.#marks = marks;
    this.#how = how;
  }

  async plan(): Promise<PersonResult> {
    return this.#do(async (sql) => {
      const state = await this.#state(sql);
      if (state === null) return { sessions: 0, askedAgain: 0, removed: {} };
      const found = await this.#candidates(sql, state);
      const ids = found.map(({ session_id }) => session_id);
      const removed = ids.length === 0 ? {} : await countOld(sql, this.#owner, ids, this.#marks);
      const back = this.#broughtBack(state);
      const askedAgain = back === null ? 0 : await this.#count(sql, back);
      return { sessions: ids.length, askedAgain, removed };
    });
  }

  async run(most: number, signal: AbortSignal | undefined): Promise<PersonResult> {
    const did: PersonResult = { sessions: 0, askedAgain: 0, removed: {} };
    const begun = await this.#do((sql) => this.#begin(sql));
    if (begun === null) return did;
    did.askedAgain = begun.askedAgain;
    for (const sessions of batches(begun.sessions, most)) {
      if (signal?.aborted === true) return did;
      const removed = await this.#do(async (sql) => {
        // Locks out pushes of this person, and tells readers that something changed.
        await sql.query(NEXT_SEQ, [this.#owner]);
        return removeOld(sql, this.#owner, sessions, this.#marks);
      });
      did.sessions += sessions.length;
      for (const [table, rows] of Object.entries(removed)) addTo(did.removed, { [table]: { rows, bytes: 0 } });
    }
    await this.#do((sql) =>
      sql.query("UPDATE daybook.heads SET removing = false WHERE owner_id = $1 AND removing", [this.#owner]),
    );
    return did;
  }

  /** Records that rows up to the marks may be gone, before any are removed. Null if there is nothing to do. */
  async #begin(sql: Sql): Promise<{ sessions: { session_id: string; lines: number }[]; askedAgain: number } | null> {
    const state = await this.#state(sql);
    if (state === null) return null;
    const { texts, calls, turns } = this.#marks;
    await sql.query(
      `UPDATE daybook.heads SET seq = seq + 1, removing = true, texts_before = $2, calls_before = $3, turns_before = $4
       WHERE owner_id = $1`,
      [this.#owner, texts, calls, turns],
    );
    const back = this.#broughtBack(state);
    const askedAgain = back === null ? 0 : await this.#askAgain(sql, back);
    return { sessions: await this.#candidates(sql, state), askedAgain };
  }

  async #state(sql: Sql): Promise<State | null> {
    const { rows } = await sql.query<MarkRow & { removing: boolean }>(
      `SELECT ${MARK_COLUMNS}, removing FROM daybook.heads WHERE owner_id = $1`,
      [this.#owner],
    );
    const [row] = rows;
    // A person who never pushed has no rows.
    if (!row) return null;
    const begun = marksFromRow(row);
    const isDone = AGED_KINDS.every((aged) => begun[aged]?.getTime() === this.#marks[aged]?.getTime());
    return isDone && !row.removing ? null : { begun, done: row.removing ? NO_MARKS : begun };
  }

  async #candidates(sql: Sql, { done }: State): Promise<{ session_id: string; lines: number }[]> {
    if (AGED_KINDS.every((aged) => !removesLess(done[aged], this.#marks[aged]))) return [];
    return sessionsWithOld(sql, this.#owner, this.#marks, done);
  }

  /** The range in which rows may come back, because the policy removes less than before. */
  #broughtBack({ begun }: State): { from: Date | null; to: Date } | null {
    const kinds = AGED_KINDS.filter((aged) => removesLess(this.#marks[aged], begun[aged]));
    const to = kinds.map((aged) => begun[aged]).reduce(laterDate, null);
    if (to === null) return null;
    const starts = kinds.map((aged) => this.#marks[aged]);
    return { to, from: starts.includes(null) ? null : starts.reduce((a, b) => (removesLess(a, b) ? a : b), to) };
  }

  /** Machines push again whatever the store does not know by its fingerprint. */
  async #askAgain(sql: Sql, { from, to }: { from: Date | null; to: Date }): Promise<number> {
    const values = [this.#owner, from, to];
    await sql.query(
      `DELETE FROM daybook.session_copies c WHERE c.owner_id = $1 AND c.session_id IN
         (SELECT s.session_id FROM daybook.sessions s WHERE ${WITHIN})`,
      values,
    );
    const { rowCount } = await sql.query(`UPDATE daybook.sessions s SET hash = '\\x' WHERE ${WITHIN}`, values);
    return rowCount ?? 0;
  }

  async #count(sql: Sql, { from, to }: { from: Date | null; to: Date }): Promise<number> {
    const { rows } = await sql.query<{ n: string }>(`SELECT count(*) AS n FROM daybook.sessions s WHERE ${WITHIN}`, [
      this.#owner,
      from,
      to,
    ]);
    return Number(rows[0]?.n ?? 0);
  }

  #do<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return retrying(() => transaction(this.#pool, { role: "daybook_dev", owner: this.#owner }, work), this.#how);
  }
}

/** Sessions that had rows in this range. */
const WITHIN = `s.owner_id = $1 AND s.forgotten IS NULL AND (s.started IS NULL OR s.started < $3)
  AND ($2::timestamptz IS NULL OR s.ended IS NULL OR s.ended >= $2)`;

function* batches(
  sessions: readonly { session_id: string; lines: number }[],
  most: number,
): Generator<string[], void, undefined> {
  let some: string[] = [];
  let lines = 0;
  for (const one of sessions) {
    if (some.length > 0 && (some.length >= MOST_SESSIONS || lines + one.lines > most)) {
      yield some;
      [some, lines] = [[], 0];
    }
    some.push(one.session_id);
    lines += one.lines;
  }
  if (some.length > 0) yield some;
}

function addTo(sums: RemovedIn, more: RemovedIn): void {
  for (const [table, { rows, bytes }] of Object.entries(more)) {
    const known = (sums[table] ??= { rows: 0, bytes: 0 });
    known.rows += rows;
    known.bytes += bytes;
  }
}
