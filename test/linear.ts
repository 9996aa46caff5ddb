import { expect } from "vitest";

const RUNS = 3;

/**
 * Expects `work` to take time proportional to the length of its text, even for a repetitive text made to
 * be slow. Compares the CPU time for a text and for one eight times as long, so that a slow or busy machine makes no
 * difference.
 */
export function expectLinear(piece: string, maxLength: number, work: (text: string) => void): void {
  const cost = (length: number): number => {
    const text = piece.repeat(Math.ceil(length / piece.length));
    const start = process.cpuUsage();
    work(text);
    return process.cpuUsage(start).user;
  };
  // Warm up.
  cost(maxLength / 16);
  // Other processes only add time: the least of several runs is the truest.
  const short = Math.min(...Array.from({ length: RUNS }, () => cost(maxLength / 8)));
  // Eight times the text takes 8 times as long if linear, 64 times if quadratic. Times below 4 ms are noise.
  const limit = Math.max(short, 4000) * 30;
  // A run below the limit shows that no more is needed.
  let long = cost(maxLength);
  for (let run = 1; run < RUNS && long >= limit; run++) long = Math.min(long, cost(maxLength));
  expect(long, piece).toBeLessThan(limit);
}
