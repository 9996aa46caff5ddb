import { commandsOf } from "./commands.ts";
import { decidersOf, type Decider } from "./deciding.ts";
import { operands } from "./options.ts";
import { printed } from "./printed.ts";

/** Longest command and output looked at. */
const LONGEST = 1 << 16;
/** Words without one of which nothing is searched, compared or tested. */
const WORTH_READING = /\b(?:rg|[efz]?grep|diff|cmp|test)\b|\[/;
const SEARCHES = new Set(["rg", "grep", "egrep", "fgrep", "zgrep"]);
const COMPARES = new Set(["diff", "cmp"]);
const TESTS = new Set(["test", "[", "[["]);
/** Programs that say why, whenever they fail: without such words they went well. */
const TALKATIVE = new Set(
  ". : builtin cat cd cut date echo env export find head ls mkdir nl popd printf pushd pwd set sleep sort source tail touch tr true uniq unset wc".split(
    " ",
  ),
);
const GIT_TALKATIVE = /^(?:add|branch|checkout|diff|fetch|log|ls-files|show|status|switch)$/;
const GIT_VALUES = /^(?:-[Cc]|--git-dir|--work-tree|--namespace|--exec-path)$/;

/** What exit code 1 of a call means, when it is only an answer. `prints`: also then something may have been printed. */
export type NoHit = { prints: boolean };

/**
 * Whether exit code 1 of this call would be an ordinary answer: nothing was found, two files differ, a condition does not hold.
 * Only where every program that may have decided is such a one, or one that never fails in silence. `docs/report.md`
 */
export function answersByExit(name: string, input: unknown): NoHit | null {
  const commands = commandsOf(name, input);
  const [command] = commands;
  // Of several commands one script tool ran, nobody says which gave the code.
  if (command === undefined || commands.length > 1) return null;
  const text = typeof command === "string" ? command : command.join(" ");
  if (text.length > LONGEST || !WORTH_READING.test(text)) return null;
  const deciders = decidersOf(command);
  if (!deciders?.some(isAnswering) || !deciders.every((one) => isAnswering(one) || isTalkative(one))) return null;
  const alone = deciders.length === 1 && !/[;\n]|\|\||&&/.test(text.trim());
  return { prints: !alone || deciders.some((one) => COMPARES.has(one.program) || one.program === "git") };
}

/** Whether what was printed leaves it at that: no word of an error. */
export function isOnlyAnswer(answer: NoHit, output: string): boolean {
  const text = printed(output.slice(0, LONGEST));
  return text === "" || (answer.prints && !ERROR.test(text));
}

/** What programs and shells write when something is wrong, at the beginning of a line. */
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
