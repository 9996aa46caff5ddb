import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Tokens } from "../../record/record.ts";
import { DATA } from "../../places.ts";
import { PriceTable, type ModelMatch, type PricedModel } from "./price-table.ts";
import { PRICES_VERSION } from "./prices-version.ts";

const NONE: Tokens = {
  input_tokens: 0,
  cached_input_tokens: 0,
  cache_write_tokens: 0,
  cache_write_1h_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
};
const M = 1_000_000;
const PRICES: unknown = JSON.parse(readFileSync(new URL("prices.json", DATA), "utf8"));

/** A price finer than six decimals would be rounded. */
const dollars = z.number().nonnegative().multipleOf(1e-6);
const price = z
  .union([
    dollars,
    z.strictObject({
      base: dollars,
      tiers: z.array(z.strictObject({ start: z.int().positive(), price: dollars })).min(1),
    }),
  ])
  .exactOptional();
const time = z.iso.time({ precision: -1 });
const name = z.string().min(1);
const match: z.ZodType<ModelMatch> = z.union([
  z.strictObject({ equals: name }),
  z.strictObject({ starts_with: name }),
  z.strictObject({ ends_with: name }),
  z.strictObject({ contains: name }),
  z.strictObject({ regex: name.refine((text) => new RegExp(text)) }),
  z.strictObject({ or: z.array(z.lazy(() => match)).min(1) }),
  z.strictObject({ and: z.array(z.lazy(() => match)).min(1) }),
]);
/** The shape that `PriceTable` relies on when it reads the file. */
const models: z.ZodType<PricedModel[]> = z.array(
  z.strictObject({
    provider: name,
    id: name,
    match,
    prices: z
      .array(
        z.strictObject({
          from: z.iso.date().nullable(),
          utc_hours: z
            .tuple([time, time])
            .refine(([from, to]) => from < to)
            .exactOptional(),
          input_mtok: price,
          cache_read_mtok: price,
          cache_write_mtok: price,
          cache_write_1h_mtok: price,
          output_mtok: price,
        }),
      )
      .min(1),
  }),
);

