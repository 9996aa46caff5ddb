import { describe, expect, it } from "vitest";

import { budgetOf, changeNote, comparedSpans, sumOfWeeks } from "../../web/src/team/compared.ts";
import { csvOf } from "../../web/src/team/csv.ts";
import type { Group } from "../../web/src/team/numbers.ts";

const GROUP: Group = {
  name: "shop",
  hidden_groups: 0,
  people: 5,
  turns: 10,
  calls: 40,
  failed_calls: 4,
  responses: 30,
  unpriced_responses: 0,
  input_tokens: 100,
  cached_input_tokens: 300,
  cache_write_tokens: 100,
  output_tokens: 50,
  reasoning_tokens: 20,
  cost_usd: 1.5,
};
const week = (name: string, cost_usd: number | null): Group => ({ ...GROUP, name, cost_usd });
/** A Thursday. */
const TODAY = "2026-11-19";

describe("what a span is compared with", () => {
  it("leaves a lead's running week out", () => {
    const weeks = comparedSpans({ since: "2026-10-26", until: TODAY }, TODAY, true);
    expect(weeks).toEqual({
      now: { since: "2026-10-26", until: "2026-11-15" },
      before: { since: "2026-10-05", until: "2026-10-25" },
    });
    expect(weeks && changeNote(112, 100, weeks, TODAY)).toBe("+12 % on the 3 weeks before, this week left out");
    expect(comparedSpans({ since: "2026-11-16", until: TODAY }, TODAY, true)).toBe(null);
    const days = comparedSpans({ since: "2026-11-13", until: TODAY }, TODAY, false);
    expect(days?.before).toEqual({ since: "2026-11-06", until: "2026-11-12" });
    expect(days && changeNote(90, 100, days, TODAY)).toBe("−10 % on the week before");
    expect(days && [changeNote(90, 0, days, TODAY), changeNote(null, 100, days, TODAY)]).toEqual([null, null]);
  });

  it("is unknown if a week shows nothing, or not this number", () => {
    const span = { since: "2026-11-02", until: "2026-11-15" };
    const both = [week("2026-11-02", 3), week("2026-11-09", 4), week("2026-11-16", 9)];
    const cost = ({ cost_usd }: Group): number | null => cost_usd;
    expect(sumOfWeeks(both, span, cost)).toBe(7);
    expect(sumOfWeeks(both.slice(1), span, cost)).toBe(null);
    expect(sumOfWeeks([week("2026-11-02", null), week("2026-11-09", 4)], span, cost)).toBe(null);
  });

  it("has its days of a monthly budget", () => {
    expect(budgetOf(1000, { since: "2026-11-01", until: "2026-11-30" }, 985.6)).toEqual({ text: "$986", percent: 100 });
    expect(budgetOf(1000, { since: "2026-11-01", until: "2026-11-30" }, null).percent).toBe(null);
  });
});

it("a table of a team's numbers has no cell that a spreadsheet executes, and no number for one that is withheld", () => {
  const names = ["=1+1", "+a", "-a", "@a", 'a"b', "a,b", "a\nb", "shop", null];
  const groups = names.map((name) => ({ ...GROUP, name, cost_usd: null, hidden_groups: name === null ? 2 : 0 }));
  const lines = csvOf([{ by: "project", since: "2026-11-16", until: "2026-11-22", groups }]).split("\r\n");
  expect(lines[0]).toMatch(/^since,until,by,name,hidden_groups,people,turns,.*,cost_usd$/);
  const cells = lines
    .slice(1, -1)
    .map((line) => line.replace("2026-11-16,2026-11-22,project,", "").replace(/,\d+,5,10,.*$/s, ""));
  expect(cells).toEqual(["'=1+1", "'+a", "'-a", "'@a", '"a""b"', '"a,b"', '"a\nb"', "shop", ""]);
  expect(lines.slice(1, -1).every((line) => line.endsWith(","))).toBe(true);
});
