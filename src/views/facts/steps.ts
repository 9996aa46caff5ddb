import { commandsOf } from "../../base/shell/commands.ts";
import { operands } from "../../base/shell/options.ts";
import { programsOf, programsOfWords, type ProgramRun } from "../../base/shell/program-runs.ts";
import type { ToolStatus } from "../../record/record.ts";
import { isCheck } from "./checks.ts";

/**
 * What a call set out to do, as far as it can later be told whether that was brought to an end. Calls that only look at
 * something are no deeds.
 */
export interface Deed {
  kind: "check" | "run" | "commit" | "push" | "merge" | "open_pr" | "merge_pr" | "deploy" | "branch";
  /** What was run, without options: the same name later is the same thing done again. */
  name: string;
  /** Only pretended to do it. */
  dry?: true;
  /** Goes on after the call has returned. */
  started?: true;
}

/** A call that did something, or should have. */
export interface Step {
  line: number;
  status: ToolStatus;
  deeds: Deed[];
  /** The command or path, cut. */
  about: string;
}

/** Characters kept of a command: more than are ever shown, so that a secret is hidden before the text is cut. */
const LONGEST_ABOUT = 2000;
const MOST_DEEDS = 8;

/** Programs that change nothing: they print, search, compare or wait. */
const LOOKS = new Set(
  `[ [[ : alias awk base64 basename bat cat cd chmod chown cksum clear cmp column comm curl cut date declare df diff dig dirname du
  echo egrep env export false fd fgrep file find free fzf gawk getent grep head hexdump history host hostname htop hyperfine id
  jobs jq journalctl kill less ll local ls lsof man md5sum mkdir more nc netstat nl nslookup od open pgrep ping pkill popd printenv
  printf ps pushd pwd read readlink realpath rg sed set sha256sum shasum shellcheck sleep sort source ss stat strings tail tee test
  time top touch tput tr tree true type ulimit uname uniq unset uptime wait wc wget which which whereis who whoami xargs xxd yq
  zgrep`.split(/\s+/),
);
/** Subcommands that only look, for programs that can do more. */
const LOOKING: Readonly<Record<string, RegExp>> = {
  git: /^(?:log|show|diff|status|blame|branch|remote|rev-parse|ls-files|ls-tree|fetch|grep|describe|shortlog|config|reflog|cat-file|stash|add|tag|checkout|switch|worktree|rev-list|rm|mv|restore|reset|clean|help|bisect|pull|clone|init|submodule|merge-base|name-rev|show-ref|notes|archive|diff-tree|for-each-ref|symbolic-ref|version)$/,
  kubectl:
    /^(?:get|describe|logs|top|explain|version|config|api-resources|cluster-info|wait|auth|port-forward|cp|diff)$/,
  docker: /^(?:ps|logs|images|inspect|stats|version|info|pull|port|top|history|context)$/,
  npm: /^(?:ls|list|view|info|outdated|audit|config|root|why|explain|i|install|ci|version|whoami|ping|search|init|create)$/,
  pnpm: /^(?:ls|list|view|info|outdated|audit|config|root|why|i|install|add)$/,
  yarn: /^(?:list|info|outdated|audit|config|why|install|add)$/,
  pip: /^(?:list|show|freeze|check|install|download)$/,
  pip3: /^(?:list|show|freeze|check|install|download)$/,
  systemctl: /^(?:status|show|list-units|is-active|cat)$/,
  cargo: /^(?:metadata|tree|search|doc|add|update|bloat|flamegraph|version)$/,
  go: /^(?:list|env|version|doc|mod|get|tool)$/,
  terraform: /^(?:plan|show|output|state|validate|fmt|init|version|providers|graph)$/,
  helm: /^(?:list|ls|status|get|template|history|show|search|diff)$/,
  brew: /^(?:list|info|search|install)$/,
};
/** Subcommands that look, whatever the program: `aws s3 ls`, `heroku logs`. */
const LOOK_VERBS = /^(?:ls|list|show|get|status|describe|logs?|logcat|info|version|help|view|inspect|devices)$/;
/** What the command line tools of code hosts call their reviews. */
const REQUESTS = /^(?:pr|mr|pull-request|merge-request)$/;
const HOSTS = new Set(["gh", "glab", "hub", "tea", "az", "bb"]);
const GIT_VALUES = /^(?:-[Cc]|--git-dir|--work-tree|--namespace|--exec-path)$/;
/** Options with which a program says what it would do. */
const PRETENDS = /^--?(?:dry-?run(?:=(?!none|false).*)?|what-?if|no-?op|simulate|pretend|just-print|dryrun)$/i;
/** Words of a statement that changes a database. */
const CHANGES_DATA =
  /\b(?:alter|create|delete|drop|grant|insert|merge|refresh|reindex|truncate|update|vacuum|pg_\w*drop\w*)\b/i;
