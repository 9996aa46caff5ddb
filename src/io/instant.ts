/** From the year 1 to 9999, in UTC and on every wall clock: times that are written with four digits. */
const FIRST = Date.parse("0001-01-02T00:00:00Z");
const LAST = Date.UTC(9999, 11, 31);

/** Epoch ms as a file states it; null for what is no time anybody lived in, such as a number of nanoseconds. */
export function instant(ms: number): number | null {
  return ms >= FIRST && ms < LAST ? Math.trunc(ms) : null;
}
