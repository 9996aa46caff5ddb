import { expect, test } from "vitest";
import type { UsageRow } from "../../../views/usage-view.ts";
import { turnNamed, usageShares } from "./questions.ts";

const row = (period: string, tokens: number, cost_usd: number | null, unpriced_models: string[] = []): UsageRow => ({
  period,
  input_tokens: tokens,
  cached_input_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  cost_usd,
  unpriced_models,
  models: [],
});

test("usageShares sums rows by name, and a cost without any price stays null", () => {
  const rows = [row("a/1", 10, 1), row("b/1", 5, null, ["m"]), row("a/2", 1, null, ["m"]), row("a/3", 2, 0.5, ["k"])];
  expect(usageShares(rows, ({ period }) => period.split("/")[0] ?? "")).toEqual([
    { name: "a", tokens: 13, cost_usd: 1.5, unpriced_models: ["k", "m"] },
    { name: "b", tokens: 5, cost_usd: null, unpriced_models: ["m"] },
  ]);
});

test("turnNamed splits a turn's name at its first and last slash, and returns null for unowned usage", () => {
  expect(turnNamed("s/a/b/T0012")).toEqual({ source: "s", session_id: "a/b", turn_ref: "T0012" });
  expect(turnNamed("s/a/unowned")).toBeNull();
});
