import { addDays, money } from "../lib/format.ts";
import { changeText, daysIn, spanBefore, type Span } from "../lib/spans.ts";
import type { Group } from "./numbers.ts";

/** The Monday of a day's week. */
export function mondayOf(day: string): string {
  return addDays(day, -((new Date(`${day}T12:00:00Z`).getUTCDay() + 6) % 7));
}

/** Two spans of the same length, one after the other. */
export interface Compared {
  now: Span;
  before: Span;
}

/**
 * What can be compared fairly. A lead sees whole weeks: the week that is not over is left out, and so is every week of
 * which either side shows nothing. Null if nothing is left.
 */
export function comparedSpans(span: Span, today: string, isLed: boolean): Compared | null {
  if (!isLed) return { now: span, before: spanBefore(span) };
  const now = { since: span.since, until: addDays(mondayOf(today), -1) };
  return now.until < now.since ? null : { now, before: spanBefore(now) };
}

/** Sums of the weeks of a span; unknown if one of them is, and null if a week is missing. */
export function sumOfWeeks(
  weeks: readonly Group[],
  { since, until }: Span,
  of: (week: Group) => number | null,
): number | null {
  const shown = weeks.filter(({ name }) => name !== null && name >= since && name <= until);
  if (shown.length !== daysIn({ since, until }) / 7) return null;
  return shown.reduce<number | null>((sum, week) => {
    const value = of(week);
    return sum === null || value === null ? null : sum + value;
  }, 0);
}

/** For example "+12 % on the 3 weeks before"; null if there is nothing to compare. */
export function changeNote(
  now: number | null,
  before: number | null,
  { now: span }: Compared,
  today: string,
): string | null {
  const change = changeText(now, before);
  if (change === null) return null;
  const days = daysIn(span);
  const length =
    days % 7 === 0 && days > 7 ? `${days / 7} weeks` : days === 7 ? "week" : days === 1 ? "day" : `${days} days`;
  // The week or day that is not over is not part of it, or only one side has a whole one.
  return `${change} on the ${length} before${span.until < mondayOf(today) ? ", this week left out" : ""}`;
}

const DAYS_IN_MONTH = 365.25 / 12;

/** How much of a monthly budget the days of a span have, and how much of that was spent, in percent. */
export function budgetOf(monthly: number, span: Span, spent: number | null): { text: string; percent: number | null } {
  const share = (monthly * daysIn(span)) / DAYS_IN_MONTH;
  return { text: money(share), percent: spent === null ? null : Math.round((spent / share) * 100) };
}
