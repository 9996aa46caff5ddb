import type { Row } from "../io/sqlite.ts";
import type { PriceTable } from "../pricing/price-table.ts";
import { sessionKey, turnName, type Session } from "../turns/session.ts";
import type { IndexStore } from "./store.ts";

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

export const QUARTER = 900_000;
const MICRO = 1_000_000;

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
    owner: owner ? turnName(owner) : null,
    owner_time: owner?.draft.trigger.time ?? null,
    pico: prices.cost(e.model, e, e.time),
  }));
}

/** Makes the rows of a session these, and keeps the sums in step. Returns the rows written. */
export function writeUsage(store: IndexStore, session: string, rows: readonly UsageRow[]): number {
  const known = new Map(
    store.all("SELECT * FROM usage WHERE session = ?", session).map((row) => [String(row["response"]), toRow(row)]),
  );
  const sums = new Sums();
  let written = 0;
  for (const row of rows) {
    const before = known.get(row.response);
    known.delete(row.response);
    // Every column is compared: one left out would keep its old value in silence.
    if (before && COLUMNS.every((column) => before[column] === row[column])) continue;
    if (before) sums.add(before, -1);
    sums.add(row, 1);
    store.run(INSERT, ...COLUMNS.map((column) => row[column]));
    written++;
  }
  for (const row of known.values()) {
    sums.add(row, -1);
    store.run(
      "DELETE FROM usage WHERE source = ? AND response = ? AND session = ?",
      row.source,
      row.response,
      row.session,
    );
  }
  return written + known.size + sums.write(store);
}

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

const INSERT = `INSERT OR REPLACE INTO usage (${COLUMNS.join(", ")}) VALUES (${COLUMNS.map(() => "?").join(", ")})`;

const ADDED = [
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

/** Changes of the sums over quarters of an hour. */
class Sums {
  readonly #changes = new Map<string, { key: [string, number | null, string | null]; by: number[] }>();

  add(row: UsageRow, sign: 1 | -1): void {
    const quarter = row.time === null ? null : Math.floor(row.time / QUARTER);
    const key: [string, number | null, string | null] = [row.source, quarter, row.model];
    const name = JSON.stringify(key);
    let change = this.#changes.get(name);
    if (!change) this.#changes.set(name, (change = { key, by: ADDED.map(() => 0) }));
    // Whole micro-dollars and what is left of them are added apart: the sum of many costs is too large for one exact number.
    const pico = row.pico ?? 0;
    const values = [
      ...[1, row.input, row.cached, row.written, row.written_1h, row.output, row.reasoning],
      ...[Math.trunc(pico / MICRO), pico % MICRO, row.pico === null ? 1 : 0],
    ];
    for (const [i, value] of values.entries()) change.by[i] = (change.by[i] ?? 0) + sign * value;
  }

  write(store: IndexStore): number {
    let written = 0;
    for (const { key, by } of this.#changes.values()) {
      if (by.every((value) => value === 0)) continue;
      store.run(ADD, ...key, ...by);
      if ((by[0] ?? 0) < 0) store.run(DROP, ...key);
      written++;
    }
    return written;
  }
}

const ADD = `INSERT INTO usage_sum (source, quarter, model, ${ADDED.join(", ")}) VALUES (?, ?, ?, ${ADDED.map(() => "?").join(", ")})
  ON CONFLICT (source, IFNULL(quarter, ''), IFNULL(model, 0)) DO UPDATE SET ${ADDED.map((name) => `${name} = ${name} + excluded.${name}`).join(", ")}`;

/** Asked by the very expressions of the table's key, which alone finds the row without looking at all. */
const DROP =
  "DELETE FROM usage_sum WHERE source = ? AND IFNULL(quarter, '') = IFNULL(?, '') AND IFNULL(model, 0) = IFNULL(?, 0) AND responses = 0";

function toRow(row: Row): UsageRow {
  const text = (name: string): string => String(row[name]);
  const textOr = (name: string): string | null => (row[name] === null ? null : String(row[name]));
  const number = (name: string): number => Number(row[name]);
  const numberOr = (name: string): number | null => (row[name] === null ? null : Number(row[name]));
  return {
    ...{ session: text("session"), response: text("response"), source: text("source"), model: textOr("model") },
    ...{ time: numberOr("time"), line: number("line"), owner: textOr("owner"), owner_time: numberOr("owner_time") },
    ...{ input: number("input"), cached: number("cached"), written: number("written") },
    ...{ written_1h: number("written_1h"), output: number("output"), reasoning: number("reasoning") },
    pico: numberOr("pico"),
  };
}
