import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitCost, type KnownCost } from "../../views/pricing/cost.ts";
import type { UsageEvent } from "../../turns/model.ts";
import type { UsageBody } from "../../record/record.ts";
import { packUsage as pack, unpackOnce, type PackedUsage } from "./packed-usage.ts";
import { Spending } from "../../turns/spending.ts";
import { UsageGathering } from "./usage-gathering.ts";

const MODELS = ["small", "large", "unpriced", null];

/** Another file may state the same response with other numbers, which shows which statement is counted. */
const response = fc.record({
  response_id: fc.integer({ min: 0, max: 60 }).map((n) => `r${n}`),
  model: fc.constantFrom(...MODELS),
  time: fc.option(fc.integer({ min: -2_000_000, max: 40_000_000 })),
  input_tokens: fc.nat(1000),
});
const files = fc.array(fc.array(response, { maxLength: 6 }), { maxLength: 12 });

function packed(responses: readonly { response_id: string; model: string | null; time: number | null }[]): PackedUsage {
  const spending = new Spending();
  for (const one of responses) spending.take({ ...NOTHING, ...one }, 1, one.time, null);
  return pack(spending.responses.all());
}

const NOTHING: UsageBody = {
  type: "usage",
  response_id: "",
  model: null,
  verdict: "counted",
  input_tokens: 0,
  cached_input_tokens: 0,
  cache_write_tokens: 0,
  cache_write_1h_tokens: 0,
  output_tokens: 1,
  reasoning_tokens: 0,
};

/** Even a priced model has responses without a price: they contain a kind of token that has no price. */
const picoOf = ({ model, input_tokens }: UsageEvent): number | null =>
  model === "unpriced" || model === null || input_tokens % 3 === 1 ? null : input_tokens * 1_999_999;
const costOf = (event: UsageEvent): KnownCost | null => {
  const pico = picoOf(event);
  return pico === null ? null : splitCost(pico);
};

type Sum = [responses: number, input: number, cost: number, unpriced: boolean];

function sums(
  items: Iterable<{ event: UsageEvent; pico: number | null; lacking?: true | undefined }>,
): Record<string, Sum> {
  const out: Record<string, Sum> = {};
  for (const { event, pico, lacking } of items) {
    const key = `${event.time === null ? null : Math.floor(event.time / 900_000)} ${event.model}`;
    const sum = (out[key] ??= [0, 0, 0, false]);
    sum[0] += event.output_tokens;
    sum[1] += event.input_tokens;
    sum[2] += pico ?? 0;
    sum[3] ||= pico === null || lacking === true;
  }
  return Object.fromEntries(Object.entries(out).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

describe("usage gathered file by file", () => {
  it("counts each response once, with the same sums in any order of the files", () => {
    fc.assert(
      fc.property(files, fc.func(fc.nat()), (all, shuffle) => {
        const packs = all.map(packed);
        const gathering = new UsageGathering(costOf);
        const order = packs.map((_, place) => place).toSorted((a, b) => shuffle(a) - shuffle(b));
        for (const place of order) gathering.take(place, packs[place] as PackedUsage);
        const gathered = [...gathering.groups()].map(({ event, cost }) => ({
          event,
          pico: cost === null ? null : cost.micro * 1e6 + cost.pico,
          lacking: cost?.lacking,
        }));
        const once = [...unpackOnce(packs)].map((event) => ({ event, pico: picoOf(event) }));
        expect(sums(gathered)).toEqual(sums(once));
      }),
      { numRuns: 500 },
    );
  });
});
