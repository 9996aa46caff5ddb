import { describe, expect, it } from "vitest";
import { Zone } from "../../base/time/zone.ts";
import { marksOf } from "./policy.ts";

const zone = new Zone("UTC");
const NOW = Date.UTC(2026, 4, 31, 12);
const day = (date: Date | null): string | null => date && zone.day(date.getTime());

function marks(texts: number | null, calls: number | null, turns: number | null): (string | null)[] {
  const found = marksOf({ texts, calls, turns }, zone, NOW);
  return [day(found.texts), day(found.calls), day(found.turns)];
}

describe("what a retention policy removes", () => {
  it("is older than its number of whole days", () => {
    expect(marks(10, 20, 30)).toEqual(["2026-05-21", "2026-05-11", "2026-05-01"]);
    expect(marks(null, null, null)).toEqual([null, null, null]);
    expect(marks(10, null, null)).toEqual(["2026-05-21", null, null]);
  });

  it("includes texts and calls of turns that are removed, though they would be kept longer, or forever", () => {
    expect(marks(90, 90, 30)).toEqual(["2026-05-01", "2026-05-01", "2026-05-01"]);
    expect(marks(null, null, 30)).toEqual(["2026-05-01", "2026-05-01", "2026-05-01"]);
  });
});
