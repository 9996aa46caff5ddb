import * as fc from "fast-check";
import { expect, it } from "vitest";
import { FirstPlaces } from "./first-places.ts";

it("FirstPlaces returns the first place of every number, like a Map", () => {
  // Few distinct low bits, so that many ids hash to the same slot.
  const id = fc.tuple(fc.nat(3), fc.nat(2 ** 21 - 1)).map(([low, high]) => high * 2 ** 32 + low);
  fc.assert(
    fc.property(fc.array(fc.tuple(id, fc.nat(50)), { maxLength: 3000, size: "max" }), (pairs) => {
      const [firsts, map] = [new FirstPlaces(), new Map<number, number>()];
      for (const [number, place] of pairs) {
        if (!map.has(number)) map.set(number, place);
        expect(firsts.firstPlaceOf(number, place)).toBe(map.get(number));
      }
    }),
    { numRuns: 20 },
  );
});
