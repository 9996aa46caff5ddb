import type { Row, SqlValue } from "../../base/io/sqlite.ts";
import { MICRO } from "../../views/pricing/cost.ts";
import type { CountedResponse } from "../../views/response.ts";
import type { TimeRange } from "../../base/time/range.ts";
import { QUARTER } from "../../base/time/zone.ts";
import type { UsageItem, UsageQuery } from "../../views/usage-view.ts";
import type { IndexStore } from "./index-store.ts";
import { costOf, numberOrNull, responseFrom, spentTokens, TOKENS } from "./usage-rows.ts";
import { parseSessionKey } from "../../record/session-key.ts";

/** The part of a usage question that determines what may be summed. */
export interface SumQuery extends Pick<UsageQuery, "group" | "by" | "instances"> {
  /** The result is grouped by day as well. */
  timed?: boolean;
}

/** Selects responses. `scope`: only those of these sessions. */
export interface SumFilter {
  range: TimeRange;
  /** Conditions on the session `s`, with their values. */
  where: { sql: string; params: SqlValue[] };
  scope: ReadonlySet<string> | null;
}

/** Added to times to keep them positive, because SQL truncates towards zero. A multiple of a quarter of an hour. */
const ABOVE_ZERO = 8.64e15;

/**
 * Counted responses, summed as far as the question does not distinguish them: always by model; by session, turn,
 * project or quarter of an hour where it asks for them. In every time zone days begin with a quarter.
 */
export function usageGroups(store: IndexStore, query: SumQuery, { range, where, scope }: SumFilter): UsageItem[] {
  const { group, by, instances } = query;
  const isTimed = query.timed === true || group === "daily" || group === "weekly" || group === "monthly";
  // Where time does not matter, the stored sums are used.
  const isAdded = !isTimed && range.start === null && range.end === null;
  const time = isAdded ? "NULL" : by === "trigger" ? "COALESCE(u.owner_time, u.time)" : "u.time";
  const apart = {
    session: group === "session" || group === "turn" || scope !== null ? "u.session" : null,
    source: isTimed ? "u.source" : null,
    owner: group === "turn" ? "u.owner" : null,
    project: instances === true ? "s.project" : null,
    quarter: isTimed ? `CAST((${time} + ${ABOVE_ZERO}) / ${QUARTER} AS INTEGER)` : null,
  };
  const conditions = [
    ...(where.sql === "" ? [] : [where.sql]),
    ...(range.start === null ? [] : [`${time} >= ${range.start}`]),
    ...(range.end === null ? [] : [`${time} < ${range.end}`]),
  ];
  const needsSession = where.sql !== "" || instances === true;
  const rows = store.all(
    `SELECT ${["session", "source", "owner", "project"].map((name) => `${apart[name as keyof typeof apart] ?? "NULL"} AS ${name}`).join(", ")},
       MIN(${time}) AS time, u.model, ${SUMMED}, ${isAdded ? ADDED_COSTS : COSTS}
     FROM ${isAdded ? "owner_sum" : "usage"} u ${needsSession ? "JOIN session s ON s.key = u.session" : ""}
     ${conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`}
     GROUP BY ${[...Object.values(apart).filter((key) => key !== null), "u.model"].join(", ")}`,
    ...where.params,
  );
  return rows.filter((row) => scope === null || scope.has(String(row["session"]))).map(toItem);
}

/** Every counted response on its own. */
export function responseRows(store: IndexStore, { range, where, scope }: SumFilter): CountedResponse[] {
  const conditions = [
    ...(where.sql === "" ? [] : [where.sql]),
    ...(range.start === null ? [] : [`u.time >= ${range.start}`]),
    ...(range.end === null ? [] : [`u.time < ${range.end}`]),
  ];
  return store
    .all(
      `SELECT u.*
       FROM usage u ${where.sql === "" ? "" : "JOIN session s ON s.key = u.session"}
       ${conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`}`,
      ...where.params,
    )
    .filter((row) => scope === null || scope.has(String(row["session"])))
    .map(responseFrom);
}

const SUMMED = TOKENS.map((name) => `SUM(u.${name}) AS ${name}`).join(", ");
const COSTS = `SUM(u.pico / ${MICRO}) AS micro, SUM(u.pico % ${MICRO}) AS pico, SUM(u.pico IS NULL) AS unpriced, COUNT(*) AS responses`;
const ADDED_COSTS =
  "SUM(u.micro) AS micro, SUM(u.pico) AS pico, SUM(u.unpriced) AS unpriced, SUM(u.responses) AS responses";

/** Times are those the question groups by, so an owner has the same. */
function toItem(row: Row): UsageItem {
  const key = typeof row["session"] === "string" ? row["session"] : null;
  const time = numberOrNull(row["time"]);
  return {
    event: spentTokens(row, time),
    session: key === null ? null : parseSessionKey(key),
    ...(typeof row["source"] === "string" ? { source: row["source"] } : {}),
    owner: typeof row["owner"] === "string" ? { name: row["owner"], time } : null,
    ...(typeof row["project"] === "string" ? { project: row["project"] } : {}),
    cost: costOf(row),
  };
}
