/** Kept as one door for the commands; the helpers live where the report can use them too. */
export { displayWidth, fit, oneLine, pad, plain } from "../text/inert.ts";
export { cost, duration, grouped, money, plural, short } from "../text/units.ts";
