import { describe, expect, it } from "vitest";
import { parseDay, parseDays, parseRange, within } from "./range.ts";
import { Zone } from "./zone.ts";

const BERLIN = new Zone("Europe/Berlin");
/** In Berlin it is already the 16th. */
const NOW = Date.parse("2026-11-15T23:30:00Z");

describe("parseDay", () => {
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
    ["1w", "2026-11-10"],
    ["5w", "2026-10-13"],
    ["3 days ago", "2026-11-13"],
    ["a week ago", "2026-11-09"],
    ["1 month ago", "2026-10-16"],
    ["9 months ago", "2026-02-16"],
    ["1 year ago", "2025-11-16"],
    // A Monday.
    ["monday", "2026-11-16"],
    ["last monday", "2026-11-09"],
    ["Last Monday", "2026-11-09"],
    ["last sunday", "2026-11-15"],
    ["tue", "2026-11-10"],
    ["12 may", "2026-05-12"],
    ["May 12", "2026-05-12"],
    ["12 May 2025", "2025-05-12"],
    ["dec 24", "2025-12-24"],
    ["29 feb 2024", "2024-02-29"],
  ])("parses %s as %s", (text, day) => {
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
    "99999w",
    "99999y",
    "last",
    "last mond ay",
    "31 june",
    "1 may 2",
    "octobers",
    "ma",
    "13",
    "2026",
    "2026-13",
    "",
  ])("rejects %s", (text) => {
    expect(() => parseDay(text, BERLIN, NOW)).toThrow(
      expect.objectContaining({
        message: `not a date: ${text}`,
        code: "usage",
        hint: expect.stringContaining("YYYY-MM-DD") as string,
      }),
    );
  });

  it("rejects a name for several days", () => {
    expect(() => parseDay("last week", BERLIN, NOW)).toThrow(
      expect.objectContaining({ message: "more than one day: last week", code: "usage" }),
    );
  });
});

describe("parseDays", () => {
  it.each([
    ["october", "2026-10-01", "2026-10-31"],
    ["Oct 2024", "2024-10-01", "2024-10-31"],
    ["february 2024", "2024-02-01", "2024-02-29"],
    ["sept", "2026-09-01", "2026-09-30"],
    // The most recent one that has begun.
    ["november", "2026-11-01", "2026-11-30"],
    ["last november", "2025-11-01", "2025-11-30"],
    ["december", "2025-12-01", "2025-12-31"],
    ["2026-03", "2026-03-01", "2026-03-31"],
    ["this week", "2026-11-16", "2026-11-22"],
    ["last week", "2026-11-09", "2026-11-15"],
    ["last month", "2026-10-01", "2026-10-31"],
    ["last year", "2025-01-01", "2025-12-31"],
  ])("parses %s as %s to %s", (text, first, last) => {
    expect(parseDays(text, BERLIN, NOW)).toEqual({ first, last });
    expect(parseRange({ since: text, until: text }, BERLIN, NOW)).toEqual({
      start: BERLIN.startOfDay(first),
      end: BERLIN.dayWindow(last).end,
    });
    expect(() => parseDay(text, BERLIN, NOW)).toThrow(
      expect.objectContaining({ message: `more than one day: ${text}`, hint: expect.stringContaining(last) as string }),
    );
  });

  it("goes back across a new year, and to the last day of a shorter month", () => {
    const newYear = Date.parse("2027-01-31T12:00:00Z");
    expect(parseDays("last month", BERLIN, newYear)).toEqual({ first: "2026-12-01", last: "2026-12-31" });
    expect(parseDay("2 months ago", BERLIN, newYear)).toBe("2026-11-30");
  });
});

describe("a range", () => {
  it("starts with its first day and includes its whole last day", () => {
    expect(parseRange({ since: "2026-03-29", until: "2026-03-29" }, BERLIN, NOW)).toEqual({
      start: Date.parse("2026-03-28T23:00:00Z"),
      end: Date.parse("2026-03-29T22:00:00Z"),
    });
  });

  it("is open at an end without a day", () => {
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

  it("includes its start but not its end", () => {
    const range = { start: 10, end: 20 };
    expect([9, 10, 19, 20].map((time) => within(range, time))).toEqual([false, true, true, false]);
    expect([9, 10].map((time) => within({ start: 10, end: null }, time))).toEqual([false, true]);
    expect([-5, 19].map((time) => within({ start: null, end: 20 }, time))).toEqual([true, true]);
    expect([-5, -20].map((time) => within({ start: -10, end: null }, time))).toEqual([true, false]);
    expect([19, 20].map((time) => within({ start: null, end: 20 }, time))).toEqual([true, false]);
  });

  it("includes a missing time only if it is open at both ends", () => {
    expect(within({ start: null, end: null }, null)).toBe(true);
    expect(within({ start: 10, end: null }, null)).toBe(false);
    expect(within({ start: null, end: 20 }, null)).toBe(false);
    expect(within({ start: 10, end: 20 }, null)).toBe(false);
  });
});