const DATABASES = new Set([
  "psql",
  "mysql",
  "mariadb",
  "sqlite3",
  "duckdb",
  "mongosh",
  "redis-cli",
  "clickhouse-client",
  "bq",
]);
/** Programs that run another one: the number of operands before its name. */
const WITHIN: Readonly<Record<string, number>> = {
  npx: 0,
  pnpx: 0,
  bunx: 0,
  uvx: 0,
  uv: 1,
  poetry: 1,
  pdm: 1,
  hatch: 1,
  rye: 1,
  bundle: 1,
  mise: 1,
  direnv: 1,
};
const INTERPRETERS = /^(?:python[\d.]*|node|deno|ruby|perl|php|tsx|ts-node|bun|bash|sh|zsh|rscript|julia|lua|pwsh)$/;
const RUNNERS = new Set([
  "npm",
  "pnpm",
  "yarn",
  "make",
  "just",
  "task",
  "rake",
  "gradle",
  "gradlew",
  "mvn",
  "cargo",
  "go",
  "composer",
  "nx",
  "turbo",
]);
/** Words that name an act of bringing something to its users, as file and command names have them. */
const DEPLOYS = /(?<![a-z])(?:deploy|release|publish|rollout|upload|ship|apply|promote)(?![a-z])/i;
/** Programs that detach what they start. */
const DETACHES =
  /(?:^|[;&|]\s*|\s)(?:nohup|setsid|disown|screen\s+-\S*d|tmux\s+new\S*\s+(?:\S+\s+)*?-d)\b|(?<![&>|])&\s*(?:$|[;\n]|disown|echo)/;

/** What is started to stay: nobody waits for a server to end. */
const SERVES =
  /(?<![a-z])(?:dev|start|serve|server|watch|preview|up|runserver|storybook|emulator|simulator|tunnel|proxy|forward)(?![a-z])/i;

/** The deeds of a call; empty when it only looks. */
export function deedsOf(name: string, input: unknown): Deed[] {
  const found: Deed[] = [];
  for (const command of commandsOf(name, input)) {
    const text = typeof command === "string" ? command : command.join(" ");
    const place = { roots: [], cwd: null };
    const ran = typeof command === "string" ? programsOf(command, place) : programsOfWords(command, place);
    const isDetached = isInBackground(input) || DETACHES.test(text);
    for (const one of ran) {
      const deed = deedOf(one);
      const isStarted = isDetached && !SERVES.test(`${one.program} ${one.args.join(" ")}`);
      if (deed !== null && found.length < MOST_DEEDS) found.push(isStarted ? { ...deed, started: true } : deed);
    }
  }
  return found;
}

function isInBackground(input: unknown): boolean {
  if (typeof input !== "object" || input === null) return false;
  const { run_in_background: a, background: b, is_background: c } = input as Record<string, unknown>;
  return a === true || b === true || c === true;
}

