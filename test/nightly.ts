/**
 * `npm run test:nightly` takes every step that `npm test` takes, and looks closer: it compares after each of them, and
 * tries more random cases. What differs is said where it differs, with these functions.
 */
export const NIGHTLY: boolean = process.env["DAYBOOK_TEST_NIGHTLY"] === "1";

/** How many random cases to try. */
export function cases(usually: number, nightly: number): number {
  return NIGHTLY ? nightly : usually;
}

/** So many seeds of random cases, from 1. */
export function seeds(usually: number, nightly: number): number[] {
  return Array.from({ length: cases(usually, nightly) }, (_, i) => i + 1);
}

const COMPARED = 4;

/** Whether to compare after this step, counted from 1: after every fourth and the last, and nightly after each. */
export function isCompared(step: number, isLast: boolean): boolean {
  return NIGHTLY || isLast || step % COMPARED === 0;
}
