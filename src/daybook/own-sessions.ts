import { join, sep } from "node:path";
import type { AnswerRows } from "../answers/rows.ts";
import { usageReport } from "../answers/usage-view.ts";
import { totalTokens } from "../format/tokens.ts";
import type { ReportDiagnostic } from "../report/model.ts";
import { homeOf } from "../report/sums.ts";
import { grouped, money, plural } from "../text/units.ts";
import type { TimeRange } from "../time/range.ts";
import { ownPlaces } from "../workspace/own-places.ts";
import type { Asking } from "./asking.ts";
import type { Query } from "./questions.ts";

/** Sessions in which agents wrote about other sessions, in Daybook's own folder or where it was told to work: part of what was spent, and no work of a day. */
export interface OwnSessions {
  keys: ReadonlySet<string>;
  /** When anything else was last asked for. */
  newestOther: number | null;
}

const NONE: OwnSessions = { keys: new Set(), newestOther: null };

/** None where one session or project is asked about: whoever names it wants to see it. */
export function ownSessions({ at, options }: Asking, { project, session }: Query): OwnSessions {
  const { index } = at;
  if (!index || options.book === undefined || project !== undefined || session !== undefined) return NONE;
  const places = ownPlaces(options.book);
  // The directory itself, and all paths that begin with it: the sign behind the slash ends them.
  const inside = places
    .map(() => "((s.cwd = ? OR (s.cwd >= ? AND s.cwd < ?)) AND COALESCE(s.started, 0) >= ?)")
    .join(" OR ");
  const bounds = places.flatMap(({ dir, since }) => [
    ...[dir, join(dir, sep), `${dir}${String.fromCharCode(sep.charCodeAt(0) + 1)}`, since ?? 0],
  ]);
  const rows = index.store.all(`SELECT s.key FROM session s WHERE ${inside}`, ...bounds);
  if (rows.length === 0) return NONE;
  const last = index.store.get(
    `SELECT t.time FROM turn t JOIN session s ON s.key = t.session WHERE t.time IS NOT NULL AND (s.cwd IS NULL OR NOT (${inside})) ORDER BY t.time DESC LIMIT 1`,
    ...bounds,
  );
  const newest = last?.["time"];
  return {
    keys: new Set(rows.map(({ key }) => String(key))),
    newestOther: typeof newest === "number" ? newest : null,
  };
}

/** Says in a report how many were left out of it, and what they cost. */
export function withOwn(
  diagnostics: readonly ReportDiagnostic[],
  own: ReadonlySet<string>,
  rows: AnswerRows,
  { zone, prices }: Asking,
  range: TimeRange,
): ReportDiagnostic[] {
  const sessions = new Set(rows.turnsIn(range).flatMap(({ session }) => (own.has(session) ? [session] : []))).size;
  if (sessions === 0) return [...diagnostics];
  const spent = [...rows.usage(range)].filter((item) => own.has(homeOf(item)));
  const query = { group: "daily", by: "trigger", breakdown: false, order: "asc", range, zone } as const;
  const { totals } = usageReport(spent, query, prices);
  const message = `${plural(sessions, "session")} in which narratives were written left out: ${grouped(totalTokens(totals))} tokens, ${money(totals.cost_usd)}`;
  return [...diagnostics, { code: "own_sessions", message, path: null, line: null, count: 1 }];
}
