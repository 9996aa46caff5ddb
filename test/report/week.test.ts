import { describe, expect, it } from "vitest";
import { Daybook } from "../../src/answers/daybook.ts";
import type { DayReport, DaySums } from "../../src/answers/report/model.ts";
import { renderMarkdown } from "../../src/render/markdown.ts";
import { renderSummary } from "../../src/render/summary.ts";
import { displayWidth } from "../../src/base/text/inert.ts";
import { NO_COLOUR } from "./formats.ts";
import { month, MONTH_ROOTS } from "./month.ts";

const WEEKS = ["2026-09-07", "2026-09-14"] as const;
const sumsOf = ({ totals: { turns, duration_ms, commits, usage } }: DayReport): DaySums => ({
  turns,
  duration_ms,
  commits,
  usage,
});

describe("week report", () => {
  it.each([false, true])(
    "has days that add up to its totals and equal the reports of the single days (book: %s)",
    async (withBook) => {
      const daybook = month(withBook);
      for (const date of WEEKS) {
        const week = await daybook.report({ week: true, date });
        expect(week.days).toHaveLength(7);
        for (const key of ["turns", "duration_ms", "commits"] as const)
          expect(week.days.reduce((sum, day) => sum + (day[key] ?? Number.NaN), 0)).toBe(week.totals[key]);
        for (const { day, ...sums } of week.days) {
          const own = await daybook.report({ date: day });
          expect(sums).toEqual(sumsOf(own));
          expect(own.days).toEqual([]);
          expect(own.before).toBeNull();
        }
      }
      daybook.close();
    },
  );

  it.each([false, true])("is compared with the totals of the previous week's report (book: %s)", async (withBook) => {
    const daybook = month(withBook);
    const [first, second] = await Promise.all(WEEKS.map((date) => daybook.report({ week: true, date })));
    if (!first || !second) throw new Error("expected two weeks");
    expect(second.before).toEqual({ since: "2026-09-07", until: "2026-09-13", ...sumsOf(first) });
    expect(first.before).toMatchObject({ since: "2026-08-31", until: "2026-09-06", turns: 0, commits: 0 });
    // Any other span is compared with the same number of days just before it.
    const days = await daybook.report({ since: "2026-09-16", until: "2026-09-18" });
    const before = await daybook.report({ since: "2026-09-13", until: "2026-09-15" });
    expect(days.before).toEqual({ since: "2026-09-13", until: "2026-09-15", ...sumsOf(before) });
    daybook.close();
  });

  it("covers a running week up to today and compares it with the same days of the previous week", async () => {
    const now = Date.parse("2026-09-16T10:00:00Z");
    const options = { roots: MONTH_ROOTS, timezone: "Europe/Berlin", env: {}, home: "/nowhere", now };
    const week = await new Daybook(options).report({ week: true });
    expect(week.days.map(({ day }) => day)).toEqual(["2026-09-14", "2026-09-15", "2026-09-16"]);
    expect(week.before).toMatchObject({ since: "2026-09-07", until: "2026-09-09" });
    expect(renderSummary(week, NO_COLOUR, 100)).toContain("Against the same days of the week before, 7 – 9 Sep:");
  });

  it("fits on one screen, with sections for days, projects, loose ends, finished work and cost", async () => {
    const daybook = month();
    const week = await daybook.report({ week: true, date: "2026-09-16" });
    daybook.close();
    for (const width of [60, 80, 120]) {
      const lines = renderSummary(week, NO_COLOUR, width, 50).trimEnd().split("\n");
      expect(lines.length).toBeLessThanOrEqual(52);
      for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
      const headings = lines
        .filter((line, i) => lines[i - 1] === "" && /^\w/.test(line))
        .map((line) => line.split("  ")[0]);
      expect(headings).toEqual(expect.arrayContaining(["Days", "Projects", "Waiting for you", "Finished", "Cost"]));
      const busyDay = lines.find((line) => line.startsWith("  Tue 15 Sep")) ?? "";
      const quietDay = lines.find((line) => line.startsWith("  Fri 18 Sep")) ?? "";
      expect(busyDay.split("█").length).toBeGreaterThan(quietDay.split("█").length);
    }
    const text = renderMarkdown(week);
    expect(text).toContain("Against the week before, 7 – 13 Sep: 69 requests (−28)");
    expect(text).toContain("| Tue 15 Sep | 16 |");
    expect(text).toContain("| shop-api | 40 % |");
  });

  it("groups a longer span by weeks, and a still longer one by months", async () => {
    const daybook = month();
    const long = renderSummary(await daybook.report({ since: "2026-08-20", until: "2026-09-30" }), NO_COLOUR, 100);
    expect(long).toContain("  7 – 13 Sep ");
    const longer = renderSummary(await daybook.report({ since: "2026-01-01", until: "2026-09-30" }), NO_COLOUR, 100);
    daybook.close();
    expect(longer).toContain("  Sep 2026 ");
    expect(longer).not.toContain("7 – 13 Sep ");
  });
});
