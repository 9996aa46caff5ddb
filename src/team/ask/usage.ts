import type { Pool } from "pg";
import type { TeamGroup, TeamSplit, TeamUsageAnswer } from "../../views/team.ts";
import { addDays, weekOf } from "../../base/time/zone.ts";
import { transaction, type Sql } from "../store/transaction.ts";
import type { View } from "./view.ts";
import { hiddenNote, whyNothing } from "./withheld.ts";

export interface Days {
  since: string;
  until: string;
}

/**
 * For a lead, totals cover whole weeks: two spans that differ by one day would reveal what one person did on that
 * day.
 */
export function daysShown(view: View, { since, until }: Days): Days {
  return view.kind === "led" ? { since: weekOf(since), until: addDays(weekOf(until), 6) } : { since, until };
}

/** The columns to group by. Only these strings ever become part of a statement. */
const COLUMNS: Readonly<Record<TeamSplit, string>> = {
  total: "''",
  week: "u.day - (extract(isodow FROM u.day)::int4 - 1)",
  day: "u.day",
  project: "u.project",
  model: "u.model",
  source: "u.source",
  outcome: "CASE WHEN u.unproven THEN 'unproven' ELSE u.status END",
  person: "u.owner_id",
};

const SUMS = `sum(u.turns) AS turns, sum(u.calls) AS calls, sum(u.failed) AS failed,
  sum(u.responses) AS responses, sum(u.unpriced) AS unpriced, sum(u.input) AS input,
  sum(u.cached) AS cached, sum(u.written) AS written, sum(u.output) AS output,
  sum(u.reasoning) AS reasoning, sum(u.pico) AS pico`;

/** Daily sums do not say how turns ended. */
const TURNS_ONLY = `count(*) AS turns, ${["calls", "failed", "responses", "unpriced", "input", "cached", "written", "output", "reasoning", "pico"].map((column) => `NULL AS ${column}`).join(", ")}`;

/** Sums are returned as text. Cast to int8, one absurd value would make every total fail. */
type Row = Record<keyof typeof NUMBERS, string | null> & { name: string | null; hidden: string; pico: string | null };

const NUMBERS = {
  people: "people",
  turns: "turns",
  calls: "calls",
  failed: "failed_calls",
  responses: "responses",
  unpriced: "unpriced_responses",
  input: "input_tokens",
  cached: "cached_input_tokens",
  written: "cache_write_tokens",
  output: "output_tokens",
  reasoning: "reasoning_tokens",
} as const satisfies Record<string, keyof TeamGroup>;

const PICO = 1e12;

/** Turns, calls, tokens and cost, grouped by one column, most expensive first; days in order. */
export async function usageBy(pool: Pool, view: View, by: TeamSplit, asked: Days): Promise<TeamUsageAnswer> {
  const days = daysShown(view, asked);
  return transaction(pool, view.acting, async (sql) => {
    const rows = await rowsOf(sql, view, by, days);
    const groups = rows.map(groupOf).toSorted(by === "day" || by === "week" ? byName : byCost);
    const hidden = groups.find(({ name }) => name === null)?.hidden_groups ?? 0;
    if (groups.length === 0) return { ...days, by, groups, withheld: await whyNothing(sql, view, by) };
    // Calls that went wrong are told by tool only.
    const isPartial =
      view.kind === "led" &&
      by !== "outcome" &&
      groups.some((group) => Object.values({ ...group, failed_calls: 0, name: "" }).includes(null));
    const notes = [hiddenNote(hidden, by), isPartial ? "numbers that too few people have are null" : null];
    return { ...days, by, groups, withheld: notes.filter((note) => note !== null).join("; ") || null };
  });
}

async function rowsOf(sql: Sql, view: View, by: TeamSplit, { since, until }: Days): Promise<Row[]> {
  if (view.kind === "led") {
    const { rows } = await sql.query<Row>("SELECT * FROM daybook_ask.team_usage($1, $2, $3, $4)", [
      view.team,
      since,
      until,
      by,
    ]);
    return rows;
  }
  const values: unknown[] = [since, until];
  let whose = "true";
  if (view.kind === "own") {
    // The row-level policy says the same; repeated here, it selects the partition before the statement runs.
    values.push(view.owner);
    whose = "u.owner_id = $3";
  } else if (view.team !== null) {
    values.push(view.team);
    whose = "u.owner_id = ANY (ARRAY(SELECT m.owner_id FROM daybook.memberships m WHERE m.team_id = $3))";
  }
  const from = `FROM daybook.${by === "outcome" ? "turns" : "usage_days"} u WHERE u.day BETWEEN $1 AND $2 AND ${whose}`;
  const sums = `SELECT ${COLUMNS[by]} AS label, ${by === "outcome" ? TURNS_ONLY : SUMS} ${from} GROUP BY 1`;
  const { rows } = await sql.query<Row>(namedSums(view, by, sums, from), values);
  return rows;
}

/** People are counted separately from the sums: counting distinct owners among all rows would require a sort. */
function namedSums(view: View, by: TeamSplit, sums: string, from: string): string {
  // For their own view a person's name is not needed.
  if (view.kind === "own")
    return `SELECT s.*, ${by === "person" ? "''" : "s.label::text"} AS name, 0 AS hidden, 1 AS people FROM (${sums}) s`;
  if (by === "person")
    return `SELECT s.*, o.login AS name, 0 AS hidden, 1 AS people FROM (${sums}) s JOIN daybook.owners o ON o.owner_id = s.label`;
  return `SELECT s.*, s.label::text AS name, 0 AS hidden, p.people FROM (${sums}) s
    JOIN (
      SELECT d.label, count(*)::int8 AS people FROM (SELECT DISTINCT ${COLUMNS[by]} AS label, u.owner_id ${from}) d GROUP BY 1
    ) p ON p.label = s.label`;
}

function groupOf(row: Row): TeamGroup {
  const numbers = Object.entries(NUMBERS).map(([column, field]) => [
    field,
    numberIn(row[column as keyof typeof NUMBERS]),
  ]);
  return {
    name: row.name,
    hidden_groups: Number(row.hidden),
    ...(Object.fromEntries(numbers) as Omit<TeamGroup, "name" | "hidden_groups" | "cost_usd">),
    cost_usd: row.pico === null ? null : Number(row.pico) / PICO,
  };
}

function numberIn(sum: string | null): number | null {
  return sum === null ? null : Number(sum);
}

function byName(a: TeamGroup, b: TeamGroup): number {
  return (a.name ?? "~") < (b.name ?? "~") ? -1 : 1;
}

function byCost(a: TeamGroup, b: TeamGroup): number {
  return (
    Number(a.name === null) - Number(b.name === null) ||
    (b.cost_usd ?? 0) - (a.cost_usd ?? 0) ||
    (b.turns ?? 0) - (a.turns ?? 0) ||
    byName(a, b)
  );
}
