/** A stretch of the wall clock, in minutes since midnight. */
export interface Stretch {
  start: number;
  end: number;
}

const DAY = 24 * 60;
/** A timeline of less would make a short day look long. */
const LEAST_HOURS = 8;

/** `2026-05-12 14:30:00` → 870. */
export function minutesOf(localTime: string): number {
  const [, hours = "0", minutes = "0", seconds = "0"] = /(\d{2}):(\d{2}):(\d{2})/.exec(localTime) ?? [];
  return Number(hours) * 60 + Number(minutes) + Number(seconds) / 60;
}

/** Where a turn stands on the day it began; what goes on after midnight ends with the day. */
export function stretchOf(localTime: string, durationMs: number | null): Stretch {
  const start = minutesOf(localTime);
  return { start, end: Math.min(DAY, start + (durationMs ?? 0) / 60_000) };
}

/** The whole hours that hold all of it, with some room, from and to in minutes. */
export function hoursAround(stretches: readonly Stretch[], now: number | null): [from: number, to: number] {
  const starts = stretches.map(({ start }) => start);
  const ends = stretches.map(({ end }) => end);
  if (now !== null) {
    starts.push(now);
    ends.push(now);
  }
  if (starts.length === 0) return [8 * 60, 18 * 60];
  let from = Math.floor(Math.min(...starts) / 60);
  let to = Math.min(24, Math.floor(Math.max(...ends) / 60) + 1);
  while (to - from < LEAST_HOURS) {
    if (to < 24) to++;
    if (to - from < LEAST_HOURS && from > 0) from--;
  }
  return [from * 60, to * 60];
}

/** Hours to be written below, at most nine of them. */
export function ticks(from: number, to: number): number[] {
  const hours = (to - from) / 60;
  const step = hours <= 9 ? 1 : hours <= 18 ? 2 : 3;
  const found: number[] = [];
  for (let hour = Math.ceil(from / 60 / step) * step; hour * 60 <= to; hour += step) found.push(hour * 60);
  return found;
}

/** Rows of all lanes together: more would push what came of the day off the screen. */
const MOST_ROWS = 24;

/** Rows that one of so many lanes may have. */
export function rowsOf(lanes: number): number {
  return Math.max(2, Math.floor(MOST_ROWS / Math.max(1, lanes)));
}

/**
 * Puts what overlaps into rows of its own; `least` is how long the shortest is drawn. Where there are `most` rows, the next goes where the
 * last ends first. In the order in which they are given.
 */
export function packed(
  stretches: readonly Stretch[],
  least: number,
  most: number = Infinity,
): { rows: number; rowOf: number[] } {
  const ends: number[] = [];
  const rowOf: number[] = Array.from({ length: stretches.length }, () => 0);
  const order = stretches.map((_, i) => i).toSorted((a, b) => (stretches[a]?.start ?? 0) - (stretches[b]?.start ?? 0));
  for (const i of order) {
    const one = stretches[i];
    if (!one) continue;
    const free = ends.findIndex((end) => end <= one.start);
    const row = free !== -1 ? free : ends.length < most ? ends.length : ends.indexOf(Math.min(...ends));
    ends[row] = Math.max(one.end, one.start + least, ends[row] ?? 0);
    rowOf[i] = row;
  }
  return { rows: Math.max(1, ends.length), rowOf };
}
