import { expect, it } from "vitest";
import { inThreads, type Job } from "./pool.ts";

const PROGRAM = new URL("../../test/fixtures/threads/dying.mjs", import.meta.url);

it.each([
  ["none", []],
  ["one among many small ones", [17]],
  ["several, the first and the last too", [0, 1, 20, 39]],
  ["all", Array.from({ length: 40 }, (_, i) => i)],
])("of jobs that no thread survives (%s) only they are lost", async (_, deadly) => {
  const jobs = Array.from({ length: 40 }, (_one, index) => {
    const job: Job = { want: deadly.includes(index) ? "die" : "live", bytes: index % 7 };
    return { index, job };
  });
  const results = new Map<number, unknown>();
  const lost = (error: string): string => `lost: ${error}`;
  await inThreads(jobs, { program: PROGRAM, threads: 2, batch: 64, lost }, (result, index) => {
    expect(results.has(index)).toBe(false);
    results.set(index, result);
  });
  expect(results.size).toBe(40);
  for (const { index } of jobs)
    expect(results.get(index)).toBe(deadly.includes(index) ? "lost: out of memory" : `done ${index}`);
});
