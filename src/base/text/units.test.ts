import { expect, it } from "vitest";
import { cost } from "./units.ts";

it("cost marks an incomplete sum with +, and says 'unpriced' if no price is known", () => {
  expect(cost({ cost_usd: 22.789, unpriced_models: ["house-model"] })).toBe("$22.79+");
  expect(cost({ cost_usd: 22.789, unpriced_models: [] })).toBe("$22.79");
  expect(cost({ cost_usd: null, unpriced_models: ["house-model"] })).toBe("unpriced");
  expect(cost({ cost_usd: null, unpriced_models: [] })).toBe("–");
});
