import type { Pool } from "pg";
import type { TeamFailuresAnswer } from "../../views/team.ts";
import { addDays, type Zone } from "../../base/time/zone.ts";
import { transaction, type Sql } from "../store/transaction.ts";
import { removedBefore, removedNote } from "../retention/removed.ts";
import { daysShown, type Days } from "./usage.ts";
import type { View } from "./view.ts";
import { hiddenNote, whyNothing } from "./withheld.ts";

interface Row {
  name: string | null;
  hidden: string;
  people: string;
  calls: string;
}

/** Failed calls by tool, most frequent first. */
export async function failuresBy(pool: Pool, view: View, asked: Days, zone: Zone): Promise<TeamFailuresAnswer> {
  return transaction(pool, view.acting, async (sql) => {
    const removed = await removedBefore(sql);
    const from = removed.day("calls");
    // Days whose calls were removed, or are being removed, are left out: otherwise a lead would see them disappear
    // person by person.
    const days = completeDays(view, asked, from);
    const gone = removedNote(removed, new Date(zone.startOfDay(asked.since)), { calls: "calls" });
    if (days.since > days.until) return { ...asked, failures: [], withheld: gone };
    const failures = (await rowsOf(sql, view, days, zone))
      .map(({ name, hidden, people, calls }) => ({
        tool: name,
        hidden_tools: Number(hidden),
        people: Number(people),
        calls: Number(calls),
      }))
      .toSorted(
        (a, b) =>
          Number(a.tool === null) - Number(b.tool === null) ||
          b.calls - a.calls ||
          ((a.tool ?? "") < (b.tool ?? "") ? -1 : 1),
      );
    const hidden = failures.find(({ tool }) => tool === null)?.hidden_tools ?? 0;
    const reason = failures.length === 0 ? await whyNothing(sql, view, "tool") : hiddenNote(hidden, "tool");
    return { ...days, failures, withheld: [reason, gone].filter((text) => text !== null).join("; ") || null };
  });
}

/** The days shown, starting with the first that is complete. */
function completeDays(view: View, asked: Days, from: string | null): Days {
  if (from === null || asked.since >= from) return daysShown(view, asked);
  const { since, until } = daysShown(view, { ...asked, since: from });
  // A lead is shown whole weeks only.
  return { since: since < from ? addDays(since, 7) : since, until };
}

async function rowsOf(sql: Sql, view: View, { since, until }: Days, zone: Zone): Promise<Row[]> {
  if (view.kind === "led") {
    const led = "SELECT name, hidden, people, calls FROM daybook_ask.team_usage($1, $2, $3, 'tool')";
    return (await sql.query<Row>(led, [view.team, since, until])).rows;
  }
  const owner = view.kind === "own" ? view.owner : view.team;
  const whose =
    view.kind === "own"
      ? "c.owner_id = $3"
      : "($3::uuid IS NULL OR c.owner_id = ANY (ARRAY(SELECT m.owner_id FROM daybook.memberships m WHERE m.team_id = $3)))";
  const { rows } = await sql.query<Row>(
    `SELECT p.name, 0 AS hidden, count(*)::int8 AS people, sum(p.calls) AS calls FROM (
       SELECT c.name, c.owner_id, count(*) AS calls FROM daybook.tool_calls c
       WHERE c.trouble > 0 AND c.ts >= $1 AND c.ts < $2 AND ${whose} GROUP BY c.name, c.owner_id
     ) p GROUP BY p.name`,
    [new Date(zone.startOfDay(since)), new Date(zone.startOfDay(addDays(until, 1))), owner],
  );
  return rows;
}