function deedOf(ran: ProgramRun): Deed | null {
  const { program, args } = ran;
  const words = operands(args, program === "git" ? GIT_VALUES : /^$/);
  const [verb = "", second = ""] = words;
  if (program === "git") return gitDeed(verb, words.slice(1), args);
  if (HOSTS.has(program)) return hostDeed(verb, second);
  if (isCheck(ran)) return { kind: "check", name: runName(ran) };
  if (LOOKS.has(program) || LOOKING[program]?.test(verb) === true) return null;
  if (LOOK_VERBS.test(verb) || (LOOK_VERBS.test(second) && !INTERPRETERS.test(program))) return null;
  if (program === "kubectl" && verb === "rollout" && second !== "restart" && second !== "undo") return null;
  if (DATABASES.has(program) && !CHANGES_DATA.test(args.join(" ")) && !args.includes("-f")) return null;
  // A snippet given as an argument is a look of its own: it is never run again under a name.
  if (INTERPRETERS.test(program) && args.some((arg) => /^-(?:c|e|n|p|-check|-eval|-version)$/.test(arg))) return null;
  const name = runName(ran);
  const deed: Deed = { kind: DEPLOYS.test(`${program} ${words.slice(0, 2).join(" ")}`) ? "deploy" : "run", name };
  return args.some((arg) => PRETENDS.test(arg)) ? { ...deed, dry: true } : deed;
}

function gitDeed(verb: string, words: readonly string[], args: readonly string[]): Deed | null {
  if (verb === "commit") return { kind: "commit", name: "" };
  const begun = /^(?:checkout|switch|worktree)$/.test(verb)
    ? args[args.findIndex((arg) => /^-[bBcC]$/.test(arg)) + 1]
    : undefined;
  if (begun !== undefined && args.some((arg) => /^-[bBcC]$/.test(arg))) return { kind: "branch", name: begun };
  if (verb === "push") return args.some((arg) => PRETENDS.test(arg)) ? null : { kind: "push", name: words.join(" ") };
  if (verb === "merge" && !args.some((arg) => /^--(?:abort|quit)$/.test(arg)))
    return { kind: "merge", name: words[0] ?? "" };
  return LOOKING["git"]?.test(verb) === false && verb !== "" ? { kind: "run", name: `git ${verb}` } : null;
}

function hostDeed(noun: string, verb: string): Deed | null {
  if (REQUESTS.test(noun) || noun === "repos") {
    if (/^(?:create|new|open|submit)$/.test(verb)) return { kind: "open_pr", name: "" };
    if (/^(?:merge|close|accept)$/.test(verb)) return { kind: "merge_pr", name: "" };
    return null;
  }
  if (/^(?:workflow|run|ci|pipeline)$/.test(noun) && /^(?:run|rerun|trigger|retry)$/.test(verb))
    return { kind: "run", name: `${noun} ${verb}`, started: true };
  return /^(?:list|view|status|watch|checks|diff|get|show|search|api|browse)$/.test(verb) ||
    verb === "" ||
    noun === "api"
    ? null
    : { kind: "run", name: `${noun} ${verb}` };
}

/** `scripts/a.py` for `python3 scripts/a.py --all`, `npm deploy` for `npm run deploy -- x`. */
export function runName({ program, args }: ProgramRun): string {
  const words = operands(args).filter((word) => word !== "run" && word !== "exec" && word !== "run-script");
  const skip = WITHIN[program];
  if (skip !== undefined) return last(words.at(0) ?? program);
  if (INTERPRETERS.test(program)) {
    const module = args[args.indexOf("-m") + 1];
    return args.includes("-m") && module !== undefined ? module : last(words[0] ?? program);
  }
  if (RUNNERS.has(program)) return `${program} ${words[0] ?? ""}`.trim();
  return program.includes(".") || words.length === 0 ? program : `${program} ${last(words[0] ?? "")}`;
}

function last(path: string): string {
  return path.split("/").at(-1) ?? path;
}

export function stepOf(line: number, status: ToolStatus, deeds: readonly Deed[], about: string): Step {
  return { line, status, deeds: [...deeds], about: about.slice(0, LONGEST_ABOUT) };
}
