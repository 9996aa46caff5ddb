import type { Row, SqlValue } from "../../base/io/sqlite.ts";
import { splitCost, type KnownCost } from "../../views/pricing/cost.ts";
import type { CountedResponse } from "../../views/response.ts";
import { QUARTER } from "../../base/time/zone.ts";
import type { TimedTokens, Tokens } from "../../record/record.ts";
import type { IndexStore } from "./index-store.ts";
import type { RowStore } from "./row-store.ts";
import { parseSessionKey, sessionKey } from "../../record/session-key.ts";

/** Makes these the responses of a session, and updates the sums. Returns the rows written. */
export function writeUsage(store: RowStore, session: string, responses: readonly CountedResponse[]): number {
  const known = new Map(responsesIn(store, session).map((response) => [response.response_id, response]));
  const changes = new UsageChanges(store);
  for (const response of responses) {
    changes.put(session, known.get(response.response_id), response);
    known.delete(response.response_id);
  }
  for (const response of known.values()) changes.drop(session, response);
  return changes.finish();
}

/** Like `writeUsage`, but leaves all other responses of the session as they are. */
export function updateUsage(store: IndexStore, session: string, responses: readonly CountedResponse[]): number {
  const changes = new UsageChanges(store);
  for (const response of responses) {
    const before = store.get(`SELECT * FROM usage WHERE ${KEY}`, response.source, response.response_id, session);
    changes.put(session, before && responseFrom(before), response);
  }
  return changes.finish();
}

/** Adds responses that are not in the index yet, any number of them: the sums are written at the end. */
export class UsageWriter {
  readonly #changes: UsageChanges;

  constructor(store: IndexStore) {
    this.#changes = new UsageChanges(store);
  }

  add(response: CountedResponse): void {
    this.#changes.add(sessionKey(response), response);
  }

  finish(): void {
    this.#changes.finish();
  }
}

class UsageChanges {
  readonly #store: RowStore;
  readonly #sums = SUMS.map((table) => new SumChanges(table));
  #written = 0;

  constructor(store: RowStore) {
    this.#store = store;
  }

  put(session: string, before: CountedResponse | undefined, response: CountedResponse): void {
    // Compare every column: one left out would silently keep its old value.
    if (before && COLUMNS.every((column) => before[column] === response[column])) return;
    if (before) this.#add(session, before, -1);
    this.#put(REPLACE, session, response);
  }

  add(session: string, response: CountedResponse): void {
    this.#put(INSERT, session, response);
  }

  #put(sql: string, session: string, response: CountedResponse): void {
    this.#add(session, response, 1);
    this.#store.run(sql, session, ...COLUMNS.map((column) => response[column]));
    this.#written++;
  }

  drop(session: string, response: CountedResponse): void {
    this.#add(session, response, -1);
    this.#store.run(`DELETE FROM usage WHERE ${KEY}`, response.source, response.response_id, session);
    this.#written++;
  }

  /** Returns the rows written, including the sums. */
  finish(): number {
    return this.#sums.reduce((written, sums) => written + sums.write(this.#store), this.#written);
  }

  #add(session: string, response: CountedResponse, sign: 1 | -1): void {
    for (const sums of this.#sums) sums.add(session, response, sign);
  }
}

const KEY = "source = ? AND response_id = ? AND session = ?";

export const TOKENS: readonly (keyof Tokens)[] = [
  "input_tokens",
  "cached_input_tokens",
  "cache_write_tokens",
  "cache_write_1h_tokens",
  "output_tokens",
  "reasoning_tokens",
];

/** Named like the fields of a response. Its session is a column too, as its key. */
const COLUMNS: readonly Exclude<keyof CountedResponse, "session_id">[] = [
  "response_id",
  "source",
  "time",
  "model",
  ...TOKENS,
  "owner",
  "owner_time",
  "pico",
];

const INSERT = `INSERT INTO usage (session, ${COLUMNS.join(", ")}) VALUES (?, ${COLUMNS.map(() => "?").join(", ")})`;
const REPLACE = INSERT.replace("INSERT", "INSERT OR REPLACE");

/** Columns of the tables that hold sums. */
export const SUM_COLUMNS: readonly string[] = ["responses", ...TOKENS, "micro", "pico", "unpriced"];

type SumKey = [string, string | number | null, string | null];

/**
 * A table of sums over responses. In its key, values of another type stand for null, so that no time or name equals
 * null.
 */
interface SumTable {
  keyOf: (session: string, response: CountedResponse) => SumKey;
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
  sumTable("usage_sum", ["source", "quarter"], (_, { source, time, model }) => [
    source,
    time === null ? null : Math.floor(time / QUARTER),
    model,
  ]),
  sumTable("owner_sum", ["session", "owner"], (session, { owner, model }) => [session, owner, model]),
];

/** Adds to the sums by source, quarter of an hour and model; the values are those of `SUM_COLUMNS`. */
export function addSum(store: IndexStore, key: SumKey, values: readonly number[]): void {
  store.run(SUMS[0]?.add ?? "", ...key, ...values);
}

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

  add(session: string, response: CountedResponse, sign: 1 | -1): void {
    const key = this.#table.keyOf(session, response);
    const name = nameOf(key);
    let change = this.#changes.get(name);
    if (!change) this.#changes.set(name, (change = { key, by: SUM_COLUMNS.map(() => 0) }));
    const { micro, pico } = splitCost(response.pico ?? 0);
    const unpriced = response.pico === null ? 1 : 0;
    const values = [1, ...TOKENS.map((column) => response[column]), micro, pico, unpriced];
    for (let i = 0; i < values.length; i++) change.by[i] = (change.by[i] ?? 0) + sign * (values[i] ?? 0);
  }

  write(store: RowStore): number {
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
  tokens: TimedTokens;
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
    tokens: spentTokens(row, null),
    cost: costOf(row),
  }));
}

/** A response, or the sum of several of one model. */
export function spentTokens(row: Row, time: number | null): TimedTokens {
  return {
    time,
    model: typeof row["model"] === "string" ? row["model"] : null,
    input_tokens: Number(row["input_tokens"]),
    cached_input_tokens: Number(row["cached_input_tokens"]),
    cache_write_tokens: Number(row["cache_write_tokens"]),
    cache_write_1h_tokens: Number(row["cache_write_1h_tokens"]),
    output_tokens: Number(row["output_tokens"]),
    reasoning_tokens: Number(row["reasoning_tokens"]),
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

/** The responses that count in a session, by id. */
export function responsesIn(store: RowStore, session: string): CountedResponse[] {
  return store.all("SELECT * FROM usage WHERE session = ? ORDER BY response_id", session).map(responseFrom);
}

export function responseFrom(row: Row): CountedResponse {
  return {
    ...parseSessionKey(String(row["session"])),
    response_id: String(row["response_id"]),
    ...spentTokens(row, numberOrNull(row["time"])),
    owner: typeof row["owner"] === "string" ? row["owner"] : null,
    owner_time: numberOrNull(row["owner_time"]),
    pico: numberOrNull(row["pico"]),
  };
}
