import type { Pool } from "pg";
import type { TeamFailuresAnswer } from "../../answers/team.ts";
import { addDays, type Zone } from "../../time/zone.ts";
import { transaction, type Sql } from "../store/transaction.ts";
import type { Days } from "./usage.ts";
import type { View } from "./view.ts";
import { whyNothing } from "./withheld.ts";

interface Row {
  name: string;
  people: string;
  calls: string;
}

/** Calls that went wrong, by tool, the most frequent first. */
export async function failuresBy(pool: Pool, view: View, days: Days, zone: Zone): Promise<TeamFailuresAnswer> {
  return transaction(pool, view.acting, async (sql) => {
    const range = [new Date(zone.startOfDay(days.since)), new Date(zone.startOfDay(addDays(days.until, 1)))];
    const rows = await rowsOf(sql, view, range);
    const failures = rows
      .map(({ name, people, calls }) => ({ tool: name, people: Number(people), calls: Number(calls) }))
      .toSorted((a, b) => b.calls - a.calls || (a.tool < b.tool ? -1 : 1));
    return { ...days, failures, withheld: failures.length === 0 ? await whyNothing(sql, view, null) : null };
  });
}

async function rowsOf(sql: Sql, view: View, range: readonly Date[]): Promise<Row[]> {
  if (view.kind === "led") {
    const led = "SELECT * FROM daybook_ask.team_failures($1, $2, $3)";
    return (await sql.query<Row>(led, [view.team, ...range])).rows;
  }
  const owner = view.kind === "own" ? view.owner : view.team;
  const whose =
    view.kind === "own"
      ? "c.owner_id = $3"
      : "($3::uuid IS NULL OR c.owner_id = ANY (ARRAY(SELECT m.owner_id FROM daybook.memberships m WHERE m.team_id = $3)))";
  const { rows } = await sql.query<Row>(
    `SELECT p.name, count(*)::int8 AS people, sum(p.calls)::int8 AS calls FROM (
       SELECT c.name, c.owner_id, count(*) AS calls FROM daybook.tool_calls c
       WHERE c.trouble > 0 AND c.ts >= $1 AND c.ts < $2 AND ${whose} GROUP BY c.name, c.owner_id
     ) p GROUP BY p.name`,
    [...range, owner],
  );
  return rows;
}
