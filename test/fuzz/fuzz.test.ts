import { describe, expect, it } from "vitest";
import { scratch } from "../store/fixture.ts";
import { HomeFuzzing } from "./home-round.ts";
import { bystanderNames, Fuzzing } from "./round.ts";
import { fuzzStores } from "./stores.ts";

/** A short run of `npm run fuzz`: the same rounds every time. */
describe("a few rounds of fuzzing", () => {
  it("stores of all agents, changed in every way, stop nobody", async () => {
    const fuzzing = new Fuzzing(scratch("fuzz"), await fuzzStores(bystanderNames()));
    for (let seed = 1; seed <= 38; seed++) await fuzzing.round(seed);
    expect(fuzzing.found).toEqual([]);
    expect(fuzzing.records).toBeGreaterThan(5000);
  });

  it("nor do pages and indexes", async () => {
    const fuzzing = new HomeFuzzing(scratch("fuzz-home"));
    for (let seed = 1; seed <= 8; seed++) await fuzzing.round(seed);
    expect(fuzzing.found).toEqual([]);
  });
});
