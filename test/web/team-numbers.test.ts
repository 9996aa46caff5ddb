import { describe, expect, it } from "vitest";

import { cachedShare, costOf, failedShare, known, tokensOf, type Group } from "../../web/src/team/numbers.ts";

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

describe("numbers of a group on the team's page", () => {
  it("are sums of what is known", () => {
    expect([costOf(GROUP), tokensOf(GROUP), cachedShare(GROUP), failedShare(GROUP)]).toEqual(["$1.50", 550, 60, 10]);
    expect([failedShare({ ...GROUP, calls: 0 }), known(0, String)]).toEqual([null, "0"]);
  });

  it("are unknown, and not 0, when a part is withheld", () => {
    for (const part of ["input_tokens", "cached_input_tokens", "cache_write_tokens", "output_tokens"] as const)
      expect([part, tokensOf({ ...GROUP, [part]: null })]).toEqual([part, null]);
    expect(cachedShare({ ...GROUP, cached_input_tokens: null })).toBe(null);
    expect([failedShare({ ...GROUP, failed_calls: null }), failedShare({ ...GROUP, calls: null })]).toEqual([
      null,
      null,
    ]);
    expect([costOf({ ...GROUP, cost_usd: null }), known(null, String)]).toEqual(["–", "–"]);
  });

  it("say of a cost that it may not include everything", () => {
    expect(costOf({ ...GROUP, unpriced_responses: 3 })).toBe("$1.50+");
    expect(costOf({ ...GROUP, unpriced_responses: null })).toBe("$1.50+");
    expect(costOf({ ...GROUP, unpriced_responses: 3, cost_usd: 0 })).toBe("no price");
    expect(costOf({ ...GROUP, unpriced_responses: null, cost_usd: 0 })).toBe("–");
  });
});
