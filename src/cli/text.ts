/** Kept as one door for the commands; the helpers live where the report can use them too. */
export { displayWidth, fit, oneLine, pad, plain, words, wrap } from "../text/inert.ts";
export { cost, duration, grouped, money, plural, short } from "../text/units.ts";

/** In place of what a store does not hold. */
export const NOT_PUSHED = "– (not pushed)";

/** `2026-05-12 14:03` → `05-12 14:03`. */
export function withoutYear(clock: string): string {
  return clock.slice(5);
}
