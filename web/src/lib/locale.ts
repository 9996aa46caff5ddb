/** The reader's language, as the browser states it. Only the calendar follows it: everything else is English. */
const language = (): string => navigator.language;

interface WithWeek extends Intl.Locale {
  weekInfo?: { firstDay: number };
  getWeekInfo?: () => { firstDay: number };
}

/** The day that weeks begin with: 0 is Monday. Where the browser does not know it, Monday. */
export function firstWeekday(): number {
  const locale = new Intl.Locale(language()) as WithWeek;
  const { firstDay } = locale.getWeekInfo?.() ?? locale.weekInfo ?? { firstDay: 1 };
  return (firstDay + 6) % 7;
}

/** Mo, Tu … in the reader's language, beginning with their first day of the week. */
export function weekdayNames(): string[] {
  const format = new Intl.DateTimeFormat(language(), { weekday: "short", timeZone: "UTC" });
  // 1 January 2024 was a Monday.
  return Array.from({ length: 7 }, (_, i) => format.format(Date.UTC(2024, 0, 1 + ((i + firstWeekday()) % 7))));
}

export function monthName(month: string): string {
  const format = new Intl.DateTimeFormat(language(), { month: "long", year: "numeric", timeZone: "UTC" });
  return format.format(Date.parse(`${month}-15T12:00:00Z`));
}

/** A day in numbers, in the order of the reader's language. */
export function dayInNumbers(day: string): string {
  const format = new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeZone: "UTC" });
  return format.format(Date.parse(`${day}T12:00:00Z`));
}
