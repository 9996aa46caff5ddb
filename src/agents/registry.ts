import { DaybookError } from "../base/errors.ts";
import { registerReader } from "../stored-versions.ts";
import { aider } from "./aider/source.ts";
import { claudeCode } from "./claude-code/source.ts";
import { cline } from "./cline/source.ts";
import { clineTasks } from "./cline-tasks/source.ts";
import { codex } from "./codex/source.ts";
import type { Source } from "./contract.ts";
import { copilot } from "./copilot/source.ts";
import { continueCli } from "./continue/source.ts";
import { droid } from "./droid/source.ts";
import { crush } from "./crush/source.ts";
import { cursor } from "./cursor/source.ts";
import { gemini } from "./gemini/source.ts";
import { goose } from "./goose/source.ts";
import { grok } from "./grok/source.ts";
import { gptme } from "./gptme/source.ts";
import { kilo } from "./kilo/source.ts";
import { kimi } from "./kimi/source.ts";
import { log } from "./log/source.ts";
import { opencode } from "./opencode/source.ts";
import { openhands } from "./openhands/source.ts";
import { pi } from "./pi/source.ts";
import { qwen } from "./qwen/source.ts";
import { vibe } from "./vibe/source.ts";
import { vscodeCopilot } from "./vscode-copilot/source.ts";

const registered: Source[] = [
  aider,
  claudeCode,
  cline,
  clineTasks,
  codex,
  continueCli,
  copilot,
  crush,
  cursor,
  droid,
  gemini,
  goose,
  gptme,
  grok,
  kilo,
  kimi,
  log,
  opencode,
  openhands,
  pi,
  qwen,
  vibe,
  vscodeCopilot,
];
const builtIn: ReadonlySet<string> = new Set(registered.map(({ id }) => id));

/** Every source Daybook reads. Adding one touches its own folder, this list and the docs. */
export const SOURCES: readonly Source[] = registered;

export function findSource(id: string): Source | null {
  return SOURCES.find((source) => source.id === id) ?? null;
}

/**
 * Adds a custom source for the rest of this process; it is read like the built-in ones. Sessions stored by another version
 * of it are read again.
 */
export function registerSource(source: Source, version?: number): void {
  const wrong = faultOf(source);
  if (wrong !== null) throw new DaybookError(wrong, { code: "invalid", op: "register source" });
  if (findSource(source.id))
    throw new DaybookError(`there is a source "${source.id}" already`, { code: "usage", op: "register source" });
  registered.push(source);
  if (version !== undefined) registerReader(source.id, version);
}

/** What an object lacks to be a source; null if nothing. Modules written in JavaScript are not checked by a compiler. */
function faultOf(source: Source): string | null {
  const { id, name, capabilities, checked, unknowable }: Partial<Source> = source;
  // It names directories, and is printed.
  if (typeof id !== "string" || !/^[a-z][a-z0-9-]{0,39}$/.test(id))
    return "a source needs an id of lower-case letters, digits and hyphens";
  if (typeof name !== "string" || !/^[^\p{C}]{1,60}$/u.test(name)) return `the source "${id}" needs a name`;
  for (const method of ["discover", "sessionId", "recognises", "read"] as const)
    if (typeof source[method] !== "function") return `the source "${id}" needs the method \`${method}\``;
  if (typeof capabilities !== "object" || capabilities === null) return `the source "${id}" needs \`capabilities\``;
  if (checked === undefined || (checked !== null && typeof checked.newest !== "string"))
    return `the source "${id}" needs \`checked\`: the releases it was checked with, or null`;
  const isList = Array.isArray(unknowable) && unknowable.every((one) => typeof one === "string");
  return isList ? null : `the source "${id}" needs \`unknowable\`, a list of sentences`;
}

/** Worker threads only have the built-in sources: a registered source exists in the thread that registered it. */
export function isBuiltIn(id: string): boolean {
  return builtIn.has(id);
}
