import { DaybookError } from "../errors.ts";
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
    start: input.since === undefined ? null : zone.startOfDay(parseDay(input.since, zone, now)),
    end: input.until === undefined ? null : zone.startOfDay(addDays(parseDay(input.until, zone, now), 1)),
  };
}

/** `YYYY-MM-DD`, `YYYYMMDD`, `28d` (that many days back, today included), `today`, `yesterday`. */
export function parseDay(text: string, zone: Zone, now: number): string {
  const today = zone.day(now);
  if (text === "today") return today;
  if (text === "yesterday") return addDays(today, -1);
  const back = /^(\d{1,5})d$/.exec(text);
  if (back) return addDays(today, 1 - Math.max(1, Number(back[1])));
  const date = /^(\d{4})-?(\d{2})-?(\d{2})$/.exec(text);
  if (date) {
    const day = `${date[1]}-${date[2]}-${date[3]}`;
    const time = Date.parse(`${day}T00:00:00Z`);
    if (!Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === day) return day;
  }
  throw new DaybookError(`not a date: ${text}`, {
    code: "usage",
    op: "parse date",
    hint: "use YYYY-MM-DD, YYYYMMDD, a number of days such as 28d, today or yesterday",
  });
}

export function within(range: TimeRange, time: number | null): boolean {
  if (range.start === null && range.end === null) return true;
  if (time === null) return false;
  return (range.start === null || time >= range.start) && (range.end === null || time < range.end);
}
