import { describe, expect, it } from "vitest";
import type { UsageEvent } from "../turns/model.ts";
import { PriceTable } from "./pricing/price-table.ts";
import { UsageSum } from "./usage-sum.ts";

const NONE = { input_tokens: 0, cached_input_tokens: 0, cache_write_tokens: 0, cache_write_1h_tokens: 0 };

function event(model: string | null): UsageEvent {
  return {
    ...NONE,
    response_id: "r",
    line: 1,
    turn: null,
    time: 0,
    model,
    output_tokens: 1,
    reasoning_tokens: 0,
  };
}

describe("a sum of usage", () => {
  it("names the models of responses that have no price, and of sums that lack one", () => {
    const sum = new UsageSum(new PriceTable([]));
    sum.add(event("priced"), { micro: 2_000_000, pico: 0 });
    sum.add(event("partly"), { micro: 1_000_000, pico: 0, lacking: true });
    sum.add(event("never"), null);
    sum.add(event(null), null);
    expect(sum.view()).toMatchObject({ cost_usd: 3, unpriced_models: ["never", "partly", "unknown"] });
  });

  it("has a cost only if some of it is known, or nothing was spent", () => {
    const sum = new UsageSum(new PriceTable([]));
    expect(sum.view().cost_usd).toBe(0);
    sum.add(event("never"), null);
    expect(sum.view().cost_usd).toBeNull();
    const unstated = new UsageSum(new PriceTable([]));
    unstated.unstated();
    expect(unstated.view()).toMatchObject({ cost_usd: null, unpriced_models: [] });
  });
});
