/** A destination offered by the command palette. */
export interface Place {
  href: string;
  title: string;
  /** Kind of destination, shown beside the title. */
  note: string;
}

/**
 * Places that contain every typed word. Matches at the start of a word rank first, matches at the start of the title
 * highest.
 */
export function matchingPlaces(places: readonly Place[], typed: string): Place[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return [...places];
  const ranked = places.flatMap((place) => {
    const text = `${place.title} ${place.note}`.toLowerCase();
    if (!words.every((word) => text.includes(word))) return [];
    const begins = words.filter((word) => new RegExp(`(?:^|[^\\p{L}\\d])${escaped(word)}`, "u").test(text)).length;
    const isTitle = place.title.toLowerCase().startsWith(words.join(" "));
    return [{ place, rank: begins + (isTitle ? 10 : 0) }];
  });
  return ranked.toSorted((a, b) => b.rank - a.rank).map(({ place }) => place);
}

function escaped(word: string): string {
  return word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/**
 * Parses a day: `yesterday`, `tue`, `2026-09-07`, `7.9.`, `7 sep`; null if the text is none. A day without a year is
 * the latest one up to today.
 */
export function parseDay(typed: string, today: string): string | null {
  const text = typed.trim().toLowerCase();
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return isDay(text) ? text : null;
  if (text.length >= 3 && "today".startsWith(text)) return today;
  if (text.length >= 3 && "yesterday".startsWith(text)) return daysBefore(today, 1);
  const weekday = text.length >= 3 ? DAYS.findIndex((name) => name.startsWith(text)) : -1;
  if (weekday !== -1) {
    const now = new Date(`${today}T12:00:00Z`).getUTCDay();
    return daysBefore(today, (now - weekday + 7) % 7);
  }
  const numbers = /^(\d{1,2})[. /-]\s?(\d{1,2})\.?$/.exec(text);
  if (numbers) return latestDate(today, Number(numbers[2]), Number(numbers[1]));
  const named = /^(\d{1,2})\.? ([a-z]{3,9})$/.exec(text) ?? /^([a-z]{3,9}) (\d{1,2})$/.exec(text);
  if (!named) return null;
  const [, a = "", b = ""] = named;
  const [day, name] = /^\d/.test(a) ? [Number(a), b] : [Number(b), a];
  const month = MONTHS.findIndex((one) => one.startsWith(name)) + 1;
  return month === 0 ? null : latestDate(today, month, day);
}

const MONTHS = "january february march april may june july august september october november december".split(" ");

function latestDate(today: string, month: number, day: number): string | null {
  for (const year of [Number(today.slice(0, 4)), Number(today.slice(0, 4)) - 1]) {
    const text = `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
    if (isDay(text) && text <= today) return text;
  }
  return null;
}

function isDay(text: string): boolean {
  const time = Date.parse(`${text}T12:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function daysBefore(day: string, n: number): string {
  return new Date(Date.parse(`${day}T12:00:00Z`) - n * 86_400_000).toISOString().slice(0, 10);
}
