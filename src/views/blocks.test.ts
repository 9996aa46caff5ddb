import { expect, it } from "vitest";
import { blocksOf, lastPause } from "./blocks.ts";
import { PriceTable } from "./pricing/price-table.ts";
import type { CountedResponse } from "./response.ts";

const MINUTE = 60_000;
const START = Date.UTC(2026, 8, 7, 8, 20);

/** A response the given number of minutes after 08:20, with a thousand tokens and a cost of one cent. */
function response(minutes: number, more: Partial<CountedResponse> = {}): CountedResponse {
  return {
    source: "any",
    session_id: "s",
    model: "m",
    time: START + minutes * MINUTE,
    input_tokens: 100,
    cached_input_tokens: 700,
    cache_write_tokens: 100,
    cache_write_1h_tokens: 0,
    output_tokens: 100,
    reasoning_tokens: 0,
    response_id: "r",
    owner: null,
    owner_time: null,
    pico: 1e10,
    ...more,
  };
}

const blocks = (minutes: readonly number[], now: number, tokenLimit?: number | "max"): ReturnType<typeof blocksOf> =>
  blocksOf(
    minutes.map((at) => response(at)),
    { now: START + now * MINUTE, hours: 5, tokenLimit },
    new PriceTable(),
  );

it("a block starts at the full hour of its first response and lasts five hours; a pause that long is a gap", () => {
  expect(blocks([0, 279, 281, 900], 5000).map(({ id, responses, is_gap }) => [id, responses, is_gap])).toEqual([
    ["2026-09-07T08:00:00.000Z", 2, false],
    ["2026-09-07T13:00:00.000Z", 1, false],
    ["gap-2026-09-07T18:01:00.000Z", 0, true],
    ["2026-09-07T23:00:00.000Z", 1, false],
  ]);
});

it("only the active block has a burn rate, from its first response to its last, and a projection", () => {
  const [block] = blocks([0, 60], 100);
  expect(block).toMatchObject({
    is_active: true,
    total_tokens: 2000,
    cost_usd: 0.02,
    first_response: "2026-09-07T08:20:00.000Z",
    burn_rate: { tokens_per_minute: 2000 / 60, fresh_tokens_per_minute: 400 / 60, cost_usd_per_hour: 0.02 },
    // 180 minutes are left until 13:00.
    projection: { remaining_minutes: 180, total_tokens: 8000, cost_usd: 0.08 },
  });
  expect(blocks([0], 10)[0]).toMatchObject({ is_active: true, burn_rate: null, projection: null });
  expect(blocks([0, 60], 281)[0]).toMatchObject({ is_active: false, burn_rate: null, projection: null });
});

it("a limit is a number of tokens, or with 'max' the tokens of the largest finished block", () => {
  expect(blocks([0, 60], 100, 10_000)[0]?.limit).toEqual({ tokens: 10_000, projected_percent: 80, status: "ok" });
  expect(blocks([0, 60], 100, 9_999)[0]?.limit?.status).toBe("warning");
  expect(blocks([0, 60], 100, 7_999)[0]?.limit?.status).toBe("exceeds");
  expect(blocks([-1000, -990, 0, 60], 100, "max").at(-1)?.limit?.tokens).toBe(2000);
  expect(blocks([0, 60], 100, "max")[0]?.limit).toBeUndefined();
});

it("a block lists models without a price and leaves out their cost; a response without a time is in no block", () => {
  const unpriced = response(60, { pico: null, model: "house-model" });
  const untimed = response(0, { time: null });
  const now = START + 100 * MINUTE;
  const [block, ...more] = blocksOf([untimed, response(0), unpriced], { now, hours: 5 }, new PriceTable());
  expect(more).toEqual([]);
  expect(block).toMatchObject({ responses: 2, cost_usd: 0.01, unpriced_models: ["house-model"] });
});

it("lastPause finds the first response after the last pause that is longer than a block", () => {
  const responses = [-4000, -3000, -2900, 0, 60].map((minutes) => response(minutes));
  expect(lastPause(responses, 5)).toBe(3);
  expect(lastPause(responses.slice(3), 5)).toBe(0);
});
