import { DaybookError } from "../../base/errors.ts";
import { parseDay, parseDays, type TimeRange } from "../../base/time/range.ts";
import { addDays, iso, weekOf, type Zone } from "../../base/time/zone.ts";

export interface SpanInput {
  date?: string | undefined;
  week?: boolean | undefined;
  since?: string | undefined;
  until?: string | undefined;
}

/** What a report covers: whole local days in one time zone; `start` is inclusive, `end` exclusive. */
export interface Span {
  kind: "day" | "week" | "range";
  since: string;
  /** The last day, inclusive. */
  until: string;
  timezone: string;
  start: string;
  end: string;
  /** A day may have 23, 24.5 or 25 hours. */
  hours: number;
  /** Partial while the span is not over: more may come. */
  status: "partial" | "final";
}

/** Times of the first and the newest trigger in what is asked about; null when there is none. */
export interface WorkTimes {
  first: number | null;
  newest: number | null;
}

export function rangeOf(span: Span): TimeRange {
  return { start: Date.parse(span.start), end: Date.parse(span.end) };
}

export function resolveSpan(input: SpanInput, zone: Zone, now: number, work: WorkTimes): Span {
  const { date, week, since, until } = input;
  const bounded = since !== undefined || until !== undefined;
  if (bounded && date !== undefined) throw conflict("--date", "--since/--until");
  if (bounded && week === true) throw conflict("--week", "--since/--until");
  const today = zone.day(now);
  if (bounded) {
    const last = until === undefined ? today : parseDays(until, zone, now).last;
    const first =
      since === undefined ? (work.first === null ? last : zone.day(work.first)) : parseDays(since, zone, now).first;
    if (since !== undefined && first > last) {
      throw new DaybookError(`--since ${first} is after --until ${last}`, { code: "usage", op: "choose days" });
    }
    return span("range", first < last ? first : last, last, zone, now);
  }
  const newest = work.newest === null ? today : zone.day(work.newest);
  const named = date === undefined ? newest : week === true ? parseDays(date, zone, now).first : null;
  const day = named ?? parseDay(date ?? "today", zone, now);
  if (date !== undefined && day > today) {
    throw new DaybookError(`${day} is in the future`, {
      code: "usage",
      op: "choose day",
      hint: `today is ${today} in ${zone.name}`,
    });
  }
  if (week !== true) return span("day", day, day, zone, now);
  const monday = weekOf(day);
  return span("week", monday, addDays(monday, 6), zone, now);
}

function span(kind: Span["kind"], since: string, until: string, zone: Zone, now: number): Span {
  const start = zone.startOfDay(since);
  const end = zone.startOfDay(addDays(until, 1));
  return {
    kind,
    since,
    until,
    timezone: zone.name,
    start: iso(start) ?? "",
    end: iso(end) ?? "",
    hours: (end - start) / 3_600_000,
    status: end > now ? "partial" : "final",
  };
}

function conflict(one: string, other: string): DaybookError {
  return new DaybookError(`${one} and ${other} cannot be used together`, { code: "usage", op: "choose days" });
}
