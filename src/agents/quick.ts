import { quickUsage as claudeCode } from "./claude-code/usage.ts";
import { quickUsage as codex } from "./codex/usage.ts";
import type { Source } from "./contract.ts";

/**
 * `quickUsage` of the sources that have it, in a module of its own: a thread that only sums usage loads nothing else.
 */
export const QUICK_SOURCES: ReadonlyMap<string, Pick<Source, "quickUsage">> = new Map([
  ["claude-code", { quickUsage: claudeCode }],
  ["codex", { quickUsage: codex }],
]);
