/** A period of wall clock time, in minutes since midnight. */
export interface Stretch {
  start: number;
  end: number;
}

const DAY = 24 * 60;
/** A shorter timeline would make a short day look long. */
const LEAST_HOURS = 8;

/** `2026-05-12 14:30:00` → 870. */
export function minutesOf(localTime: string): number {
  const [, hours = "0", minutes = "0", seconds = "0"] = /(\d{2}):(\d{2}):(\d{2})/.exec(localTime) ?? [];
  return Number(hours) * 60 + Number(minutes) + Number(seconds) / 60;
}

/** The time of a turn on the day it began, cut off at midnight. */
export function stretchOf(localTime: string, durationMs: number | null): Stretch {
  const start = minutesOf(localTime);
  return { start, end: Math.min(DAY, start + (durationMs ?? 0) / 60_000) };
}

/** The range of whole hours that contains everything, at least `LEAST_HOURS` long, in minutes. */
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

/** Hours to label on the axis, in minutes. */
export function ticks(from: number, to: number): number[] {
  const hours = (to - from) / 60;
  const step = hours <= 9 ? 1 : hours <= 18 ? 2 : 3;
  const found: number[] = [];
  for (let hour = Math.ceil(from / 60 / step) * step; hour * 60 <= to; hour += step) found.push(hour * 60);
  return found;
}

/** The most stretches there are at one time in each slot of `step` minutes from `from` to `to`. */
export function atOnce(stretches: readonly Stretch[], from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => {
    const [start, end] = [from + i * step, from + (i + 1) * step];
    const own = stretches.filter((one) => one.start < end && one.end > start);
    // The most are at work when one of them begins.
    return Math.max(
      0,
      ...own.map((one) => own.filter((other) => other.start <= one.start && other.end > one.start).length),
    );
  });
}

/** Rows of all lanes together: more would push the results of the day off the screen. */
const MOST_ROWS = 24;

/** The most rows one lane may have. */
export function maxRowsOf(lanes: number): number {
  return Math.max(2, Math.floor(MOST_ROWS / Math.max(1, lanes)));
}

/**
 * Assigns overlapping stretches to different rows. `least` is the length at which the shortest is drawn. When all
 * `most` rows are taken, a stretch goes to the row that becomes free first. `rowOf` is in the order of the input.
 */
export function packRows(
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
