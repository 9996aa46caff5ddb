import * as fc from "fast-check";
import { expect, it } from "vitest";
import { packState, unpackState } from "./packed-state.ts";

it("gives back what JSON would", () => {
  const field = fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue(), { minLength: 150, maxLength: 450 }));
  fc.assert(
    fc.property(fc.dictionary(fc.string(), field), (state) => {
      const clean = JSON.parse(JSON.stringify(state)) as object;
      expect(JSON.stringify(unpackState(packState(clean)))).toBe(JSON.stringify(clean));
    }),
    { numRuns: 60 },
  );
});

it("holds lists of many frames in order", () => {
  const list = Array.from({ length: 30_000 }, (_, i) => ({ i, text: "line\nbreak \u2028 数据 ".repeat(5) }));
  const state = { first: 1, nested: { list, none: null, gone: undefined }, last: [true] };
  expect(unpackState(packState(state))).toEqual(JSON.parse(JSON.stringify(state)));
});
