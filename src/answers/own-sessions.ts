import type { AnswerRows } from "../views/rows.ts";
import { usageReport } from "../views/usage-view.ts";
import { totalTokens } from "../record/tokens.ts";
import type { ReportDiagnostic } from "./report/model.ts";
import { sessionOfUsage } from "./report/sums.ts";
import { groupDigits, money, plural } from "../base/text/units.ts";
import type { TimeRange } from "../base/time/range.ts";
import { ownPlaces } from "./workspace/own-places.ts";
import type { AnswerContext } from "./answer-context.ts";
import type { Query } from "./questions.ts";

/**
 * Sessions in which agents wrote narratives about other sessions, in Daybook's own folder or another workspace. They
 * count as spending, but not as work of a day.
 */
export interface OwnWork {
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
  return index.queries.sessionsInPlaces(places);
}

export function ownSessions(ctx: AnswerContext, query: OwnQuery): OwnWork {
  const keys = ownSessionKeys(ctx, query);
  if (keys.size === 0) return { keys, newestOther: null };
  return { keys, newestOther: ctx.index.queries.newestTurnWithout(keys) };
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
