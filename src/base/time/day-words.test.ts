import { describe, expect, it } from "vitest";
import { parseDayWords } from "./day-words.ts";

/** A Monday. */
const TODAY = "2026-11-16";

describe("parseDayWords", () => {
  it.each([
    ["  Today ", TODAY],
    ["3  days,ago", "2026-11-13"],
    ["wednesday", "2026-11-11"],
    ["thursday", "2026-11-12"],
    ["friday", "2026-11-13"],
    ["saturday", "2026-11-14"],
    ["2m", "2026-09-17"],
    ["1y", "2025-11-17"],
    ["2 years ago", "2024-11-16"],
    ["99999d", "1753-02-02"],
  ])("parses %s as the single day %s", (text, day) => {
    expect(parseDayWords(text, TODAY)).toEqual({ first: day, last: day });
  });

  it.each([
    "x20260512",
    "202605121",
    "12026-05",
    "9999-12",
    "99999w",
    "ax monday",
    "the last week",
    "last weekend",
    "some 12 may",
    "mo",
    "2026-13",
  ])("rejects %s", (text) => {
    expect(parseDayWords(text, TODAY)).toBeNull();
  });

  it.each([
    ["last monday", "2026-11-17", "2026-11-16"],
    ["last october", "2026-11-16", "2026-10-01"],
    ["last october", "2026-10-31", "2025-10-01"],
    ["november", "2026-11-01", "2026-11-01"],
    ["29 feb", "2026-11-16", "2024-02-29"],
    ["29 feb", "2028-02-28", "2024-02-29"],
    ["29 feb", "2028-02-29", "2028-02-29"],
    ["last 29 feb", "2028-02-29", "2024-02-29"],
    // 1900 had no 29 February.
    ["29 feb", "1904-02-28", "1896-02-29"],
  ])("parses %s, on %s, as beginning on %s", (text, today, first) => {
    expect(parseDayWords(text, today)?.first).toBe(first);
  });
});
