import { expect } from "vitest";

/**
 * Work takes time in proportion to the text, also of a text made to be slow: a piece of it again and again. Told by the
 * processor's time of one text and of one eight times as long, so that neither a slow machine nor a busy one changes it.
 */
export function expectLinear(piece: string, most: number, work: (text: string) => void): void {
  const cost = (length: number): number => {
    const text = piece.repeat(Math.ceil(length / piece.length));
    // The least of several runs: what else the machine does only adds.
    return Math.min(
      ...[1, 2, 3].map(() => {
        const begun = process.cpuUsage();
        work(text);
        return process.cpuUsage(begun).user;
      }),
    );
  };
  cost(most / 16);
  // Eight times the work, not sixty-four times. Short times are noise.
  expect(cost(most), piece).toBeLessThan(Math.max(cost(most / 8), 4000) * 30);
}
