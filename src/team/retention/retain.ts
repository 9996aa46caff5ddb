import type { Pool } from "pg";
import type { RetentionRun } from "../../answers/team.ts";
import { DaybookError } from "../../errors.ts";
import { Zone } from "../../time/zone.ts";
import { retrying, type RetryOptions } from "../push/retry.ts";
import { NEXT_SEQ } from "../push/sql.ts";
import { transaction, type Sql } from "../store/transaction.ts";
import {
  AGED,
  isBefore,
  later,
  MARK_COLUMNS,
  marksIn,
  marksOf,
  NO_MARKS,
  POLICY_COLUMNS,
  policyIn,
  retentionIn,
  type Aged,
  type Marks,
  type MarkRow,
  type Policy,
  type PolicyRow,
} from "./policy.ts";
import { countOld, removeOld, sessionsWithOld, type RemovedIn } from "./remove.ts";

export interface RetentionWanted {
  /** What is changed of the policy; nothing else of it is. */
  change: Partial<Policy>;
  now: number;
  /** Says what would be done, and does nothing. */
  isDry: boolean;
  how: RetryOptions;
  signal?: AbortSignal | undefined;
  onProgress?: ((done: number, all: number) => void) | undefined;
  /** Lines of sessions to a transaction. */
  most?: number | undefined;
}

/** Lines of sessions to a transaction, which is never much larger than that of a push, and sessions. */
const MOST_LINES = 20_000;
const MOST_SESSIONS = 200;

/**
 * Makes a store hold what its policy says. The policy and its marks are written first, so that from then on no push brings back what is
 * about to go; then person by person, as that person, some sessions to a transaction. Whatever stops it, the next run goes on.
 */
export async function retain(pool: Pool, wanted: RetentionWanted): Promise<RetentionRun> {
  const { isDry, signal, onProgress, how, most = MOST_LINES } = wanted;
  const { marks, row, zone, owners } = await retrying(() => decided(pool, wanted), how);
  const run: RetentionRun = {
    ...{ dry_run: isDry, retention: retentionIn(row, zone), people: 0, sessions: 0, asked_again: 0, unfinished: false },
    removed: {},
  };
  for (const [i, owner] of owners.entries()) {
    if (signal?.aborted === true) break;
    onProgress?.(i, owners.length);
    const person = new Person(pool, owner, marks, how);
    const did = isDry ? await person.plan() : await person.run(most, signal);
    run.people += did.sessions > 0 || did.askedAgain > 0 ? 1 : 0;
    run.sessions += did.sessions;
    run.asked_again += did.askedAgain;
    addTo(run.removed, did.removed);
  }
  run.unfinished = signal?.aborted === true;
  return run;
}

interface Decided {
  marks: Marks;
  row: PolicyRow;
  zone: Zone;
  owners: string[];
}

/** As whoever administers the store: nobody else may take that role. */
async function decided(pool: Pool, { change, now, isDry }: RetentionWanted): Promise<Decided> {
  return transaction(pool, { role: "daybook_admin", owner: null }, async (sql) => {
    const { rows } = await sql.query<PolicyRow & { zone: string }>(
      `SELECT zone, ${POLICY_COLUMNS} FROM daybook.stores`,
    );
    const [store] = rows;
    if (!store) throw new DaybookError("this database holds no team store", { code: "not_found", op: "open store" });
    const zone = new Zone(store.zone);
    const [before, known] = [policyIn(store), marksIn(store)];
    const policy: Policy = { ...before, ...change };
    const today = marksOf(policy, zone, now);
    // A clock that went back brings nothing back: only another policy does.
    const isSame = AGED.every((aged) => policy[aged] === before[aged]);
    const at = (aged: Aged): Date | null => (isSame ? later(today[aged], known[aged]) : today[aged]);
    const marks: Marks = { texts: at("texts"), calls: at("calls"), turns: at("turns") };
    const row: PolicyRow = {
      ...{ texts_days: policy.texts, calls_days: policy.calls, turns_days: policy.turns },
      ...{ texts_before: marks.texts, calls_before: marks.calls, turns_before: marks.turns },
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

interface Did {
  sessions: number;
  askedAgain: number;
  removed: RemovedIn;
}

/** How far a person's rows are. */
interface State {
  /** What was removed up to now; of a run that did not end nothing is sure. */
  done: Marks;
  /** Up to where something may be gone. */
  begun: Marks;
}

/** One person's rows, asked for and removed as that person. */
class Person {
  readonly #pool: Pool;
  readonly #owner: string;
  readonly #marks: Marks;
  readonly #how: RetryOptions;

  constructor(pool: Pool, owner: string, marks: Marks, how: RetryOptions) {
    this.#pool = pool;
    this.#owner = owner;
    this.#marks = marks;
    this.#how = how;
  }

  async plan(): Promise<Did> {
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

  async run(most: number, signal: AbortSignal | undefined): Promise<Did> {
    const did: Did = { sessions: 0, askedAgain: 0, removed: {} };
    const begun = await this.#do((sql) => this.#begin(sql));
    if (begun === null) return did;
    did.askedAgain = begun.askedAgain;
    for (const sessions of batches(begun.sessions, most)) {
      if (signal?.aborted === true) return did;
      const removed = await this.#do(async (sql) => {
        // Pushes of this person wait for it, and it for them; readers see that something is other than it was.
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

  /** Notes that something may be gone up to the marks, before anything is. Null where nothing is to be done. */
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
    // Who never pushed has nothing.
    if (!row) return null;
    const begun = marksIn(row);
    const isDone = AGED.every((aged) => begun[aged]?.getTime() === this.#marks[aged]?.getTime());
    return isDone && !row.removing ? null : { begun, done: row.removing ? NO_MARKS : begun };
  }

  async #candidates(sql: Sql, { done }: State): Promise<{ session_id: string; lines: number }[]> {
    if (AGED.every((aged) => !isBefore(done[aged], this.#marks[aged]))) return [];
    return sessionsWithOld(sql, this.#owner, this.#marks, done);
  }

  /** From when to when rows may come back, as the policy removes less than it did. */
  #broughtBack({ begun }: State): { from: Date | null; to: Date } | null {
    const kinds = AGED.filter((aged) => isBefore(this.#marks[aged], begun[aged]));
    const to = kinds.map((aged) => begun[aged]).reduce(later, null);
    if (to === null) return null;
    const starts = kinds.map((aged) => this.#marks[aged]);
    return { to, from: starts.includes(null) ? null : starts.reduce((a, b) => (isBefore(a, b) ? a : b), to) };
  }

  /** Machines push again what the store does not know by its fingerprint. */
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
      ...[this.#owner, from, to],
    ]);
    return Number(rows[0]?.n ?? 0);
  }

  #do<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return retrying(() => transaction(this.#pool, { role: "daybook_dev", owner: this.#owner }, work), this.#how);
  }
}

/** Sessions that had rows in this time. */
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
