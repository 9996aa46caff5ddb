import type { RemoteSum } from "../../answers/daybook.ts";
import type { TimeRange } from "../../base/time/range.ts";
import { addDays, QUARTER, Zone } from "../../base/time/zone.ts";
import { NO_DAY } from "../rows/tables.ts";
import type { Sql } from "../store/transaction.ts";

/** Sums are returned as text, because they may have more digits than a number holds. */
const SUMS = `sum(input) AS input, sum(cached) AS cached, sum(written) AS written, sum(written_1h) AS written_1h,
  sum(output) AS output, sum(reasoning) AS reasoning`;
const PLACES = ["input", "cached", "written", "written_1h", "output", "reasoning"] as const;

interface SumRow extends Record<(typeof PLACES)[number], string> {
  source: string;
  model: string;
  responses: string;
  unpriced: string;
  pico: string | null;
}

/**
 * What a person spent, by agent and model: by day if the question counts days as the store does, otherwise by quarters
 * of an hour, from which days of any time zone can be made.
 */
export async function storedSums(
  sql: Sql,
  owner: string,
  zone: Zone,
  range: TimeRange = { start: null, end: null },
): Promise<RemoteSum[]> {
  const stored = await sql.query<{ zone: string }>("SELECT zone FROM daybook.stores");
  const own = new Zone(stored.rows[0]?.zone ?? "UTC");
  return own.name === zone.name ? byDay(sql, owner, zone, range) : byQuarter(sql, owner, own, range);
}

async function byDay(sql: Sql, owner: string, zone: Zone, { start, end }: TimeRange): Promise<RemoteSum[]> {
  const { rows } = await sql.query<SumRow & { day: string }>(
    `SELECT day::text AS day, source, model, sum(responses) AS responses, sum(unpriced) AS unpriced, ${SUMS}, sum(pico) AS pico
     FROM daybook.usage_days WHERE owner_id = $1 AND responses > 0
       AND ($2::date IS NULL OR day >= $2) AND ($3::date IS NULL OR day <= $3)
       AND (day <> '${NO_DAY}' OR ($2::date IS NULL AND $3::date IS NULL))
     GROUP BY day, source, model ORDER BY day, source, model`,
    [owner, start === null ? null : zone.day(start), end === null ? null : zone.day(end - 1)],
  );
  return rows.map(({ day, ...row }) => sumOf(row, day === NO_DAY ? null : zone.startOfDay(day)));
}

/** What retention left of removed responses are sums of days, and counts at noon. */
async function byQuarter(sql: Sql, owner: string, own: Zone, { start, end }: TimeRange): Promise<RemoteSum[]> {
  const { rows } = await sql.query<SumRow & { quarter: string | null }>(
    `SELECT floor(extract(epoch FROM ts) / ${QUARTER / 1000})::text AS quarter, source, model, count(*) AS responses,
       count(*) - count(pico) AS unpriced, ${SUMS}, sum(pico) AS pico
     FROM daybook.usage_responses WHERE owner_id = $1 AND counted
       AND ($2::float8 IS NULL OR ts >= to_timestamp($2::float8 / 1000)) AND ($3::float8 IS NULL OR ts < to_timestamp($3::float8 / 1000))
     GROUP BY 1, source, model ORDER BY 1, source, model`,
    [owner, start, end],
  );
  const removed = await sql.query<SumRow & { day: string }>(
    `SELECT day::text AS day, source, model, sum(responses) AS responses, sum(CASE WHEN priced THEN 0 ELSE responses END) AS unpriced,
       ${SUMS}, sum(CASE WHEN priced THEN pico END) AS pico
     FROM daybook.session_days WHERE owner_id = $1 AND responses > 0 GROUP BY day, source, model ORDER BY day, source, model`,
    [owner],
  );
  const noon = (day: string): number | null =>
    day === NO_DAY ? null : (own.startOfDay(day) + own.startOfDay(addDays(day, 1))) / 2;
  return [
    ...rows.map(({ quarter, ...row }) => sumOf(row, quarter === null ? null : Number(quarter) * QUARTER)),
    ...removed.rows.map(({ day, ...row }) => sumOf(row, noon(day))),
  ];
}

function sumOf(row: SumRow, time: number | null): RemoteSum {
  return {
    source: row.source,
    model: row.model === "" ? null : row.model,
    time,
    responses: Number(row.responses),
    unpriced: Number(row.unpriced),
    tokens: PLACES.map((place) => Number(row[place])),
    pico: row.pico ?? "0",
  };
}
