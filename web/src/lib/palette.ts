import type { IconComponent } from "./icons.ts";

/** Something the palette offers: a place to go to, or something to do. */
export interface Place {
  /** Where it leads; a download where `act` is missing and it is under /api/. */
  href?: string;
  act?: () => void;
  title: string;
  /** Kind of destination, shown beside the title. */
  note: string;
  /** Other words for the same, which are looked for but not shown. */
  words?: string;
  icon?: IconComponent | undefined;
  key?: string;
}

/** How well a text answers what was typed: with a whole word, the beginning of one, or a fragment only; 0: not. */
type Fit = 0 | 1 | 2 | 3;

/** Of several typed words the one that fits worst decides. */
export function fitOf(text: string, typed: string): Fit {
  const low = text.toLowerCase();
  const words = wordsOf(typed);
  return words.length === 0 ? 0 : (Math.min(...words.map((word) => fitOfWord(low, word))) as Fit);
}

function fitOfWord(text: string, word: string): Fit {
  if (!text.includes(word)) return 0;
  const begins = String.raw`(?:^|[^\p{L}\d])${escaped(word)}`;
  if (new RegExp(String.raw`${begins}(?![\p{L}\d])`, "u").test(text)) return 3;
  return new RegExp(begins, "u").test(text) ? 2 : 1;
}

function wordsOf(typed: string): string[] {
  return typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
}

export interface Fitting {
  place: Place;
  fit: Fit;
}

/**
 * Places that contain every typed word, best first: whole words before beginnings before fragments, then those whose
 * title begins with what was typed, then in the given order.
 */
export function fittingPlaces(places: readonly Place[], typed: string): Fitting[] {
  const words = wordsOf(typed).join(" ");
  return places
    .flatMap((place) => {
      const fit = fitOf(`${place.title} ${place.note} ${place.words ?? ""}`, typed);
      const isTitle = place.title.toLowerCase().startsWith(words);
      return fit === 0 ? [] : [{ place, fit, rank: fit * 2 + (isTitle ? 1 : 0) }];
    })
    .toSorted((a, b) => b.rank - a.rank)
    .map(({ place, fit }) => ({ place, fit }));
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
