import { parseShell, type Pipeline, type Script, type Simple, type Stage, type Word } from "./parse.ts";
import { UNKNOWN } from "./working-place.ts";
import { programOf, scriptOf } from "./ran.ts";

/** A program that may have given a shell text its exit code. */
export interface Decider {
  program: string;
  args: readonly string[];
}

/** What rules how exit codes are passed on. */
interface Rules {
  /** `set -e`: whatever fails ends it all. */
  errexit: boolean;
  pipefail: boolean;
}

/** Texts inside texts: `bash -lc "sh -c …"`. */
const DEEPEST = 6;
/** Words that only introduce a command. `time` and `!` are not among them: the second turns the code around. */
const INTRODUCES = new Set(["do", "then", "else", "time", "{"]);
/** Where several branches end, or where the code is set by hand, it cannot be known who decided. */
const UNDECIDED = new Set(["fi", "esac", "case", "if", "elif", "!", "exit", "return", "function", "select", "trap"]);

/**
 * The programs of which one gave the text its exit code other than zero: the last one, and those before it joined by `&&`.
 * Null when that cannot be known.
 */
export function decidersOf(command: string | readonly string[]): Decider[] | null {
  const rules = { errexit: false, pipefail: false };
  return typeof command === "string" ? ofScript(parseShell(command), rules, 0) : ofWords([...command], [], rules, 0);
}

function ofScript(script: Script, rules: Rules, depth: number): Decider[] | null {
  if (depth > DEEPEST) return null;
  let all: Decider[] | null = [];
  for (const pipeline of script) {
    // The end of a loop: what ran last in it decided, and that was looked at already.
    if (isWord(pipeline, "done")) continue;
    const own = ofPipeline(pipeline, rules, depth);
    if (pipeline.join === "or") all = own;
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
  return ofWords(stage.words.map(textOf), stage.fed, rules, depth);
}

function ofWords(words: string[], fed: Simple["fed"], rules: Rules, depth: number): Decider[] | null {
  while (words[0] !== undefined && INTRODUCES.has(words[0])) words.shift();
  // The head of a loop decides nothing.
  if (words[0] === "for" || words[0] === "while" || words[0] === "until") return [];
  if (words[0] !== undefined && UNDECIDED.has(words[0])) return null;
  while (words[0] !== undefined && /^[A-Za-z_]\w*\+?=/.test(words[0])) {
    // An assignment has the code of the command whose output is assigned.
    if (words.length === 1 && words[0].includes(UNKNOWN)) return null;
    words.shift();
  }
  if (words.length === 0) return [];
  const { program, args, argsFromInput } = programOf(words);
  if (argsFromInput) return null;
  if (program === "set") obey(args, rules);
  const script = scriptOf(program, args, fed);
  if (script === null) return [{ program, args }];
  const inner = program === "eval" ? rules : { errexit: false, pipefail: false };
  if (program !== "eval") obey(args, inner);
  return ofScript(parseShell(script), inner, depth + 1);
}

/** `set -euo pipefail`, `bash -eo pipefail -c …`. */
function obey(args: readonly string[], rules: Rules): void {
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

function textOf(word: Word): string {
  return word.map((part) => (part.kind === "text" ? part.text : UNKNOWN)).join("");
}
