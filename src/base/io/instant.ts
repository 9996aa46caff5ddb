/** The years 1 to 9999, in UTC and in every time zone: times that can be written with a four-digit year. */
const FIRST = Date.parse("0001-01-02T00:00:00Z");
const LAST = Date.UTC(9999, 11, 31);

/** Epoch ms as stated by a file; null when out of range, such as a number of nanoseconds. */
export function instant(ms: number): number | null {
  return ms >= FIRST && ms < LAST ? Math.trunc(ms) : null;
}

/** Parses ISO 8601 with `Z` or an offset; a time without a zone is not a point in time. */
export function zonedTime(value: unknown): number | null {
  if (typeof value !== "string" || !/^\d{4}-\d{2}-\d{2}[T ].*(?:Z|[+-]\d{2}:?\d{2})$/i.test(value.trim())) return null;
  const time = Date.parse(value.trim());
  return Number.isNaN(time) ? null : time;
}
