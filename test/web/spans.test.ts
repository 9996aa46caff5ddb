import { expect, test } from "vitest";
import { cachedPercent, changeText, daysIn, everyDay, lastDays, spanBefore, stepOf } from "../../web/src/lib/spans.ts";

test("a span includes both its ends, and the span before it has as many days", () => {
  const week = lastDays(7, "2026-03-02");
  expect(week).toEqual({ since: "2026-02-24", until: "2026-03-02" });
  expect(daysIn(week)).toBe(7);
  expect(spanBefore(week)).toEqual({ since: "2026-02-17", until: "2026-02-23" });
  expect(everyDay(week)).toHaveLength(7);
  expect(everyDay({ since: "2026-03-02", until: "2026-03-01" })).toEqual([]);
});

test("long spans are drawn in wider steps", () => {
  expect(stepOf(lastDays(90, "2026-03-02"))).toBe("daily");
  expect(stepOf(lastDays(365, "2026-03-02"))).toBe("weekly");
  expect(stepOf(lastDays(1500, "2026-03-02"))).toBe("monthly");
});

test("a change is shown only if there is a value to compare with", () => {
  expect([changeText(3, 2), changeText(1, 2), changeText(2, 2), changeText(50, 1)]).toEqual([
    "+50 %",
    "−50 %",
    "unchanged",
    "50×",
  ]);
  expect([changeText(1, 0), changeText(null, 1), changeText(1, null)]).toEqual([null, null, null]);
});

test("the cached percentage is relative to all input tokens, and null without any", () => {
  expect(cachedPercent({ input_tokens: 10, cached_input_tokens: 80, cache_write_tokens: 10 })).toBe(80);
  expect(cachedPercent({ input_tokens: 0, cached_input_tokens: 0, cache_write_tokens: 0 })).toBeNull();
});
