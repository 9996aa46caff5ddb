import { DaybookError } from "../errors.ts";
import { aider } from "./aider/index.ts";
import { claudeCode } from "./claude-code/index.ts";
import { codex } from "./codex/index.ts";
import { copilot } from "./copilot/index.ts";
import { gemini } from "./gemini/index.ts";
import { goose } from "./goose/index.ts";
import { log } from "./log/index.ts";
import { opencode } from "./opencode/index.ts";
import { pi } from "./pi/index.ts";
import { qwen } from "./qwen/index.ts";
import type { Source } from "./contract.ts";

const known: Source[] = [aider, claudeCode, codex, copilot, gemini, goose, log, opencode, pi, qwen];
const builtIn: ReadonlySet<string> = new Set(known.map(({ id }) => id));

/** Every source Daybook reads. Adding one touches its own folder, this list and the docs. */
export const SOURCES: readonly Source[] = known;

export function findSource(id: string): Source | null {
  return SOURCES.find((source) => source.id === id) ?? null;
}

/** Adds a source of one's own for the rest of this process: from now on it is read like the others. */
export function registerSource(source: Source): void {
  if (findSource(source.id))
    throw new DaybookError(`there is a source "${source.id}" already`, { code: "usage", op: "register source" });
  known.push(source);
}

/** Threads have the sources of the package; those that were registered are known to the thread that registered them. */
export function isBuiltIn(id: string): boolean {
  return builtIn.has(id);
}
