import { QUARTER, type Zone } from "../../base/time/zone.ts";

const DAY = 86_400_000;
const QUARTERS = DAY / QUARTER;
/** SQL divides integers towards zero: adding this many days keeps all values positive. */
const ABOVE_ZERO = 200_000_000;

/** SQL over `quarter` for the day number on the zone's wall clock. `days`: the UTC days that occur, ascending. */
export function localDay(zone: Zone, days: readonly number[]): string {
  const spans = spansOf(zone, days);
  const [first = { from: 0, offset: 0 }, ...later] = spans;
  const cases = later.toReversed().map(({ from, offset }) => `WHEN quarter >= ${from} THEN ${offset}`);
  const offset = cases.length === 0 ? first.offset : `CASE ${cases.join(" ")} ELSE ${first.offset} END`;
  return `(quarter * ${QUARTER} + ${offset} + ${ABOVE_ZERO * DAY}) / ${DAY}`;
}

/** Where each UTC offset begins to apply; between two days that occur it does not matter. */
function spansOf(zone: Zone, days: readonly number[]): { from: number; offset: number }[] {
  const spans: { from: number; offset: number }[] = [];
  const hold = (from: number, offset: number): void => {
    if (spans.at(-1)?.offset !== offset) spans.push({ from, offset });
  };
  for (const day of days) {
    const offset = zone.steadyOffset(day);
    if (offset !== null) hold(day * QUARTERS, offset);
    else
      for (let quarter = day * QUARTERS; quarter < (day + 1) * QUARTERS; quarter++)
        hold(quarter, zone.offset(quarter * QUARTER));
  }
  return spans;
}
