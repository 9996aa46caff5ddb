import { byteaText } from "../rows/batches.ts";
import { DETAIL_KINDS, TABLE_NAMES, TABLES, type RowBatch, type HeadRow, type TableName } from "../rows/tables.ts";
import {
  AGED_KINDS,
  laterDate,
  MARK_COLUMNS,
  marksFromRow,
  NO_MARKS,
  type MarkRow,
  type RetentionMarks,
} from "../retention/policy.ts";
import { validRows } from "../rows/valid-rows.ts";
import { removeOld } from "../retention/remove.ts";
import * as statements from "./sql.ts";
import type { Sql } from "./sql.ts";

export interface Machine {
  machine_id: string;
  /** The label its owner gave it. */
  label: string;
}

/** What the store knows about one machine. */
export interface PushState {
  /** Session → fingerprint of the copy this machine pushed last. */
  copies: Record<string, string>;
  /** Forgotten sessions, from any machine. */
  forgotten: string[];
  /** Older texts are not kept and need not be sent; null if all are kept. Servers of an older version do not say. */
  texts_before?: string | null;
}

/** `behind`: another machine has pushed the same or more of the session. `forgotten`: it may not be pushed again. */
export type PushOutcome = "written" | "behind" | "forgotten";

export async function pushState(sql: Sql, owner: string, machine: string): Promise<PushState> {
  const copies = await sql.query(
    "SELECT session_id, encode(hash, 'hex') AS hash FROM daybook.session_copies WHERE owner_id = $1 AND machine_id = $2",
    [owner, machine],
  );
  const forgotten = await sql.query(
    "SELECT session_id FROM daybook.sessions WHERE owner_id = $1 AND forgotten IS NOT NULL",
    [owner],
  );
  return {
    copies: Object.fromEntries(copies.rows.map((row) => [String(row["session_id"]), String(row["hash"])])),
    forgotten: forgotten.rows.map((row) => String(row["session_id"])),
    texts_before: (await marksOfStore(sql)).texts?.toISOString() ?? null,
  };
}

/**
 * Rows older than these marks must not stay or come back. Read after the owner's row was locked, because retention
 * writes the marks before it locks that row.
 */
async function marksOfStore(sql: Sql): Promise<RetentionMarks> {
  const { rows } = await sql.query(`SELECT ${MARK_COLUMNS} FROM daybook.stores`);
  return marksFromRow(rows[0] as MarkRow | undefined);
}

/**
 * Writes one session within the caller's transaction. The owner's row is locked first, so that nothing read
 * afterwards changes: two machines of one person wait for each other, those of different people never do.
 */
export async function applySession(
  sql: Sql,
  owner: string,
  machine: Machine,
  head: HeadRow,
  batches: Iterable<RowBatch> | AsyncIterable<RowBatch>,
): Promise<PushOutcome> {
  const seq = await nextSeq(sql, owner);
  const session = new StoredHead(sql, owner, head.session_id);
  await sql.query(statements.PUT_MACHINE, [owner, machine.machine_id, machine.label]);
  const known = await session.head();
  await session.putCopy(machine, head);
  if (known?.forgotten === true) return "forgotten";
  if (known && !wins(head, machine.machine_id, known)) return "behind";
  const before = known ? await session.affected() : NOTHING;
  // Rows that retention removed are sent again with the rest, and summed again.
  if (known) await session.dropSums();
  await session.putHead(machine, head, seq);
  const sent = await session.putRows(validRows(batches));
  if (known) {
    await session.dropOthers(sent);
    if (head.lines < known.lines) await session.askOthersAgain(machine, head);
  }
  await session.settle(before, await marksOfStore(sql), head.started);
  return "written";
}

/** Removes a session for good. False if it was forgotten already. */
export async function forgetSession(sql: Sql, owner: string, machine: Machine, id: string): Promise<boolean> {
  const seq = await nextSeq(sql, owner);
  const session = new StoredHead(sql, owner, id);
  if ((await session.head())?.forgotten === true) return false;
  const before = await session.affected();
  await sql.query(statements.PUT_TOMBSTONE, [owner, id, machine.machine_id, seq]);
  for (const table of [...TABLE_NAMES, "session_copies", "session_days"])
    await sql.query(`DELETE FROM daybook.${table} WHERE owner_id = $1 AND session_id = $2`, [owner, id]);
  await session.settle(before, NO_MARKS, null);
  return true;
}

async function nextSeq(sql: Sql, owner: string): Promise<string> {
  const { rows } = await sql.query(statements.NEXT_SEQ, [owner]);
  return String(rows[0]?.["seq"]);
}

/** What decides which copy of a session wins. */
export interface KnownHead {
  lines: number;
  reader: number;
  level: number;
  hash: string;
  machine_id: string;
  forgotten: boolean;
}

type Weight = Pick<KnownHead, "lines" | "reader" | "level" | "hash">;

/**
 * The machine that pushed a session last may change anything: a new price, another project, fewer lines. Between
 * machines, more lines win, then the newer reader, then the higher level; finally the fingerprint decides, so that
 * both orders lead to the same result.
 */
export function wins(head: Weight, machine: string, known: KnownHead): boolean {
  if (head.hash === known.hash) return false;
  if (machine === known.machine_id) return true;
  for (const field of ["lines", "reader", "level"] as const)
    if (head[field] !== known[field]) return head[field] > known[field];
  return head.hash > known.hash;
}

