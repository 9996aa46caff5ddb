import { commandsOf } from "./commands.ts";
import { decidersOf, type Decider } from "./exit-deciders.ts";
import { operands } from "./options.ts";
import { commandOutput } from "./command-output.ts";

/** Maximum length of a command or an output that is examined. */
const LONGEST = 1 << 16;
/** Cheap filter: a command without one of these words searches, compares and tests nothing. */
const WORTH_READING = /\b(?:rg|[efz]?grep|diff|cmp|test)\b|\[/;
const SEARCHES = new Set(["rg", "grep", "egrep", "fgrep", "zgrep"]);
const COMPARES = new Set(["diff", "cmp"]);
const TESTS = new Set(["test", "[", "[["]);
/** Programs that always print a message when they fail: without one they succeeded. */
const TALKATIVE = new Set(
  ". : builtin cat cd cut date echo env export find head ls mkdir nl popd printf pushd pwd set sleep sort source tail touch tr true uniq unset wc".split(
    " ",
  ),
);
const GIT_TALKATIVE = /^(?:add|branch|checkout|diff|fetch|log|ls-files|show|status|switch)$/;
const GIT_VALUES = /^(?:-[Cc]|--git-dir|--work-tree|--namespace|--exec-path)$/;

/** Exit code 1 of a call is an ordinary answer. `prints`: the call may have printed something all the same. */
export type NoHit = { prints: boolean };

/**
 * Non-null when exit code 1 of this call would be an ordinary answer: nothing was found, two files differ, a condition
 * does not hold. Requires that every program that may have determined the code answers that way or never fails
 * silently. See `docs/report.md`.
 */
export function expectedExitOf(name: string, input: unknown): NoHit | null {
  const commands = commandsOf(name, input);
  const [command] = commands;
  // When a script tool ran several commands, it is not recorded which one set the exit code.
  if (command === undefined || commands.length > 1) return null;
  const text = typeof command === "string" ? command : command.join(" ");
  if (text.length > LONGEST || !WORTH_READING.test(text)) return null;
  const deciders = decidersOf(command);
  if (!deciders?.some(isAnswering) || !deciders.every((one) => isAnswering(one) || isTalkative(one))) return null;
  const alone = deciders.length === 1 && !/[;\n]|\|\||&&/.test(text.trim());
  return { prints: !alone || deciders.some((one) => COMPARES.has(one.program) || one.program === "git") };
}

/** True when the output is consistent with an ordinary answer: it contains no error message. */
export function isExpectedOutput(answer: NoHit, output: string): boolean {
  const text = commandOutput(output.slice(0, LONGEST));
  return text === "" || (answer.prints && !ERROR.test(text));
}

/** Error messages of programs and shells. */
const ERROR = new RegExp(
  [
    String.raw`^(?:[\w./-]{0,60}(?:rg|grep|diff|cmp|test|\[|cd|ls|cat|find|git|sh|bash|zsh|dash)|[\w./-]{1,60}: line \d+)\s?: `,
    String.raw`^(?:fatal|error|usage|traceback|exception|panic|npm err!|err!)\b`,
    String.raw`(?:no such file or directory|command not found|permission denied|not a git repository|syntax error|timed out)`,
  ].join("|"),
  "im",
);

function isAnswering({ program, args }: Decider): boolean {
  if (SEARCHES.has(program) || COMPARES.has(program) || TESTS.has(program)) return true;
  if (program !== "git") return false;
  const [verb] = operands(args, GIT_VALUES);
  if (verb === "grep") return true;
  return verb === "diff" && args.some((arg) => /^(?:--exit-code|--quiet|--no-index)$/.test(arg));
}

function isTalkative({ program, args }: Decider): boolean {
  return program === "git" ? GIT_TALKATIVE.test(operands(args, GIT_VALUES)[0] ?? "") : TALKATIVE.has(program);
}
