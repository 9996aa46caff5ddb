import { expect, test } from "vitest";
import { mondayOf, weekdayOf, yearUntil } from "../../web/src/lib/calendar.ts";

test("weeks begin on Monday", () => {
  expect(weekdayOf("2026-05-11")).toBe(0);
  expect(weekdayOf("2026-05-17")).toBe(6);
  expect(mondayOf("2026-05-17")).toBe("2026-05-11");
  expect(mondayOf("2026-05-11")).toBe("2026-05-11");
});

test("a year has each of its 365 days once, in weeks of seven, with twelve month names", () => {
  const weeks = yearUntil("2026-05-12", new Map());
  const days = weeks.flatMap(({ days }) => days).filter((one) => one !== null);
  expect([days.length, days[0]?.day, days.at(-1)?.day]).toEqual([365, "2025-05-13", "2026-05-12"]);
  expect(weeks.every(({ days }) => days.length === 7)).toBe(true);
  expect(weeks.flatMap(({ month }) => month ?? [])).toHaveLength(12);
  expect(days.every(({ level }) => level === 0)).toBe(true);
});

test("one day with very many turns does not lower the level of the others", () => {
  const turns = new Map([
    ["2026-05-09", 2],
    ["2026-05-10", 4],
    ["2026-05-11", 6],
    ["2026-05-12", 900],
  ]);
  const days = yearUntil("2026-05-12", turns).flatMap(({ days }) => days);
  expect(days.flatMap((one) => (one && one.turns > 0 ? [one.level] : []))).toEqual([1, 2, 3, 4]);
});
