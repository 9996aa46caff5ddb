import { describe, expect, it } from "vitest";
import { scratch } from "../store/fixture.ts";
import { HomeFuzzing } from "./home-round.ts";
import { bystanderNames, Fuzzing } from "./round.ts";
import { fuzzStores } from "./stores.ts";

/** A short run of `npm run fuzz` with fixed seeds. */
describe("fuzzing", () => {
  it("session files of all agents: no crash, no hang, and other sessions are read as before", async () => {
    const fuzzing = new Fuzzing(scratch("fuzz"), await fuzzStores(bystanderNames()));
    for (let seed = 1; seed <= 38; seed++) await fuzzing.round(seed);
    expect(fuzzing.found).toEqual([]);
    expect(fuzzing.records).toBeGreaterThan(5000);
  });

  it("pages and index: no crash, and sessions of untouched pages are answered as before", async () => {
    const fuzzing = new HomeFuzzing(scratch("fuzz-home"));
    for (let seed = 1; seed <= 8; seed++) await fuzzing.round(seed);
    expect(fuzzing.found).toEqual([]);
  });
});
