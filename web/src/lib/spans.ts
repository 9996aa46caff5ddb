import { mondayOf } from "./calendar.ts";
import { addDays } from "./format.ts";

export interface Span {
  since: string;
  until: string;
}

export function daysIn({ since, until }: Span): number {
  return Math.round((Date.parse(`${until}T12:00:00Z`) - Date.parse(`${since}T12:00:00Z`)) / 86_400_000) + 1;
}

/** The span of the same length right before. */
export function spanBefore(span: Span): Span {
  const length = daysIn(span);
  return { since: addDays(span.since, -length), until: addDays(span.since, -1) };
}

/** The last `n` days up to `until`. */
export function lastDays(n: number, until: string): Span {
  return { since: addDays(until, 1 - n), until };
}

/** The step in which a span is drawn, so that the bars stay distinguishable. */
export function stepOf(span: Span): "daily" | "weekly" | "monthly" {
  const days = daysIn(span);
  return days <= 100 ? "daily" : days <= 700 ? "weekly" : "monthly";
}

/** Every day of the span, including days without work. */
export function everyDay({ since, until }: Span): string[] {
  return Array.from({ length: Math.max(0, daysIn({ since, until })) }, (_, i) => addDays(since, i));
}

/** Every week or month of the span, named as the rows of usage are, including those without work. */
export function everyPeriod({ since, until }: Span, step: "weekly" | "monthly"): string[] {
  const periods: string[] = [];
  if (step === "weekly") for (let at = mondayOf(since); at <= until; at = addDays(at, 7)) periods.push(at);
  else
    for (let at = since.slice(0, 7); at <= until.slice(0, 7); at = addDays(`${at}-28`, 7).slice(0, 7)) periods.push(at);
  return periods;
}

/** The relative change as text; null if there is nothing to compare with. */
export function changeText(now: number | null, before: number | null): string | null {
  if (now === null || before === null || before === 0) return null;
  const percent = Math.round((now / before - 1) * 100);
  if (percent === 0) return "unchanged";
  return Math.abs(percent) > 999 ? `${Math.round(now / before)}×` : `${percent > 0 ? "+" : "−"}${Math.abs(percent)} %`;
}

/** Share of the input tokens that came from a cache, in whole percent; null if there was no input. */
export function cachedPercent(usage: {
  input_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
}): number | null {
  const read = usage.input_tokens + usage.cached_input_tokens + usage.cache_write_tokens;
  return read === 0 ? null : Math.round((usage.cached_input_tokens / read) * 100);
}
