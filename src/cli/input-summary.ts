export { summary } from "../text/input-summary.ts";
