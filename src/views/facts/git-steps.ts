import { hasOption, operands } from "../../base/shell/options.ts";
import { UNKNOWN_PART } from "../../base/shell/working-place.ts";
import { programsOf } from "../../base/shell/program-runs.ts";

/** What a command told git to do, as far as commits are concerned. */
export type GitStep =
  | { kind: "commit"; verb: "commit" | "merge" | "pick"; subject: string | null; amended: boolean; quiet: boolean }
  /** Prints the hash of the newest commit, alone or before its subject. */
  | { kind: "head" }
  | { kind: "log" }
  | { kind: "push" }
  /** HEAD may point to another commit afterwards. */
  | { kind: "move" };

/** Options of `git` itself that take a value. */
const GIT_VALUES = /^(?:-[Cc]|--git-dir|--work-tree|--namespace|--exec-path|--config-env)$/;
const MOVES = /^(?:am|bisect|checkout|pull|rebase|reset|switch|update-ref)$/;
/** Short options of `git commit` whose value follows, joined or as the next word. */
const TAKES_VALUE = /^-[a-zA-Z]*?[mFCct]/;

/** The steps of a shell text, in order. */
export function gitSteps(command: string): GitStep[] {
  return programsOf(command, { roots: [], cwd: null }).flatMap((ran) => (ran.program === "git" ? gitStepsOf(ran) : []));
}

/** The words after `git`, and what it reads from its input. */
interface GitRun {
  args: readonly string[];
  hereText: string | null;
}

/** The steps of one run of git. */
export function gitStepsOf(ran: GitRun): GitStep[] {
  const [verb] = operands(ran.args, GIT_VALUES);
  if (verb === undefined) return [];
  const args = ran.args.slice(ran.args.indexOf(verb) + 1);
  switch (verb) {
    case "commit":
      return commitStep(args, ran);
    case "cherry-pick":
    case "revert":
      // `--continue` after a conflict commits; `--skip`, `--abort` and `--quit` do not.
      if (hasOption(args, /^--(?:no-commit|abort|quit|skip)$/, "n")) return [{ kind: "move" }];
      return [{ kind: "commit", verb: "pick", subject: null, amended: false, quiet: false }];
    case "merge":
      return mergeStep(args);
    case "rev-parse":
      return args.some((arg) => /^(?:HEAD|@)$/.test(arg)) && !hasOption(args, /^--(?:abbrev-ref|verify-only)/)
        ? [{ kind: "head" }]
        : [];
    case "log":
    case "show":
    case "reflog":
      return [{ kind: "log" }];
    case "push":
      return hasOption(args, /^--dry-run$/, "n") ? [] : [{ kind: "push" }];
    default:
      return MOVES.test(verb) ? [{ kind: "move" }] : [];
  }
}

function commitStep(args: readonly string[], { hereText: fed }: Pick<GitRun, "hereText">): GitStep[] {
  if (hasOption(args, /^--(?:dry-run|help|short|porcelain|long)$/)) return [];
  const given = optionsOf(args);
  const message = given.find(({ name }) => name === "m");
  const file = given.find(({ name }) => name === "F");
  const text = message?.value ?? (file && /^(?:-|\/dev\/stdin)$/.test(file.value) ? fed : null);
  const quiet = given.some(({ name }) => name === "q");
  const amended = given.some(({ name }) => name === "amend");
  return [{ kind: "commit", verb: "commit", subject: subjectOf(text), amended, quiet }];
}

function mergeStep(args: readonly string[]): GitStep[] {
  if (hasOption(args, /^--(?:squash|no-commit|abort|quit|ff-only)$/)) return [{ kind: "move" }];
  const message = optionsOf(args).find(({ name }) => name === "m");
  const [branch] = operands(args, /^-(?:m|F|s|X)$/);
  const named = branch === undefined || branch.includes(UNKNOWN_PART) ? null : `Merge branch '${branch}'`;
  return [
    {
      kind: "commit",
      verb: "merge",
      subject: message ? subjectOf(message.value) : named,
      amended: false,
      quiet: false,
    },
  ];
}

/** First line of a message, as git takes it; null when it is not known before the command runs. */
function subjectOf(text: string | null): string | null {
  const line = (text ?? "").trim().split("\n")[0]?.trim() ?? "";
  return line === "" || line.includes(UNKNOWN_PART) ? null : line;
}

/** Options in order, by their short names, with their values. */
function optionsOf(args: readonly string[]): { name: string; value: string }[] {
  const out: { name: string; value: string }[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") break;
    const [, long, value] = /^--([a-z-]+)(?:=([^]*))?$/.exec(arg) ?? [];
    if (long !== undefined) {
      const name = LONG[long] ?? long;
      out.push({ name, value: value ?? (/^[mFCct]$/.test(name) ? (args[++at] ?? "") : "") });
    } else if (/^-[a-zA-Z]/.test(arg)) {
      const [cluster = ""] = TAKES_VALUE.exec(arg) ?? [];
      const flags = cluster === "" ? arg.slice(1) : cluster.slice(1, -1);
      out.push(...[...flags].map((name) => ({ name, value: "" })));
      if (cluster === "") continue;
      const joined = arg.slice(cluster.length);
      out.push({ name: cluster.slice(-1), value: joined === "" ? (args[++at] ?? "") : joined });
    }
  }
  return out;
}

const LONG: Readonly<Record<string, string>> = {
  message: "m",
  file: "F",
  "reuse-message": "C",
  "reedit-message": "c",
  template: "t",
  quiet: "q",
};
