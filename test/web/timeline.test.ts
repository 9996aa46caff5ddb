import { expect, test } from "vitest";
import { hoursAround, minutesOf, packRows, maxRowsOf, stretchOf, ticks } from "../../web/src/lib/timeline.ts";

test("a turn is placed by its local time, and ends at midnight at the latest", () => {
  expect(minutesOf("2026-05-12 14:30:30")).toBe(870.5);
  expect(stretchOf("2026-05-12 14:30:00", 90_000)).toEqual({ start: 870, end: 871.5 });
  expect(stretchOf("2026-05-12 23:50:00", 3_600_000)).toEqual({ start: 1430, end: 1440 });
  expect(stretchOf("2026-05-12 08:00:00", null)).toEqual({ start: 480, end: 480 });
});

test("the shown hours are whole, include all work and the current time, and are at least eight", () => {
  expect(hoursAround([], null)).toEqual([480, 1080]);
  expect(hoursAround([{ start: 605, end: 613 }], 900)).toEqual([540, 1020]);
  expect(hoursAround([{ start: 65, end: 1200 }], null)).toEqual([60, 1260]);
  const [from, to] = hoursAround([{ start: 1400, end: 1440 }], null);
  expect([from, to]).toEqual([960, 1440]);
  for (const start of [0, 300, 700, 1439]) {
    const [a, b] = hoursAround([{ start, end: start }], null);
    expect([a % 60, b % 60, b - a >= 480, a <= start && start <= b]).toEqual([0, 0, true, true]);
  }
});

test("at most ten hours are labelled", () => {
  expect(ticks(480, 960)).toEqual([480, 540, 600, 660, 720, 780, 840, 900, 960]);
  for (let hours = 8; hours <= 24; hours++) expect(ticks(0, hours * 60).length).toBeLessThan(11);
});

test("overlapping turns are drawn in separate rows, counting short ones with their minimum width", () => {
  const overlapping = [
    { start: 0, end: 10 },
    { start: 5, end: 8 },
    { start: 10, end: 12 },
  ];
  expect(packRows(overlapping, 0)).toEqual({ rows: 2, rowOf: [0, 1, 0] });
  expect(
    packRows(
      [
        { start: 0, end: 0 },
        { start: 1, end: 1 },
      ],
      5,
    ),
  ).toEqual({ rows: 2, rowOf: [0, 1] });
  expect(packRows([], 5)).toEqual({ rows: 1, rowOf: [] });
});

test("hundreds of simultaneous turns take at most 24 rows", () => {
  const crowd = Array.from({ length: 300 }, (_, i) => ({ start: i / 100, end: 10 + i }));
  for (const lanes of [1, 3, 7, 12]) {
    const { rows, rowOf } = packRows(crowd, 0, maxRowsOf(lanes));
    expect(rows * lanes).toBeLessThanOrEqual(24);
    expect(new Set(rowOf).size).toBe(rows);
  }
});
