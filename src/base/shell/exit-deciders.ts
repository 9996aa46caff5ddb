import { parseShell, type Pipeline, type Script, type Simple, type Stage, type ShellWord } from "./parse.ts";
import { UNKNOWN_PART } from "./working-place.ts";
import { programOf, scriptOf } from "./program-runs.ts";

/** A program that may have determined the exit code of a shell text. */
export interface Decider {
  program: string;
  args: readonly string[];
}

/** Shell options that determine how exit codes propagate. */
interface Rules {
  /** `set -e`: the first failing command ends the script. */
  errexit: boolean;
  pipefail: boolean;
  /** Asked for what must have ended well, not for what may have failed. */
  isProof: boolean;
}

/**
 * The programs that must have ended well where the whole did, and those whose output they read. Empty when that cannot be
 * known: what stands before a `;` or `||`, or runs in the background, may have failed.
 */
export function provenBy(command: string): Decider[] {
  return ofScript(parseShell(command), { errexit: false, pipefail: true, isProof: true }, 0) ?? [];
}

/** Deepest nesting of shell texts that is followed: `bash -lc "sh -c …"`. */
const DEEPEST = 6;
/** Words that may precede a command without changing its exit code. `!` is not among them: it inverts the code. */
const INTRODUCES = new Set(["do", "then", "else", "time", "{"]);
/** Words after which the deciding program is unknown: branches meet, or the exit code is set or inverted explicitly. */
const UNDECIDED = new Set(["fi", "esac", "case", "if", "elif", "!", "exit", "return", "function", "select", "trap"]);

/**
 * The programs one of which determined a non-zero exit code: the last program, and those joined to it by `&&`. Null
 * when that cannot be known.
 */
export function decidersOf(command: string | readonly string[]): Decider[] | null {
  const rules = { errexit: false, pipefail: false, isProof: false };
  return typeof command === "string" ? ofScript(parseShell(command), rules, 0) : ofWords([...command], [], rules, 0);
}

function ofScript(script: Script, rules: Rules, depth: number): Decider[] | null {
  if (depth > DEEPEST) return null;
  let all: Decider[] | null = [];
  for (const pipeline of script) {
    // `done` itself decides nothing: the last command of the loop does, and it was handled already.
    if (isWord(pipeline, "done")) continue;
    const own = ofPipeline(pipeline, rules, depth);
    // Whether the second was run depends on the first.
    if (pipeline.join === "or") all = rules.isProof ? [] : own;
    else if (pipeline.join === "and" || rules.errexit) all = all && own && [...all, ...own];
    else all = own;
  }
  return all;
}

function ofPipeline({ stages, background }: Pipeline, rules: Rules, depth: number): Decider[] | null {
  if (background) return null;
  const deciding = rules.pipefail ? stages : stages.slice(-1);
  const found: Decider[] = [];
  for (const stage of deciding) {
    const own = ofStage(stage, rules, depth);
    if (own === null) return null;
    found.push(...own);
  }
  return found;
}

function ofStage(stage: Stage, rules: Rules, depth: number): Decider[] | null {
  if (stage.kind === "group") return ofScript(stage.script, stage.subshell ? { ...rules } : rules, depth + 1);
  return ofWords(stage.words.map(textOf), stage.hereTexts, rules, depth);
}

function ofWords(words: string[], hereTexts: Simple["hereTexts"], rules: Rules, depth: number): Decider[] | null {
  while (words[0] !== undefined && INTRODUCES.has(words[0])) words.shift();
  // The head of a loop does not determine the exit code.
  if (words[0] === "for" || words[0] === "while" || words[0] === "until") return [];
  if (words[0] !== undefined && UNDECIDED.has(words[0])) return null;
  while (words[0] !== undefined && /^[A-Za-z_]\w*\+?=/.test(words[0])) {
    // `X=$(command)` alone exits with the code of the substituted command, which is not resolved here.
    if (words.length === 1 && words[0].includes(UNKNOWN_PART)) return null;
    words.shift();
  }
  if (words.length === 0) return [];
  const { program, args, argsFromInput } = programOf(words);
  if (argsFromInput) return null;
  if (program === "set") applyOptions(args, rules);
  const script = scriptOf(program, args, hereTexts);
  if (script === null) return [{ program, args }];
  const inner = program === "eval" ? rules : { ...rules, errexit: false, pipefail: rules.isProof };
  if (program !== "eval") applyOptions(args, inner);
  return ofScript(parseShell(script), inner, depth + 1);
}

/** Applies the options of `set -euo pipefail` or `bash -eo pipefail -c …`. */
function applyOptions(args: readonly string[], rules: Rules): void {
  for (const [i, arg] of args.entries()) {
    if (/^-[a-z]*e/.test(arg) || arg === "errexit") rules.errexit = true;
    if (arg === "pipefail" && /^-[a-z]*o$/.test(args[i - 1] ?? "")) rules.pipefail = true;
  }
}

function isWord({ stages }: Pipeline, word: string): boolean {
  const [stage] = stages;
  return (
    stages.length === 1 && stage?.kind === "simple" && stage.words.length === 1 && textOf(stage.words[0] ?? []) === word
  );
}

function textOf(word: ShellWord): string {
  return word.map((part) => (part.kind === "text" ? part.text : UNKNOWN_PART)).join("");
}
