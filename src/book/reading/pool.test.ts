import { expect, it } from "vitest";
import { runInThreads, type Job } from "./pool.ts";

const PROGRAM = new URL("../../../test/fixtures/threads/dying.mjs", import.meta.url);

it.each([
  ["none", []],
  ["one among many small ones", [17]],
  ["several, the first and the last too", [0, 1, 20, 39]],
  ["all", Array.from({ length: 40 }, (_, i) => i)],
])("only the jobs that crash their thread are lost (%s)", async (_, deadly) => {
  const jobs = Array.from({ length: 40 }, (_one, index) => {
    const job: Job = { want: deadly.includes(index) ? "die" : "live", bytes: index % 7 };
    return { index, job };
  });
  const results = new Map<number, unknown>();
  const lost = (error: string): string => `lost: ${error}`;
  await runInThreads(jobs, { program: PROGRAM, threads: 2, batch: 64, lost }, (result, index) => {
    expect(results.has(index)).toBe(false);
    results.set(index, result);
  });
  expect(results.size).toBe(40);
  for (const { index } of jobs)
    expect(results.get(index)).toBe(deadly.includes(index) ? "lost: out of memory" : `done ${index}`);
});

// Results and the exit event of a thread arrive independently. While this thread is busy, both queue up.
it("results that a thread delivered before it crashed count, even if its exit is noticed first", async () => {
  const dead = new Int32Array(new SharedArrayBuffer(4));
  const jobs = ["live", "live", "die", "live"].map((want, index) => ({ index, job: { want, bytes: 1, dead } }));
  const results: string[] = [];
  await runInThreads(jobs, { program: PROGRAM, threads: 1, batch: 1, lost: () => "lost" }, (result, index) => {
    results.push(`${index}: ${String(result)}`);
    if (index === 0) Atomics.wait(dead, 0, 0);
  });
  expect(results).toEqual(["0: done 0", "1: done 1", "2: lost", "3: done 3"]);
});

it("a thread that exits without an error loses only its current job", async () => {
  const jobs = ["live", "end", "live"].map((want, index) => ({ index, job: { want, bytes: 1 } }));
  const results: string[] = [];
  await runInThreads(jobs, { program: PROGRAM, threads: 1, batch: 1, lost: String }, (result, index) => {
    results.push(`${index}: ${String(result)}`);
  });
  expect(results).toEqual(["0: done 0", "1: the thread ended with 3", "2: done 2"]);
});
