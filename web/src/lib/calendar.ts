import { addDays } from "./format.ts";

export interface CalendarDay {
  day: string;
  /** 0 = no work, 4 = among the busiest quarter of days. */
  level: 0 | 1 | 2 | 3 | 4;
  turns: number;
}

export interface CalendarWeek {
  /** Name of the month that begins in this week. */
  month: string | null;
  /** Monday to Sunday; null for days outside the year. */
  days: (CalendarDay | null)[];
}

/** 0 is Monday. */
export function weekdayOf(day: string): number {
  return (new Date(`${day}T12:00:00Z`).getUTCDay() + 6) % 7;
}

export function mondayOf(day: string): string {
  return addDays(day, -weekdayOf(day));
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/**
 * The year that ends with `last`, week by week. Levels are quartiles of the days with work, so one very busy day does
 * not dim the rest.
 */
export function yearUntil(last: string, turns: ReadonlyMap<string, number>): CalendarWeek[] {
  const first = addDays(last, -364);
  const counts = [...turns].filter(([day, n]) => day >= first && day <= last && n > 0).map(([, n]) => n);
  const sorted = counts.toSorted((a, b) => a - b);
  const levelOf = (n: number): CalendarDay["level"] => {
    if (n === 0) return 0;
    const below = sorted.filter((one) => one < n).length / sorted.length;
    return below >= 0.75 ? 4 : below >= 0.5 ? 3 : below >= 0.25 ? 2 : 1;
  };
  const levels = new Map([...new Set(counts)].map((n) => [n, levelOf(n)]));
  const weeks: CalendarWeek[] = [];
  for (let monday = mondayOf(first); monday <= last; monday = addDays(monday, 7)) {
    const days = Array.from({ length: 7 }, (_, i): CalendarDay | null => {
      const day = addDays(monday, i);
      if (day < first || day > last) return null;
      const n = turns.get(day) ?? 0;
      return { day, turns: n, level: levels.get(n) ?? 0 };
    });
    const begins = days.find((one) => one?.day.endsWith("-01"));
    weeks.push({ days, month: begins ? (MONTHS[Number(begins.day.slice(5, 7)) - 1] ?? null) : null });
  }
  return weeks;
}
