import { describe, expect, it } from "vitest";
import { parseDay, parseRange, within } from "./range.ts";
import { Zone } from "./zone.ts";

const BERLIN = new Zone("Europe/Berlin");
/** In Berlin it is the 16th already. */
const NOW = Date.parse("2026-11-15T23:30:00Z");

describe("a day", () => {
  it.each([
    ["today", "2026-11-16"],
    ["yesterday", "2026-11-15"],
    ["0d", "2026-11-16"],
    ["1d", "2026-11-16"],
    ["2d", "2026-11-15"],
    ["28d", "2026-10-20"],
    ["2026-02-28", "2026-02-28"],
    ["20260228", "2026-02-28"],
    ["2024-02-29", "2024-02-29"],
  ])("%s is %s", (text, day) => {
    expect(parseDay(text, BERLIN, NOW)).toBe(day);
  });

  it.each([
    "2026-02-29",
    "2026-13-01",
    "2026-00-10",
    "2026-1-1",
    "x2026-01-01",
    "2026-01-01x",
    "d",
    "-3d",
    "3dd",
    "123456d",
    "tomorrow",
    "",
  ])("%s is none", (text) => {
    expect(() => parseDay(text, BERLIN, NOW)).toThrow(
      expect.objectContaining({
        message: `not a date: ${text}`,
        code: "usage",
        hint: expect.stringContaining("YYYY-MM-DD") as string,
      }),
    );
  });
});

describe("a range", () => {
  it("begins with its first day and holds its last day whole", () => {
    expect(parseRange({ since: "2026-03-29", until: "2026-03-29" }, BERLIN, NOW)).toEqual({
      start: Date.parse("2026-03-28T23:00:00Z"),
      end: Date.parse("2026-03-29T22:00:00Z"),
    });
  });

  it("is open where no day is named", () => {
    expect(parseRange({}, BERLIN, NOW)).toEqual({ start: null, end: null });
    expect(parseRange({ since: "today" }, BERLIN, NOW)).toEqual({
      start: Date.parse("2026-11-15T23:00:00Z"),
      end: null,
    });
    expect(parseRange({ until: "today" }, BERLIN, NOW)).toEqual({
      start: null,
      end: Date.parse("2026-11-16T23:00:00Z"),
    });
  });

  it("holds its start and not its end", () => {
    const range = { start: 10, end: 20 };
    expect([9, 10, 19, 20].map((time) => within(range, time))).toEqual([false, true, true, false]);
    expect([9, 10].map((time) => within({ start: 10, end: null }, time))).toEqual([false, true]);
    expect([-5, 19].map((time) => within({ start: null, end: 20 }, time))).toEqual([true, true]);
    expect([-5, -20].map((time) => within({ start: -10, end: null }, time))).toEqual([true, false]);
    expect([19, 20].map((time) => within({ start: null, end: 20 }, time))).toEqual([true, false]);
  });

  it("holds what has no time only where everything is meant", () => {
    expect(within({ start: null, end: null }, null)).toBe(true);
    expect(within({ start: 10, end: null }, null)).toBe(false);
    expect(within({ start: null, end: 20 }, null)).toBe(false);
    expect(within({ start: 10, end: 20 }, null)).toBe(false);
  });
});
