import { DaybookError } from "../errors.ts";
import { parseDayWords, type Days } from "./day-words.ts";
import { addDays, type Zone } from "./zone.ts";

/** Half-open; null = unbounded. */
export interface TimeRange {
  start: number | null;
  end: number | null;
}

export interface RangeInput {
  since?: string | undefined;
  /** Inclusive: the whole day counts. */
  until?: string | undefined;
}

export function parseRange(input: RangeInput, zone: Zone, now: number): TimeRange {
  return {
    start: input.since === undefined ? null : zone.startOfDay(parseDays(input.since, zone, now).first),
    end: input.until === undefined ? null : zone.startOfDay(addDays(parseDays(input.until, zone, now).last, 1)),
  };
}

/** Parses a date expression (`day-words.ts`); throws a usage error when it is not one. */
export function parseDays(text: string, zone: Zone, now: number): Days {
  const days = parseDayWords(text, zone.day(now));
  if (days !== null) return days;
  throw new DaybookError(`not a date: ${text}`, {
    code: "usage",
    op: "parse date",
    hint: 'for example 2026-05-12 (YYYY-MM-DD), 28d, 5w, "3 days ago", yesterday, "last monday", "last week", october or "oct 2026"',
  });
}

/** Like `parseDays`, but throws unless the expression means a single day. */
export function parseDay(text: string, zone: Zone, now: number): string {
  const { first, last } = parseDays(text, zone, now);
  if (first === last) return first;
  throw new DaybookError(`more than one day: ${text}`, {
    code: "usage",
    op: "parse date",
    hint: `name one day, or a span by --since ${first} --until ${last}`,
  });
}

export function within(range: TimeRange, time: number | null): boolean {
  if (range.start === null && range.end === null) return true;
  if (time === null) return false;
  return (range.start === null || time >= range.start) && (range.end === null || time < range.end);
}
