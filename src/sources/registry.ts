import { claudeCode } from "./claude-code/index.ts";
import { codex } from "./codex/index.ts";
import type { Source } from "./source.ts";

/** Every source Daybook reads. Adding one touches its own folder, this list and the docs. */
export const SOURCES: readonly Source[] = [claudeCode, codex];

export function findSource(id: string): Source | null {
  return SOURCES.find((source) => source.id === id) ?? null;
}
