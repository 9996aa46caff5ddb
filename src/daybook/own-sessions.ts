import { join, sep } from "node:path";
import type { AnswerRows } from "../answers/rows.ts";
import { usageReport } from "../answers/usage-view.ts";
import { totalTokens } from "../format/tokens.ts";
import type { ReportDiagnostic } from "../report/model.ts";
import { sessionOfUsage } from "../report/sums.ts";
import { groupDigits, money, plural } from "../text/units.ts";
import type { TimeRange } from "../time/range.ts";
import { ownPlaces } from "../workspace/own-places.ts";
import type { AnswerContext } from "./answer-context.ts";
import type { Query } from "./questions.ts";

/**
 * Sessions in which agents wrote narratives about other sessions, in Daybook's own folder or another workspace. They
 * count as spending, but not as work of a day.
 */
export interface OwnSessions {
  keys: ReadonlySet<string>;
  /** The time of the last request in any other session. */
  newestOther: number | null;
}

const NONE: ReadonlySet<string> = new Set();

type OwnQuery = Pick<Query, "project" | "session" | "own">;
type Asked = Pick<AnswerContext, "index" | "options">;

/**
 * The keys of such sessions, which lists of work leave out. None if one session or project is asked about: whoever
 * names it wants to see it.
 */
export function ownSessionKeys({ index, options }: Asked, query: OwnQuery): ReadonlySet<string> {
  if (options.book === undefined) return NONE;
  if (query.project !== undefined || query.session !== undefined || query.own === true) return NONE;
  const places = ownPlaces(options.book);
  // The directory itself and all paths below it: the upper bound is the path with the character after the separator.
  const inside = places
    .map(() => "((s.cwd = ? OR (s.cwd >= ? AND s.cwd < ?)) AND COALESCE(s.started, 0) >= ?)")
    .join(" OR ");
  const bounds = places.flatMap(({ dir, since }) => [
    dir,
    join(dir, sep),
    `${dir}${String.fromCharCode(sep.charCodeAt(0) + 1)}`,
    since ?? 0,
  ]);
  const rows = index.store.all(`SELECT s.key FROM session s WHERE ${inside}`, ...bounds);
  return rows.length === 0 ? NONE : new Set(rows.map(({ key }) => String(key)));
}

export function ownSessions(ctx: AnswerContext, query: OwnQuery): OwnSessions {
  const keys = ownSessionKeys(ctx, query);
  if (keys.size === 0) return { keys, newestOther: null };
  const last = ctx.index.store.get(
    `SELECT time FROM turn WHERE time IS NOT NULL AND session NOT IN (SELECT value FROM json_each(?)) ORDER BY time DESC LIMIT 1`,
    JSON.stringify([...keys]),
  );
  const newest = last?.["time"];
  return { keys, newestOther: typeof newest === "number" ? newest : null };
}

/** Adds to a report how many such sessions were left out, and what they cost. */
export function withOwnSessionsNote(
  diagnostics: readonly ReportDiagnostic[],
  own: ReadonlySet<string>,
  rows: AnswerRows,
  { zone, prices }: AnswerContext,
  range: TimeRange,
): ReportDiagnostic[] {
  const sessions = new Set(rows.turnsIn(range).flatMap(({ session }) => (own.has(session) ? [session] : []))).size;
  if (sessions === 0) return [...diagnostics];
  const spent = [...rows.usage(range)].filter((item) => own.has(sessionOfUsage(item)));
  const query = { group: "daily", by: "trigger", breakdown: false, order: "asc", range, zone } as const;
  const { totals } = usageReport(spent, query, prices);
  const message = `${plural(sessions, "session")} in which narratives were written left out: ${groupDigits(totalTokens(totals))} tokens, ${money(totals.cost_usd)}`;
  return [...diagnostics, { code: "own_sessions", message, path: null, line: null, count: 1 }];
}
