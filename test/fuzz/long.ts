import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { scratch } from "../store/fixture.ts";
import { HomeFuzzing } from "./home-round.ts";
import { bystanderNames, Fuzzing } from "./round.ts";
import { fuzzStores } from "./stores.ts";

/**
 * `npm run fuzz`. `FUZZ_RECORDS`: number of mutated records; `FUZZ_SEED`: seed of the first round, with `FUZZ_ROUNDS=1`
 * to reproduce a failure; `FUZZ_SOURCE`: only this source; `FUZZ_LOG`: file for the failures found so far.
 */
const env = (name: string, fallback: number): number => Number(process.env[name] ?? fallback);

it("damaged files cause no crash, hang or wrong answer", { timeout: 2 ** 31 - 1 }, async () => {
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
