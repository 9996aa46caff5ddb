import { addDays, weekOf } from "./zone.ts";

/** A range of whole days, both ends inclusive: one day, a week, a month or a year. */
export interface Days {
  first: string;
  last: string;
}

const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const MONTHS = "january february march april may june july august september october november december".split(" ");
const UNITS: Readonly<Record<string, "day" | "week" | "month" | "year">> = {
  d: "day",
  w: "week",
  m: "month",
  y: "year",
  day: "day",
  week: "week",
  month: "month",
  year: "year",
};
/** Larger day counts are treated as typing errors. */
const MAX_DAYS = 99_999;

/**
 * Parses a date expression relative to `today`: `2026-05-12`, `20260512`, `2026-05`, `today`, `28d`, `5w`,
 * `3 days ago`, `monday`, `last monday`, `last week`, `this month`, `october`, `oct 2026`, `12 may`,
 * `may 12 2026`, and two of these as `A..B`. Returns null for anything else. A name without a year or a week means the most
 * recent one that has begun.
 */
export function parseDayWords(text: string, today: string): Days | null {
  const words = text
    .trim()
    .toLowerCase()
    .replace(/^(last|this)(?=[a-z])/, "$1 ")
    .replace(/[\s,_]+/g, " ");
  return (
    parseRange(words, today) ??
    parseDigits(words) ??
    parseCount(words, today) ??
    weekday(words, today) ??
    period(words, today) ??
    month(words, today)
  );
}

/** From the beginning of one to the end of another: `2026-05-04..2026-05-12`, `monday..today`. */
function parseRange(text: string, today: string): Days | null {
  const [from, to, ...more] = text.split("..");
  if (from === undefined || to === undefined || more.length > 0) return null;
  const [first, last] = [parseDayWords(from, today), parseDayWords(to, today)];
  return first && last && first.first <= last.last ? { first: first.first, last: last.last } : null;
}

/** Dates in digits: `2026-05-12`, `20260512`, `2026-05`, `12.5.2026`. */
function parseDigits(text: string): Days | null {
  const day = /^(\d{4})[-/.](\d\d)[-/.](\d\d)$|^(\d{4})(\d\d)(\d\d)$/.exec(text);
  if (day) return singleDay(dayOf(day[1] ?? day[4] ?? "", day[2] ?? day[5] ?? "", day[3] ?? day[6] ?? ""));
  const european = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text);
  if (european) return singleDay(dayOf(european[3] ?? "", european[2] ?? "", european[1] ?? ""));
  const month = /^(\d{4})-(\d\d)$/.exec(text);
  return month ? wholeMonth(Number(month[1]), Number(month[2])) : null;
}

/** Relative counts: `28d` is the first day of a 28-day span that ends today, `28 days ago` is that one day. */
function parseCount(text: string, today: string): Days | null {
  if (text === "today") return singleDay(today);
  if (text === "yesterday") return singleDay(addDays(today, -1));
  const found = /^(\d{1,5}|an?|one|two|three) ?(d|w|m|y|day|week|month|year)s?( ago)?$/.exec(text);
  const unit = UNITS[found?.[2] ?? ""];
  if (!found || unit === undefined) return null;
  const n = { a: 1, an: 1, one: 1, two: 2, three: 3 }[found[1] ?? ""] ?? Number(found[1]);
  const then = goBack(today, n, unit);
  if (then === null) return null;
  return singleDay(found[3] === undefined && n > 0 ? addDays(then, 1) : then);
}

/** Goes back `n` units. In a month without that day of the month, the month's last day is used. */
function goBack(today: string, n: number, unit: "day" | "week" | "month" | "year"): string | null {
  if (unit === "day" || unit === "week") {
    const days = unit === "day" ? n : n * 7;
    return days > MAX_DAYS ? null : addDays(today, -days);
  }
  const months = unit === "month" ? n : n * 12;
  const [year = 0, month = 1, date = 1] = today.split("-").map(Number);
  const at = year * 12 + (month - 1) - months;
  const whole = wholeMonth(Math.floor(at / 12), (((at % 12) + 12) % 12) + 1);
  return whole && addDays(whole.first, Math.min(date, Number(whole.last.slice(8))) - 1);
}

/** The most recent such weekday, today included; `last monday` on a Monday is a week ago. */
function weekday(text: string, today: string): Days | null {
  const found = /^(?:(last|this|on) )?([a-z]{3,9})$/.exec(text);
  const index = nameIn(WEEKDAYS, found?.[2] ?? "", 3);
  if (!found || index === null) return null;
  const monday = weekOf(today);
  const day = addDays(monday, index);
  const isOver = found[1] === "last" ? day < today : day <= today;
  return singleDay(isOver ? day : addDays(day, -7));
}

function period(text: string, today: string): Days | null {
  const found = /^(this|last|previous) (week|month|year)$/.exec(text);
  if (!found) return null;
  const isLast = found[1] !== "this";
  const [year = 0, month = 1] = today.split("-").map(Number);
  if (found[2] === "week") {
    const monday = addDays(weekOf(today), isLast ? -7 : 0);
    return { first: monday, last: addDays(monday, 6) };
  }
  if (found[2] === "year") return wholeYear(isLast ? year - 1 : year);
  return isLast && month === 1 ? wholeMonth(year - 1, 12) : wholeMonth(year, isLast ? month - 1 : month);
}

/** A month by name, or a day of it: `october`, `oct 2026`, `12 may`. */
function month(text: string, today: string): Days | null {
  const found = /^(?:(?:in|last) )?(?:(\d{1,2})\.? )?([a-z]{3,9})\.?(?: (\d{1,2}))?(?: (\d{4}))?$/.exec(text);
  const index = nameIn(MONTHS, found?.[2] ?? "", 3);
  if (!found || index === null || (found[1] !== undefined && found[3] !== undefined)) return null;
  const date = found[1] ?? found[3];
  const of = (year: number): Days | null =>
    date === undefined ? wholeMonth(year, index + 1) : singleDay(dayOf(String(year), String(index + 1), date));
  if (found[4] !== undefined) return of(Number(found[4]));
  const isOver = ({ first, last }: Days): boolean => (text.startsWith("last ") ? last < today : first <= today);
  // 29 February is missing from most years, and up to eight years lie between two of them.
  for (let year = Number(today.slice(0, 4)), oldest = year - 8; year >= oldest; year--) {
    const days = of(year);
    if (days && isOver(days)) return days;
  }
  return null;
}

/** Accepts abbreviated names of at least `least` letters: `oct`, `sept`. */
function nameIn(names: readonly string[], text: string, least: number): number | null {
  const index = text.length < least ? -1 : names.findIndex((name) => name.startsWith(text));
  return index === -1 ? null : index;
}

function singleDay(day: string | null): Days | null {
  return day === null ? null : { first: day, last: day };
}

function dayOf(year: string, month: string, date: string): string | null {
  const day = `${year}-${month.padStart(2, "0")}-${date.padStart(2, "0")}`;
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === day ? day : null;
}

function wholeMonth(year: number, month: number): Days | null {
  const first = dayOf(String(year).padStart(4, "0"), String(month), "1");
  if (first === null) return null;
  const next = month === 12 ? dayOf(String(year + 1), "1", "1") : dayOf(String(year), String(month + 1), "1");
  return next === null ? null : { first, last: addDays(next, -1) };
}

function wholeYear(year: number): Days | null {
  const first = dayOf(String(year), "1", "1");
  return first === null ? null : { first, last: `${year}-12-31` };
}