describe("a price table", () => {
  const table = new PriceTable([
    {
      provider: "p",
      id: "m",
      match: { starts_with: "m-" },
      prices: [
        {
          from: null,
          input_mtok: 3,
          cache_read_mtok: 0.3,
          cache_write_mtok: 3.75,
          cache_write_1h_mtok: 6,
          output_mtok: 15,
        },
        { from: "2026-03-13", input_mtok: 1, output_mtok: 5 },
      ],
    },
    {
      provider: "p",
      id: "t",
      match: { equals: "tiered" },
      prices: [{ from: null, input_mtok: { base: 1, tiers: [{ start: 200_000, price: 2 }] }, output_mtok: 1 }],
    },
  ]);
  const early = Date.parse("2026-01-01T00:00:00Z");
  const late = Date.parse("2026-03-13T00:00:00Z");

  it("prices fresh input, cache reads, both kinds of cache writes, and output separately", () => {
    expect(table.cost("m-1", { ...NONE, input_tokens: M }, early)).toBe(3e12);
    expect(table.cost("m-1", { ...NONE, cached_input_tokens: M }, early)).toBe(0.3e12);
    expect(table.cost("m-1", { ...NONE, cache_write_tokens: 2 * M, cache_write_1h_tokens: M }, early)).toBe(9.75e12);
    expect(table.cost("m-1", { ...NONE, output_tokens: M, reasoning_tokens: M }, early)).toBe(15e12);
  });

  it("applies a new price from its first day on", () => {
    expect(table.cost("m-1", { ...NONE, input_tokens: M }, late - 1)).toBe(3e12);
    expect(table.cost("m-1", { ...NONE, input_tokens: M }, late)).toBe(1e12);
  });

  it("applies a higher tier to the whole request once its input exceeds the threshold", () => {
    expect(table.cost("tiered", { ...NONE, input_tokens: 200_000 }, early)).toBe(200_000 * 1e6);
    expect(table.cost("tiered", { ...NONE, input_tokens: 100_000, cached_input_tokens: 100_001 }, early)).toBe(
      200_001 * 2e6,
    );
  });

  it("returns null, not zero, for an unknown model", () => {
    expect(table.cost("other", { ...NONE, input_tokens: 1 }, early)).toBeNull();
    expect(table.cost(null, { ...NONE, input_tokens: 1 }, early)).toBeNull();
  });

  it("has prices for common models in its bundled version, with and without a router's prefix", () => {
    const bundled = new PriceTable();
    for (const model of ["claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4-5-20250929", "gpt-5.1-codex"]) {
      expect(bundled.cost(model, { ...NONE, output_tokens: 1000 }, late)).toBeGreaterThan(0);
    }
  });

  it("prices a day by the prices of that day", () => {
    const bundled = new PriceTable();
    const tokens = { ...NONE, input_tokens: 10_000, cached_input_tokens: 200_000, output_tokens: 1000 };
    const dollars = (day: string, more: Partial<Tokens> = {}): number =>
      (bundled.cost("gpt-5.6-sol", { ...tokens, ...more }, Date.parse(day)) ?? 0) / 1e12;
    expect(dollars("2026-08-20T23:59:59Z")).toBe((10_000 * 5 + 200_000 * 0.5 + 1000 * 30) / 1e6);
    expect(dollars("2026-08-21T00:00:00Z")).toBe((10_000 * 4 + 200_000 * 0.4 + 1000 * 20) / 1e6);
    // A request with 272,000 input tokens or more costs twice as much for all its input, and half again for its output.
    expect(dollars("2026-09-01T00:00:00Z", { cached_input_tokens: 262_000 })).toBe(
      (10_000 * 8 + 262_000 * 0.8 + 1000 * 30) / 1e6,
    );
  });

  it("prices an hour by the prices of that hour", () => {
    const bundled = new PriceTable();
    const dollars = (model: string, time: string): number =>
      (bundled.cost(model, { ...NONE, input_tokens: M }, Date.parse(time)) ?? Number.NaN) / 1e12;
    expect(dollars("deepseek-chat", "2025-06-02T00:29:59Z")).toBe(0.135);
    expect(dollars("deepseek-chat", "2025-06-02T00:30:00Z")).toBe(0.27);
    expect(dollars("deepseek-chat", "2025-06-02T16:29:59Z")).toBe(0.27);
    expect(dollars("deepseek-chat", "2025-06-02T16:30:00Z")).toBe(0.135);
    // Before the first day of its hours, a model has one price all day.
    expect(dollars("deepseek-v4-flash", "2026-08-16T02:00:00Z")).toBe(0.14);
    expect(dollars("deepseek-v4-flash", "2026-08-18T02:00:00Z")).toBe(0.44);
    expect(dollars("deepseek-v4-flash", "2026-08-18T05:00:00Z")).toBe(0.22);
  });

  it("has a version that changes with any price, because stored costs depend on it", () => {
    const hash = createHash("sha256")
      .update(JSON.stringify(PRICES, null, 1))
      .digest("hex");
    expect(PRICES_VERSION).toMatch(new RegExp(`^\\d+\\.\\d+\\.\\d+ ${hash.slice(0, 8)}$`));
  });

  it("is read from a file whose every model has the shape that is relied on", () => {
    const read = models.parse(PRICES);
    expect(read.length).toBeGreaterThan(200);
    // The last price that is in force counts, so later ones must follow.
    for (const { id, prices } of read) {
      const days = prices.map(({ from }) => from ?? "");
      expect([id, days]).toEqual([id, days.toSorted()]);
    }
  });

  it("has prices for the GLM models", () => {
    const bundled = new PriceTable();
    const price = (model: string): (number | null)[] =>
      [{ input_tokens: M }, { cached_input_tokens: M }, { output_tokens: M }].map((tokens) => {
        const cost = bundled.cost(model, { ...NONE, ...tokens }, late);
        return cost === null ? null : cost / 1e12;
      });
    expect(price("glm-4.6")).toEqual([0.6, 0.11, 2.2]);
    expect(price("GLM-4.5-Air")).toEqual([0.2, 0.03, 1.1]);
    expect(price("z-ai/glm-5")).toEqual([1, 0.2, 3.2]);
    expect(price("glm-5.3")).toEqual([1.4, 0.26, 4.4]);
    for (const model of ["glm-4.5", "glm-4.7", "glm-5-turbo", "glm-5.1", "glm-5.2", "glm-5.3-flash"])
      expect([model, price(model).includes(null)]).toEqual([model, false]);
    expect(bundled.providerOf("glm-4.6")).toBe("zai");
    expect(price("glm-99")).toEqual([null, null, null]);
  });

  it("knows the provider of a model, even of a new model of a known family", () => {
    const table = new PriceTable();
    expect(table.providerOf("gpt-5.1-codex")).toBe("openai");
    expect(table.providerOf("gpt-99-next")).toBe("openai");
    expect(table.providerOf("anthropic/claude-sonnet-4-5-20250929")).toBe("anthropic");
    expect(table.providerOf("nobody-1")).toBeNull();
  });
});
