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
import type { Source } from "./source.ts";

/** Every source Daybook reads. Adding one touches its own folder, this list and the docs. */
export const SOURCES: readonly Source[] = [aider, claudeCode, codex, copilot, gemini, goose, log, opencode, pi, qwen];

export function findSource(id: string): Source | null {
  return SOURCES.find((source) => source.id === id) ?? null;
}
