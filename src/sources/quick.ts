import { quickUsage as claudeCode } from "./claude-code/quick-usage.ts";
import { quickUsage as codex } from "./codex/quick-usage.ts";
import type { Source } from "./contract.ts";

/**
 * Sources that can tell usage alone, without all else that they know: the thread that is asked for nothing more need not load it.
 */
export const QUICK: ReadonlyMap<string, Pick<Source, "quickUsage">> = new Map([
  ["claude-code", { quickUsage: claudeCode }],
  ["codex", { quickUsage: codex }],
]);
