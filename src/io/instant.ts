/** From the year 1 to 9999, in UTC and on every wall clock: times that are written with four digits. */
const FIRST = Date.parse("0001-01-02T00:00:00Z");
const LAST = Date.UTC(9999, 11, 31);

/** Epoch ms as a file states it; null for what is no time anybody lived in, such as a number of nanoseconds. */
export function instant(ms: number): number | null {
  return ms >= FIRST && ms < LAST ? Math.trunc(ms) : null;
}

/** ISO 8601 with `Z` or an offset; a time without a zone is no point in time. */
export function zonedTime(value: unknown): number | null {
  if (typeof value !== "string" || !/^\d{4}-\d{2}-\d{2}[T ].*(?:Z|[+-]\d{2}:?\d{2})$/i.test(value.trim())) return null;
  const time = Date.parse(value.trim());
  return Number.isNaN(time) ? null : time;
}
