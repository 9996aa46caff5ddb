import { expect, it } from "vitest";
import { PriceTable } from "../../views/pricing/price-table.ts";
import { sumOf, type StoredSum } from "./stored-sums.ts";

function sum(model: string, pico: number | null, unpriced: number): StoredSum {
  const tokens = { input: "1", cached: "2", written: "3", written_1h: "0", output: "4", reasoning: "0" };
  return {
    ...tokens,
    session_id: "s",
    turn: null,
    model,
    pico: pico === null ? null : String(pico),
    unpriced: String(unpriced),
  };
}

it("sums of a store that lack the price of a response name its model", () => {
  const rows = [sum("priced", 2e12, 0), sum("partly", 1e12, 1), sum("never", null, 2), sum("", null, 1)];
  expect(sumOf(rows, new PriceTable([]))).toMatchObject({
    input_tokens: 4,
    output_tokens: 16,
    cost_usd: 3,
    unpriced_models: ["never", "partly", "unknown"],
    models: ["never", "partly", "priced", "unknown"],
  });
});
