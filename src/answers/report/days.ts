import { addDays, type Zone } from "../../base/time/zone.ts";
import type { TimeRange } from "../../base/time/range.ts";
import type { PriceTable } from "../../views/pricing/price-table.ts";
import type { AnswerRows } from "../../views/rows.ts";
import type { ReportDay, FoundFacts, SumsBefore } from "./model.ts";
import { sumOrNull, usageOfSelected, Spending, sumSpending, type SpentTokens } from "./sums.ts";
import { commitCount, type CountedReport } from "./turn.ts";
import type { Span } from "./window.ts";

interface Input {
  rows: AnswerRows;
  span: Span;
  zone: Zone;
  now: number;
  prices: PriceTable;
  facts: (session: string) => FoundFacts;
}

/** Sums for every day of a span that has begun, including days without work. */
export function daysOf(
  { span, zone, now, prices }: Pick<Input, "span" | "zone" | "now" | "prices">,
  turns: readonly Pick<CountedReport, "turn" | "counted">[],
  spent: SpentTokens,
): ReportDay[] {
  if (span.kind === "day") return [];
  const rows = new Map<string, ReportDay>();
  for (let day = span.since; day <= lastBegun(span, zone, now); day = addDays(day, 1)) {
    const own = turns.flatMap(({ turn }) => (turn.local_time.startsWith(day) ? [turn] : []));
    const usage = (spent.byDay.get(day) ?? new Spending(prices)).viewFor(own);
    rows.set(day, { day, turns: 0, duration_ms: 0, commits: 0, usage });
  }
  for (const { turn, counted } of turns) {
    const row = rows.get(turn.local_time.slice(0, 10));
    if (!row) continue;
    row.turns++;
    row.duration_ms += turn.duration_ms ?? 0;
    row.commits = sumOrNull([row.commits, counted.commits]);
  }
  return [...rows.values()];
}

/**
 * The days to compare a span with: the same days of the previous week, or as many days directly before the span. Of a
 * span that is not over, only the days that have begun are matched.
 */
export function daysBefore(
  span: Span,
  zone: Zone,
  now: number,
): { since: string; until: string; range: TimeRange } | null {
  if (span.kind === "day") return null;
  const shift = span.kind === "week" ? 7 : daysBetween(span.since, lastBegun(span, zone, now)) + 1;
  const [since, until] = [addDays(span.since, -shift), addDays(lastBegun(span, zone, now), -shift)];
  return { since, until, range: { start: zone.startOfDay(since), end: zone.startOfDay(addDays(until, 1)) } };
}

export function sumsBefore(input: Input): SumsBefore | null {
  const { rows, span, zone, now, prices, facts } = input;
  const before = daysBefore(span, zone, now);
  if (before === null) return null;
  const { since, until, range } = before;
  const turns = rows.viewed(rows.turnsIn(range));
  const all = { listed: new Set<string>(), range, projectOf: () => "", dayOf: null };
  const spent = sumSpending(usageOfSelected(rows, range), all, prices);
  return {
    since,
    until,
    turns: turns.length,
    duration_ms: turns.reduce((sum, turn) => sum + (turn.view.duration_ms ?? 0), 0),
    commits: sumOrNull(turns.map((turn) => commitCount(turn, facts))),
    usage: spent.all.view(),
  };
}

/** The last day of the span that has begun; later days have no numbers yet. */
function lastBegun({ until, since }: Span, zone: Zone, now: number): string {
  const today = zone.day(now);
  return today < since ? since : today < until ? today : until;
}

function daysBetween(first: string, last: string): number {
  return Math.round((Date.parse(last) - Date.parse(first)) / 86_400_000);
}