/** What other rows derive from a session. */
interface Affected {
  days: ReadonlySet<string>;
  /** Responses that other sessions state as well. */
  shared: readonly string[];
}

const NOTHING: Affected = { days: new Set(), shared: [] };

/** The rows of a session that were sent. */
interface SentRows {
  /** The last number of each table, and of each kind of detail. */
  last: Map<string, number>;
  responses: string[];
}

class StoredHead {
  readonly #sql: Sql;
  readonly #owner: string;
  readonly #id: string;

  constructor(sql: Sql, owner: string, id: string) {
    this.#sql = sql;
    this.#owner = owner;
    this.#id = id;
  }

  async #ask(text: string, ...more: unknown[]): Promise<Record<string, unknown>[]> {
    return (await this.#sql.query(text, [this.#owner, this.#id, ...more])).rows;
  }

  async head(): Promise<KnownHead | null> {
    const [row] = await this.#ask(statements.KNOWN_HEAD);
    if (!row) return null;
    return {
      lines: Number(row["lines"]),
      reader: Number(row["reader"]),
      level: Number(row["level"]),
      hash: String(row["hash"]),
      machine_id: String(row["machine_id"]),
      forgotten: row["forgotten"] === true,
    };
  }

  async affected(): Promise<Affected> {
    const days = await this.#ask(statements.DAYS_OF_SESSION);
    const shared = await this.#ask(statements.SHARED_RESPONSES);
    return {
      days: new Set(days.map((row) => String(row["day"]))),
      shared: shared.map((row) => String(row["response_id"])),
    };
  }

  async putHead(machine: Machine, head: HeadRow, seq: string): Promise<void> {
    const { source, project, level, started, ended, turns, lines, reader, hash, kind, parent, parent_turn } = head;
    const values = [source, project, level, started, ended, turns, lines, reader, byteaText(hash), kind];
    await this.#ask(statements.PUT_HEAD, ...values, parent, parent_turn, machine.machine_id, seq);
  }

  async putCopy({ machine_id }: Machine, { lines, level, hash }: HeadRow): Promise<void> {
    await this.#ask(statements.PUT_COPY, machine_id, lines, level, byteaText(hash));
  }

  async putRows(batches: Iterable<RowBatch> | AsyncIterable<RowBatch>): Promise<SentRows> {
    const sent: SentRows = { last: new Map(), responses: [] };
    for await (const { table, columns } of batches) {
      await this.#ask(upsertOf(table), ...columns);
      const [first = [], second = []] = columns;
      if (table === "usage_responses") for (const id of first) sent.responses.push(String(id));
      else if (table === "details") for (const [i, n] of second.entries()) raise(sent, `details ${first[i]}`, n);
      else for (const n of first) raise(sent, table, n);
    }
    return sent;
  }

  /** A newer reader may produce fewer turns, and a lower level leaves out whole tables. */
  async dropOthers({ last, responses }: SentRows): Promise<void> {
    for (const table of TABLE_NAMES) {
      const from = `DELETE FROM daybook.${table} WHERE owner_id = $1 AND session_id = $2`;
      if (table === "usage_responses") await this.#ask(`${from} AND NOT (response_id = ANY ($3::uuid[]))`, responses);
      else if (TABLES[table].key.length === 1) await this.#ask(`${from} AND n > $3`, last.get(table) ?? -1);
      else
        for (const kind of DETAIL_KINDS.keys())
          await this.#ask(`${from} AND kind = $3 AND n > $4`, kind, last.get(`details ${kind}`) ?? -1);
    }
  }

  /** If a file lost lines, another machine may have a longer copy: let it push again. */
  async askOthersAgain({ machine_id }: Machine, { lines }: HeadRow): Promise<void> {
    const others = "DELETE FROM daybook.session_copies WHERE owner_id = $1 AND session_id = $2";
    await this.#ask(`${others} AND machine_id <> $3 AND lines > $4`, machine_id, lines);
  }

  async dropSums(): Promise<void> {
    await this.#ask(statements.DROP_SUMS);
  }

  /** Counts shared responses once, removes rows beyond retention, and recomputes the sums of all affected days. */
  async settle(before: Affected, marks: RetentionMarks, started: string | null): Promise<void> {
    const now = await this.affected();
    const days = new Set([...before.days, ...now.days]);
    const shared = [...new Set([...before.shared, ...now.shared])];
    if (shared.length > 0) {
      await this.#sql.query(statements.COUNT_ONCE, [this.#owner, shared]);
      const { rows } = await this.#sql.query(statements.DAYS_OF_RESPONSES, [this.#owner, shared]);
      for (const row of rows) days.add(String(row["day"]));
    }
    const last = AGED_KINDS.map((aged) => marks[aged]).reduce(laterDate, null);
    if (last !== null && (started === null || new Date(started) < last)) {
      await this.#ask(statements.COUNTED_IN_SUMS, shared);
      await removeOld(this.#sql, this.#owner, [this.#id], marks);
    }
    if (days.size === 0) return;
    await this.#sql.query(statements.DROP_DAYS, [this.#owner, [...days]]);
    await this.#sql.query(statements.MAKE_DAYS, [this.#owner, [...days]]);
  }
}

function raise({ last }: SentRows, name: string, n: unknown): void {
  last.set(name, Math.max(last.get(name) ?? -1, Number(n)));
}

const upserts = new Map<TableName, string>();

function upsertOf(table: TableName): string {
  let text = upserts.get(table);
  if (text === undefined) upserts.set(table, (text = statements.upsert(table)));
  return text;
}
