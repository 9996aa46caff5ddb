import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { scratch } from "../store/fixture.ts";
import { HomeFuzzing } from "./home-round.ts";
import { bystanderNames, Fuzzing } from "./round.ts";
import { fuzzStores } from "./stores.ts";

/**
 * `npm run fuzz`. `FUZZ_RECORDS`: how many changed records to try; `FUZZ_SEED`: the first round, to see a find again with
 * `FUZZ_ROUNDS=1`; `FUZZ_SOURCE`: one agent alone; `FUZZ_LOG`: a file for what was found so
 * far.
 */
const env = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

it("stop nobody", { timeout: 2 ** 31 - 1 }, async () => {
  const most = env("FUZZ_RECORDS", 100_000);
  const first = env("FUZZ_SEED", 1000);
  const rounds = env("FUZZ_ROUNDS", Number.POSITIVE_INFINITY);
  const fuzzing = new Fuzzing(scratch("fuzz"), await fuzzStores(bystanderNames()));
  const homes = new HomeFuzzing(scratch("fuzz-home"));
  const log = process.env["FUZZ_LOG"];
  for (let n = 0; n < rounds && fuzzing.records < most; n++) {
    await fuzzing.round(first + n, process.env["FUZZ_SOURCE"]);
    if (n % 10 === 0) await homes.round(first + n);
    if (n % 200 !== 0 && n + 1 < rounds) continue;
    const { records, slowest } = fuzzing;
    const found = [...fuzzing.found, ...homes.found];
    const summary = `${n + 1} rounds, ${records} records, ${found.length} finds, slowest step ${slowest.toFixed(2)} s`;
    process.stderr.write(`${summary}\n`);
    if (log !== undefined) writeFileSync(log, `${summary}\n${JSON.stringify(found, null, 1)}\n`);
  }
  process.stderr.write(`${fuzzing.rounds} rounds, ${fuzzing.records} records\n`);
  expect([...fuzzing.found, ...homes.found]).toEqual([]);
});
