import type { RemovedRows } from "../../views/team.ts";
import type { Sql } from "../push/sql.ts";
import { AGED_KINDS, laterDate, type AgedKind, type RetentionMarks } from "./policy.ts";

/** What is too old in one table. For rows without a time, the end of their session decides. */
interface Removal {
  table: string;
  /** The marks that apply: the latest of them. */
  by: readonly AgedKind[];
  /** SQL for the time of a row `t`, its own or that of another row. */
  time: string;
  /** An additional condition. */
  where?: string;
  /** SQL for the size of a row, without indexes. */
  bytes: string;
}

/** The time of the row that a finished view describes. */
const ofRow = (table: string): string =>
  `(SELECT x.ts FROM daybook.${table} x WHERE x.owner_id = $1 AND x.session_id = t.session_id AND x.n = t.n)`;

/**
 * In this order: views are as old as the rows they describe, which are removed after them. Sizes of fixed columns
 * were measured.
 */
export const REMOVALS: readonly Removal[] = [
  { table: "texts", by: ["texts"], time: "t.ts", bytes: "pg_column_size(t.body) + pg_column_size(t.terms) + 100" },
  {
    table: "details",
    by: ["texts", "calls"],
    where: "t.kind = 2",
    time: ofRow("tool_calls"),
    bytes: "pg_column_size(t.body) + 84",
  },
  {
    table: "details",
    by: ["texts"],
    where: "t.kind <> 2",
    time: `CASE WHEN t.kind = 1 THEN ${ofRow("turns")} WHEN t.kind = 3 THEN ${ofRow("decisions")} END`,
    bytes: "pg_column_size(t.body) + 84",
  },
  { table: "facts", by: ["texts"], time: ofRow("turns"), bytes: "pg_column_size(t.body) + 80" },
  { table: "tool_calls", by: ["calls"], time: "t.ts", bytes: "121" },
  { table: "usage_responses", by: ["calls"], time: "t.ts", bytes: "205" },
  { table: "decisions", by: ["turns"], time: "t.ts", bytes: "100" },
  { table: "turns", by: ["turns"], time: "t.ts", bytes: "220" },
];

const SESSIONS =
  "t.owner_id = $1 AND t.session_id = ANY ($2::uuid[]) AND s.owner_id = $1 AND s.session_id = t.session_id";

function isOld({ time, where = "true" }: Pick<Removal, "time" | "where">): string {
  return `${SESSIONS} AND ${where} AND coalesce(${time}, s.ended, s.started) < $3`;
}

const TOKENS = ["input", "cached", "written", "written_1h", "output", "reasoning"];
const SUMS = ["turns", "calls", "failed", "responses", ...TOKENS, "pico"];
const COLUMNS = ["owner_id", "session_id", "day", "model", "priced", "source", "project", ...SUMS, "response_ids"];

/** Adds to the sums of what was removed before. */
const INTO = `INSERT INTO daybook.session_days AS d (${COLUMNS.join(", ")})`;
const ADDED = `ON CONFLICT (owner_id, session_id, day, model, priced) DO UPDATE SET
  ${SUMS.map((column) => `${column} = d.${column} + excluded.${column}`).join(", ")}, response_ids = d.response_ids || excluded.response_ids`;

/** Sums of what is about to be removed. A response that counts elsewhere is not included. */
const SUMMED: Readonly<Record<string, string>> = {
  usage_responses: `${INTO}
    SELECT t.owner_id, t.session_id, t.day, t.model, t.pico IS NOT NULL, min(t.source), min(t.project), 0, 0, 0, count(*),
      ${TOKENS.map((column) => `sum(t.${column})`).join(", ")}, coalesce(sum(t.pico), 0), array_agg(t.response_id ORDER BY t.response_id)
    FROM daybook.usage_responses t, daybook.sessions s WHERE ${isOld({ time: "t.ts", where: "t.counted" })}
    GROUP BY t.owner_id, t.session_id, t.day, t.model, t.pico IS NOT NULL ${ADDED}`,
  turns: `${INTO}
    SELECT t.owner_id, t.session_id, t.day, t.model, true, min(t.source), min(t.project), count(*), sum(t.calls), sum(t.failed), 0,
      ${TOKENS.map(() => "0").join(", ")}, 0, '{}'::uuid[]
    FROM daybook.turns t, daybook.sessions s WHERE ${isOld({ time: "t.ts" })}
    GROUP BY t.owner_id, t.session_id, t.day, t.model ${ADDED}`,
};

function markOf({ by }: Removal, marks: RetentionMarks): Date | null {
  return by.map((aged) => marks[aged]).reduce(laterDate);
}

/** By table. */
export type RemovedIn = Record<string, RemovedRows>;

/**
 * Removes what is too old in some sessions of a person, within the caller's transaction, and keeps its sums: the
 * totals per day stay as they were. The owner's row must be locked before, as for a push.
 */
export async function removeOld(
  sql: Sql,
  owner: string,
  sessions: readonly string[],
  marks: RetentionMarks,
): Promise<Record<string, number>> {
  const removed: Record<string, number> = {};
  for (const one of REMOVALS) {
    const mark = markOf(one, marks);
    if (mark === null) continue;
    const values = [owner, sessions, mark];
    const summed = SUMMED[one.table];
    if (summed !== undefined) await sql.query(summed, values);
    const from = `DELETE FROM daybook.${one.table} t USING daybook.sessions s WHERE ${isOld(one)}`;
    const { rowCount } = await sql.query(from, values);
    removed[one.table] = (removed[one.table] ?? 0) + (rowCount ?? 0);
  }
  return removed;
}

/** Counts what would be removed. */
export async function countOld(
  sql: Sql,
  owner: string,
  sessions: readonly string[],
  marks: RetentionMarks,
): Promise<RemovedIn> {
  const found: RemovedIn = {};
  for (const one of REMOVALS) {
    const mark = markOf(one, marks);
    if (mark === null) continue;
    const { rows } = await sql.query(
      `SELECT count(*) AS rows, coalesce(sum(${one.bytes}), 0) AS bytes
       FROM daybook.${one.table} t, daybook.sessions s WHERE ${isOld(one)}`,
      [owner, sessions, mark],
    );
    const known = (found[one.table] ??= { rows: 0, bytes: 0 });
    known.rows += Number(rows[0]?.["rows"]);
    known.bytes += Number(rows[0]?.["bytes"]);
  }
  return found;
}

/** Sessions that may have rows older than the marks, and had rows younger than what was removed before. */
export async function sessionsWithOld(
  sql: Sql,
  owner: string,
  marks: RetentionMarks,
  done: RetentionMarks,
): Promise<{ session_id: string; lines: number }[]> {
  const { rows } = await sql.query(
    `SELECT session_id, lines FROM daybook.sessions WHERE owner_id = $1 AND forgotten IS NULL AND (${AGED_KINDS.map(
      (_, i) =>
        `((started IS NULL OR started < $${2 * i + 2}) AND ($${2 * i + 3}::timestamptz IS NULL OR ended IS NULL OR ended >= $${2 * i + 3}))`,
    ).join(" OR ")}) ORDER BY session_id`,
    [owner, ...AGED_KINDS.flatMap((aged) => [marks[aged], done[aged]])],
  );
  return rows.map((row) => ({ session_id: String(row["session_id"]), lines: Number(row["lines"]) }));
}
