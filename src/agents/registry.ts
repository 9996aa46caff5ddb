import { DaybookError } from "../base/errors.ts";
import { aider } from "./aider/source.ts";
import { claudeCode } from "./claude-code/source.ts";
import { cline } from "./cline/source.ts";
import { codex } from "./codex/source.ts";
import type { Source } from "./contract.ts";
import { copilot } from "./copilot/source.ts";
import { continueCli } from "./continue/source.ts";
import { droid } from "./droid/source.ts";
import { crush } from "./crush/source.ts";
import { cursor } from "./cursor/source.ts";
import { gemini } from "./gemini/source.ts";
import { goose } from "./goose/source.ts";
import { gptme } from "./gptme/source.ts";
import { kilo } from "./kilo/source.ts";
import { kimi } from "./kimi/source.ts";
import { log } from "./log/source.ts";
import { opencode } from "./opencode/source.ts";
import { openhands } from "./openhands/source.ts";
import { pi } from "./pi/source.ts";
import { qwen } from "./qwen/source.ts";
import { vscodeCopilot } from "./vscode-copilot/source.ts";

const registered: Source[] = [
  aider,
  claudeCode,
  cline,
  codex,
  continueCli,
  copilot,
  crush,
  cursor,
  droid,
  gemini,
  goose,
  gptme,
  kilo,
  kimi,
  log,
  opencode,
  openhands,
  pi,
  qwen,
  vscodeCopilot,
];
const builtIn: ReadonlySet<string> = new Set(registered.map(({ id }) => id));

/** Every source Daybook reads. Adding one touches its own folder, this list and the docs. */
export const SOURCES: readonly Source[] = registered;

export function findSource(id: string): Source | null {
  return SOURCES.find((source) => source.id === id) ?? null;
}

/** Adds a custom source for the rest of this process; it is read like the built-in ones. */
export function registerSource(source: Source): void {
  if (findSource(source.id))
    throw new DaybookError(`there is a source "${source.id}" already`, { code: "usage", op: "register source" });
  registered.push(source);
}

/** Worker threads only have the built-in sources: a registered source exists in the thread that registered it. */
export function isBuiltIn(id: string): boolean {
  return builtIn.has(id);
}
