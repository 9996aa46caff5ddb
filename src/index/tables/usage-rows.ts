import type { Row, SqlValue } from "../../base/io/sqlite.ts";
import { splitCost, type KnownCost } from "../../views/pricing/cost.ts";
import type { PriceTable } from "../../views/pricing/price-table.ts";
import { QUARTER } from "../../base/time/zone.ts";
import type { UsageEvent } from "../../turns/model.ts";
import { keyOfTurn, type Session } from "../../turns/session.ts";
import type { IndexStore } from "./index-store.ts";
import { sessionKey } from "../../record/session-key.ts";

/** A counted response as a row. */
export interface UsageRow {
  session: string;
  response: string;
  source: string;
  time: number | null;
  model: string | null;
  input: number;
  cached: number;
  written: number;
  written_1h: number;
  output: number;
  reasoning: number;
  line: number;
  owner: string | null;
  owner_time: number | null;
  /** Cost in pico-dollars; null when the model has no price. */
  pico: number | null;
}

export function usageRows(session: Session, prices: PriceTable): UsageRow[] {
  return session.usage.map(({ event: e, owner }) => ({
    session: sessionKey(session),
    response: e.response_id,
    source: session.source,
    time: e.time,
    model: e.model,
    input: e.input_tokens,
    cached: e.cached_input_tokens,
    written: e.cache_write_tokens,
    written_1h: e.cache_write_1h_tokens,
    output: e.output_tokens,
    reasoning: e.reasoning_tokens,
    line: e.line,
    owner: owner ? keyOfTurn(owner) : null,
    owner_time: owner?.draft.trigger.time ?? null,
    pico: prices.cost(e.model, e, e.time),
  }));
}

/** Makes these the rows of a session, and updates the sums. Returns the rows written. */
export function writeUsage(store: IndexStore, session: string, rows: readonly UsageRow[]): number {
  const known = new Map(
    store.all("SELECT * FROM usage WHERE session = ?", session).map((row) => [String(row["response"]), toRow(row)]),
  );
  const changes = new UsageChanges(store);
  for (const row of rows) {
    changes.put(known.get(row.response), row);
    known.delete(row.response);
  }
  for (const row of known.values()) changes.drop(row);
  return changes.finish();
}

/** Like `writeUsage`, but leaves all other rows of the session as they are. */
export function updateUsage(store: IndexStore, rows: readonly UsageRow[]): number {
  const changes = new UsageChanges(store);
  for (const row of rows) {
    const before = store.get(`SELECT * FROM usage WHERE ${KEY}`, row.source, row.response, row.session);
    changes.put(before && toRow(before), row);
  }
  return changes.finish();
}

/** Adds rows that do not exist yet, any number of them: the sums are written at the end. */
export class UsageWriter {
  readonly #changes: UsageChanges;

  constructor(store: IndexStore) {
    this.#changes = new UsageChanges(store);
  }

  add(row: UsageRow): void {
    this.#changes.add(row);
  }

  finish(): void {
    this.#changes.finish();
  }
}

class UsageChanges {
  readonly #store: IndexStore;
  readonly #sums = SUMS.map((table) => new SumChanges(table));
  #written = 0;

  constructor(store: IndexStore) {
    this.#store = store;
  }

  put(before: UsageRow | undefined, row: UsageRow): void {
    // Compare every column: one left out would silently keep its old value.
    if (before && COLUMNS.every((column) => before[column] === row[column])) return;
    if (before) this.#add(before, -1);
    this.#put(REPLACE, row);
  }

  /** Adds a new row. */
  add(row: UsageRow): void {
    this.#put(INSERT, row);
  }

  #put(sql: string, row: UsageRow): void {
    this.#add(row, 1);
    this.#store.run(sql, ...COLUMNS.map((column) => row[column]));
    this.#written++;
  }

  drop(row: UsageRow): void {
    this.#add(row, -1);
    this.#store.run(`DELETE FROM usage WHERE ${KEY}`, row.source, row.response, row.session);
    this.#written++;
  }

  /** Returns the rows written, including the sums. */
  finish(): number {
    return this.#sums.reduce((written, sums) => written + sums.write(this.#store), this.#written);
  }

  #add(row: UsageRow, sign: 1 | -1): void {
    for (const sums of this.#sums) sums.add(row, sign);
  }
}

const KEY = "source = ? AND response = ? AND session = ?";

const COLUMNS = [
  "session",
  "response",
  "source",
  "time",
  "model",
  "input",
  "cached",
  "written",
  "written_1h",
  "output",
  "reasoning",
  "line",
  "owner",
  "owner_time",
  "pico",
] as const satisfies readonly (keyof UsageRow)[];

const INSERT = `INSERT INTO usage (${COLUMNS.join(", ")}) VALUES (${COLUMNS.map(() => "?").join(", ")})`;
const REPLACE = INSERT.replace("INSERT", "INSERT OR REPLACE");

/** Columns of the tables that hold sums. */
export const SUM_COLUMNS = [
  "responses",
  "input",
  "cached",
  "written",
  "written_1h",
  "output",
  "reasoning",
  "micro",
  "pico",
  "unpriced",
] as const;

type SumKey = [string, string | number | null, string | null];

/**
 * A table of sums over responses. In its key, values of another type stand for null, so that no time or name equals
 * null.
 */
interface SumTable {
  keyOf: (row: UsageRow) => SumKey;
  add: string;
  tidy: string;
}

