import { describe, expect, it } from "vitest";
import { addDays } from "../base/time/zone.ts";
import type { DayReport, ReportDay } from "../answers/report/model.ts";
import { dayRows } from "./over-days.ts";

const USAGE = { input_tokens: 1, cached_input_tokens: 0, cache_write_tokens: 0, output_tokens: 0, reasoning_tokens: 0 };

/** Three weeks, which are listed week by week; the given days of the first week differ. */
function weeks(first: readonly Partial<ReportDay["usage"]>[]): string[] {
  const days = Array.from({ length: 21 }, (_, i): ReportDay => {
    const usage = { ...USAGE, cost_usd: 1, unpriced_models: [], models: ["m"], ...first[i] };
    return { day: addDays("2026-05-04", i), turns: 1, duration_ms: 0, commits: 0, usage };
  });
  return dayRows({ days } as unknown as DayReport).map(({ cost }) => cost);
}

describe("the cost of several days together", () => {
  it("is their sum", () => {
    expect(weeks([])).toEqual(["$7.00", "$7.00", "$7.00"]);
  });

  it("has a + if some of it has no price", () => {
    expect(weeks([{ unpriced_models: ["house-model"] }])).toEqual(["$7.00+", "$7.00", "$7.00"]);
  });

  it("is a lower bound if the cost of a day is unknown, and unpriced if nothing has a price", () => {
    const unpriced = { cost_usd: null, unpriced_models: ["house-model"] };
    expect(weeks([unpriced])[0]).toBe("over $6.00");
    expect(weeks(Array.from({ length: 7 }, () => unpriced))[0]).toBe("unpriced");
  });
});
