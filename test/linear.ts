import { expect } from "vitest";

/**
 * Expects `work` to take time proportional to the length of its text, even for a repetitive text made to
 * be slow. Compares the CPU time for a text and for one eight times as long, so that a slow or busy machine makes no
 * difference.
 */
export function expectLinear(piece: string, maxLength: number, work: (text: string) => void): void {
  const cost = (length: number): number => {
    const text = piece.repeat(Math.ceil(length / piece.length));
    // The minimum of several runs, because other processes only add time.
    return Math.min(
      ...[1, 2, 3].map(() => {
        const start = process.cpuUsage();
        work(text);
        return process.cpuUsage(start).user;
      }),
    );
  };
  // Warm up.
  cost(maxLength / 16);
  // Eight times the text takes 8 times as long if linear, 64 times if quadratic. Times below 4 ms are noise.
  expect(cost(maxLength), piece).toBeLessThan(Math.max(cost(maxLength / 8), 4000) * 30);
}
