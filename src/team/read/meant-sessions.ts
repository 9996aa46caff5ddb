import type { SessionView } from "../../views/session-view.ts";
import type { TimeRange } from "../../base/time/range.ts";
import type { Sql } from "../store/transaction.ts";
import { sessionKey } from "../../record/session-key.ts";

/** Start and end of a session, as stored. */
export interface StoredLife {
  session_id: string;
  started: Date | null;
  ended: Date | null;
}

/**
 * Sessions that overlap a time range, by their own start and end, and by the times of their turns and responses:
 * clocks go back, and a session may begin before it says so. Anything without a time matches any range.
 */
export async function sessionsIn(
  sql: Sql,
  owner: string,
  lives: readonly StoredLife[],
  { start, end }: TimeRange,
): Promise<Set<string>> {
  const found = new Set<string>();
  for (const { session_id, started, ended } of lives) {
    const [first, last] = [(started ?? ended)?.getTime(), (ended ?? started)?.getTime()];
    const isBefore = start !== null && last !== undefined && last < start;
    const isAfter = end !== null && first !== undefined && first >= end;
    if (!isBefore && !isAfter) found.add(session_id);
  }
  for (const [table, where] of [
    ["turns", ""],
    ["usage_responses", "AND counted"],
  ]) {
    const { rows } = await sql.query<{ session_id: string }>(
      `SELECT DISTINCT session_id FROM daybook.${table} WHERE owner_id = $1 ${where}
       AND (ts IS NULL OR (ts >= coalesce(to_timestamp($2::float8 / 1000), '-infinity')
         AND ts < coalesce(to_timestamp($3::float8 / 1000), 'infinity')))`,
      [owner, start, end],
    );
    for (const { session_id } of rows) found.add(session_id);
  }
  return found;
}

/**
 * Adds the ancestors and descendants of these sessions: what a session spends counts for the turn that started it,
 * and at its time.
 */
export function withFamilies(
  known: ReadonlyMap<string, { key: string; view: SessionView }>,
  found: ReadonlySet<string>,
): Set<string> {
  const roots = new Map<string, string>();
  const above = new Map(
    [...known.values()].map(({ key, view }) => [key, view.parent === null ? null : sessionKey(view.parent)]),
  );
  const rootOf = (key: string): string => {
    const seen = new Set<string>();
    let at = key;
    for (let next = above.get(at); next && !seen.has(at) && above.has(next); next = above.get(at)) {
      seen.add(at);
      at = next;
    }
    return at;
  };
  for (const [id, { key }] of known) roots.set(id, rootOf(key));
  const meant = new Set([...found].flatMap((id) => roots.get(id) ?? []));
  return new Set([...roots].flatMap(([id, root]) => (meant.has(root) ? [id] : [])));
}