function sumTable(name: string, [first, second]: [string, string], keyOf: SumTable["keyOf"]): SumTable {
  return {
    keyOf,
    add: `INSERT INTO ${name} (${first}, ${second}, model, ${SUM_COLUMNS.join(", ")}) VALUES (?, ?, ?, ${SUM_COLUMNS.map(() => "?").join(", ")})
      ON CONFLICT (${first}, IFNULL(${second}, ''), IFNULL(model, 0)) DO UPDATE SET ${SUM_COLUMNS.map((column) => `${column} = ${column} + excluded.${column}`).join(", ")}`,
    // Uses the expressions of the index; otherwise SQLite would scan all sums of a long session.
    tidy: `DELETE FROM ${name} WHERE ${first} = ? AND IFNULL(${second}, '') = IFNULL(?, '') AND IFNULL(model, 0) = IFNULL(?, 0) AND responses = 0`,
  };
}

const SUMS: readonly SumTable[] = [
  sumTable("usage_sum", ["source", "quarter"], ({ source, time, model }) => [
    source,
    time === null ? null : Math.floor(time / QUARTER),
    model,
  ]),
  sumTable("owner_sum", ["session", "owner"], ({ session, owner, model }) => [session, owner, model]),
];

/**
 * A unique text for each key, with the lengths of its parts, because they may contain anything. Several times faster
 * than JSON.
 */
function nameOf([first, second, model]: SumKey): string {
  const middle = typeof second === "string" ? `${second.length}"` : `${second}`;
  return `${first.length} ${middle} ${model === null ? "" : model.length}:${first}${typeof second === "string" ? second : ""}${model ?? ""}`;
}

/** Changes to the sums of one table. */
class SumChanges {
  readonly #table: SumTable;
  readonly #changes = new Map<string, { key: SumKey; by: number[] }>();

  constructor(table: SumTable) {
    this.#table = table;
  }

  add(row: UsageRow, sign: 1 | -1): void {
    const key = this.#table.keyOf(row);
    const name = nameOf(key);
    let change = this.#changes.get(name);
    if (!change) this.#changes.set(name, (change = { key, by: SUM_COLUMNS.map(() => 0) }));
    const { micro, pico } = splitCost(row.pico ?? 0);
    const values = [
      1,
      row.input,
      row.cached,
      row.written,
      row.written_1h,
      row.output,
      row.reasoning,
      micro,
      pico,
      row.pico === null ? 1 : 0,
    ];
    for (let i = 0; i < values.length; i++) change.by[i] = (change.by[i] ?? 0) + sign * (values[i] ?? 0);
  }

  write(store: IndexStore): number {
    let written = 0;
    for (const { key, by } of this.#changes.values()) {
      if (by.every((value) => value === 0)) continue;
      store.run(this.#table.add, ...key, ...by);
      if ((by[0] ?? 0) < 0) store.run(this.#table.tidy, ...key);
      written++;
    }
    return written;
  }
}

/** A sum over responses of one model. */
export interface OwnerSum {
  responses: number;
  /** Whether a turn owns these responses. */
  owned: boolean;
  tokens: UsageEvent;
  /** Null when none of them has a price. */
  cost: KnownCost | null;
}

/** Sums over a session's responses, or over those that one of its turns owns. */
export function ownerSums(store: IndexStore, session: string, owner?: string): OwnerSum[] {
  const rows = store.all(
    `SELECT model, owner IS NOT NULL AS owned, ${SUM_COLUMNS.map((name) => `SUM(${name}) AS ${name}`).join(", ")} FROM owner_sum
     WHERE session = ? ${owner === undefined ? "" : "AND IFNULL(owner, '') = ?"} GROUP BY model, owner IS NOT NULL`,
    session,
    ...(owner === undefined ? [] : [owner]),
  );
  return rows.map((row) => ({
    responses: Number(row["responses"]),
    owned: Number(row["owned"]) === 1,
    tokens: eventOf(row, null),
    cost: costOf(row),
  }));
}

/** Several responses of one model as one event. */
export function eventOf(row: Row, time: number | null): UsageEvent {
  return {
    response_id: "",
    line: 0,
    turn: null,
    time,
    model: typeof row["model"] === "string" ? row["model"] : null,
    input_tokens: Number(row["input"]),
    cached_input_tokens: Number(row["cached"]),
    cache_write_tokens: Number(row["written"]),
    cache_write_1h_tokens: Number(row["written_1h"]),
    output_tokens: Number(row["output"]),
    reasoning_tokens: Number(row["reasoning"]),
  };
}

export function numberOrNull(value: SqlValue | undefined): number | null {
  return value === null || value === undefined ? null : Number(value);
}

/** Null when none of them has a price. */
export function costOf(row: Row): KnownCost | null {
  const unpriced = Number(row["unpriced"]);
  if (unpriced > 0 && unpriced === Number(row["responses"])) return null;
  return { micro: Number(row["micro"]), pico: Number(row["pico"]), ...(unpriced > 0 ? { lacking: true } : {}) };
}

function toRow(row: Row): UsageRow {
  const text = (name: string): string => String(row[name]);
  const textOr = (name: string): string | null => (row[name] === null ? null : String(row[name]));
  const number = (name: string): number => Number(row[name]);
  return {
    session: text("session"),
    response: text("response"),
    source: text("source"),
    model: textOr("model"),
    time: numberOrNull(row["time"]),
    line: number("line"),
    owner: textOr("owner"),
    owner_time: numberOrNull(row["owner_time"]),
    input: number("input"),
    cached: number("cached"),
    written: number("written"),
    written_1h: number("written_1h"),
    output: number("output"),
    reasoning: number("reasoning"),
    pico: numberOrNull(row["pico"]),
  };
}
