/** Re-exported for the commands; the helpers live where the report can use them too. */
export { displayWidth, fit, oneLine, pad, plain, wordSpans, wrap } from "../../base/text/inert.ts";
export { cost, duration, groupDigits, money, plural, shortNumber } from "../../base/text/units.ts";

/** Shown in place of values a store does not hold. */
export const NOT_PUSHED = "– (not pushed)";

/** `2026-05-12 14:03` → `05-12 14:03`. */
export function withoutYear(clock: string): string {
  return clock.slice(5);
}
