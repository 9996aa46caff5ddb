import { commandsOf, commandText } from "../../base/shell/commands.ts";
import { operands } from "../../base/shell/options.ts";
import { programsOf, programsOfWords, type ProgramRun } from "../../base/shell/program-runs.ts";
import type { ToolStatus } from "../../record/record.ts";
import { isCheck } from "./checks.ts";

/**
 * What a call set out to do, as far as it can later be told whether that was brought to an end. Calls that only look at
 * something are no deeds.
 */
export interface Deed {
  kind: "check" | "run" | "commit" | "push" | "merge" | "open_pr" | "merge_pr" | "deploy" | "preview" | "branch";
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
/** What shows before an act what the act would do, and the name under which the act itself runs. */
const PREVIEWS: Readonly<Record<string, readonly [preview: string, act: string]>> = {
  terraform: ["plan", "apply"],
  tofu: ["plan", "apply"],
  terragrunt: ["plan", "apply"],
  pulumi: ["preview", "up"],
  cdk: ["diff", "deploy"],
};
/** Programs that queue what runs later, and subcommands and options that do the same. */
const QUEUES = new Set(["sbatch", "qsub", "bsub", "condor_submit", "at", "batch"]);
const QUEUING = /^(?:submit|submit-job|trigger|run-task|start-(?:build|execution|job-run)|--async|--no-wait)$/;
/** What shows how something that was started goes. */
const WATCHES =
  /(?<![\w/.-])(?:squeue|sacct|qstat|bjobs|condor_q|atq|tail|screen\s+-(?:r|ls)|tmux\s+(?:a|at|attach\S*|capture-pane|ls)|(?:gh|glab|az|circleci|argo|airflow)\s+(?:run|workflow|ci|pipelines?|builds?|tasks?|dags?|logs?)\b.{0,40}?\b(?:list|logs?|show|state|status|trace|view|watch)|kubectl\s.{0,40}?\b(?:get|logs|wait|describe))(?![\w-])/;

/** Whether a call looks at what goes on elsewhere or in the background. */
export function watches(name: string, input: unknown): boolean {
  return WATCHES.test(commandText(name, input).slice(0, LONGEST_ABOUT));
}

/** What the command line tools of code hosts call their reviews. */
const REQUESTS = /^(?:pr|mr|pull-request|merge-request)$/;
const HOSTS = new Set(["gh", "glab", "hub", "tea", "az", "bb"]);
/** Options of programs with subcommands whose value stands before the subcommand. */
const VALUES: Readonly<Record<string, RegExp>> = {
  git: /^(?:-[Cc]|--git-dir|--work-tree|--namespace|--exec-path)$/,
  kubectl: /^(?:-[nfclo]|--(?:namespace|context|cluster|kubeconfig|filename|container|selector|output))$/,
  oc: /^(?:-[nfclo]|--(?:namespace|context|cluster|kubeconfig|filename|container|selector|output))$/,
  helm: /^(?:-[nf]|--(?:namespace|kube-context|kubeconfig|values))$/,
  gh: /^(?:-R|--repo)$/,
  glab: /^(?:-R|--repo)$/,
  docker: /^(?:-[Hcl]|--(?:host|context|log-level))$/,
  make: /^-[Cfj]$/,
};
/** Options with which a program says what it would do. */
const PRETENDS = /^--?(?:dry-?run(?:=(?!none|false).*)?|what-?if|no-?op|simulate|pretend|just-print|dryrun)$/i;
/** The same, where only some programs mean it so. */
const PRETENDS_OF: Readonly<Record<string, RegExp>> = {
  "ansible-playbook": /^(?:--check|-C)$/,
  make: /^-n$/,
  rsync: /^-[a-zA-Z]*n[a-zA-Z]*$/,
};
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
  /(?:^|[;&|("'\s])(?:nohup|setsid|disown|screen\s+-\S*d|tmux\s+new\S*\s+(?:\S+\s+)*?-d)\b|(?<![&>|])&(?![&>])\s*(?:$|[;\n"')]|disown|echo|sleep|wait)/;
/** Waits for what was started, so that the call tells how it ended. */
const WAITS =
  /(?:\s--(?:wait|exit-status)(?![\w-])|(?<![\w-])(?:run|checks) (?:\S+ )?(?:watch|--watch)(?![\w-])|[;&|]\s*wait(?![\w-])|\swait\s+\S)/;

/** What is started to stay: nobody waits for a server to end. */
const SERVES =
  /(?<![a-z])(?:dev|start|serve|server|watch|preview|up|runserver|storybook|emulator|simulator|tunnel|proxy|forward)(?![a-z])/i;

const NOWHERE = { roots: [], cwd: null };
/** Containers within machines within shells: deeper is not looked. */
const DEEPEST = 4;

/** The deeds of a call; empty when it only looks. */
export function deedsOf(name: string, input: unknown): Deed[] {
  const found: Deed[] = [];
  for (const command of commandsOf(name, input)) {
    const text = typeof command === "string" ? command : command.join(" ");
    const ran = typeof command === "string" ? programsOf(command, NOWHERE) : programsOfWords(command, NOWHERE);
    const isDetached = isInBackground(input) || DETACHES.test(text);
    const isAwaited = WAITS.test(text.slice(0, LONGEST_ABOUT));
    for (const [outer, one] of ran.flatMap((each) => runElsewhere(each).map((inner) => [each, inner] as const))) {
      const deed = deedOf(one);
      // What another machine merges into its own clone is merged nowhere else.
      if (deed?.kind === "merge" && outer.program === "ssh") continue;
      if (deed?.started && isAwaited) delete deed.started;
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

/** What runs on another machine or in a container counts as if it ran here. */
function runElsewhere(ran: ProgramRun, depth = 0): ProgramRun[] {
  const words = depth < DEEPEST ? wordsElsewhere(ran) : null;
  if (words === null) return [ran];
  const [only = ""] = words;
  const inner = words.length === 1 ? programsOf(only, NOWHERE) : programsOfWords(words, NOWHERE);
  return inner.flatMap((one) => runElsewhere(one, depth + 1));
}

const SSH_VALUES = /^-[BbcDEeFIiJLlmOopQRSWw]$/;
const CONTAINER_VALUES = /^(?:-[eluwpv]|--(?:env|env-file|user|workdir|index|name|network|volume|publish|label))$/;

/** The command that ssh, a container tool or a wrapper with `--` passes on; null for any other program. */
function wordsElsewhere({ program, args }: ProgramRun): string[] | null {
  if (program === "ssh") return operandsAndRest(args, SSH_VALUES).slice(1);
  const [verb, second] = operands(args);
  if (/^(?:exec|run)$/.test(verb ?? "") && args.includes("--")) return args.slice(args.indexOf("--") + 1);
  if (!/^(?:docker|podman|nerdctl|docker-compose)$/.test(program)) return null;
  const runs = verb === "compose" ? second : verb;
  if (runs !== "exec" && (runs !== "run" || (program === "docker" && verb === "run"))) return null;
  return operandsAndRest(args.slice(args.indexOf(runs) + 1), CONTAINER_VALUES).slice(1);
}

/** The first operand and everything after it, whose options are not the program's own. */
function operandsAndRest(args: readonly string[], takesValue: RegExp): string[] {
  let at = 0;
  while (at < args.length && (args[at] ?? "").startsWith("-")) at += takesValue.test(args[at] ?? "") ? 2 : 1;
  return args.slice(at);
}

/** Whether a program changes nothing. `words`: its operands. */
export function looks(program: string, [verb = "", second = ""]: readonly string[]): boolean {
  if (LOOKS.has(program) || LOOKING[program]?.test(verb) === true) return true;
  return LOOK_VERBS.test(verb) || (LOOK_VERBS.test(second) && !INTERPRETERS.test(program));
}

function deedOf(ran: ProgramRun): Deed | null {
  const { program, args } = ran;
  const words = operands(args, VALUES[program]);
  const [verb = "", second = ""] = words;
  if (program === "git") return gitDeed(verb, words.slice(1), args);
  if (HOSTS.has(program)) return hostDeed(words, args);
  const [preview, act] = PREVIEWS[program] ?? [];
  if (act !== undefined && verb === preview) return { kind: "preview", name: `${program} ${act}`, dry: true };
  if (isCheck(ran)) return { kind: "check", name: runName(ran) };
  if (args.length > 0 && args.every((arg) => /^-(?:[hVv]|-help|-version)$/.test(arg))) return null;
  if (looks(program, words)) return null;
  if (program === "kubectl" && verb === "rollout" && second !== "restart" && second !== "undo") return null;
  if (DATABASES.has(program) && !CHANGES_DATA.test(args.join(" ")) && !args.includes("-f")) return null;
  // A snippet given as an argument is a look of its own: it is never run again under a name.
  if (INTERPRETERS.test(program) && args.some((arg) => /^-(?:c|e|n|p|-check|-eval|-version)$/.test(arg))) return null;
  // A scratch file outlives nobody's interest in it.
  if (INTERPRETERS.test(program) && /^(?:\/private)?(?:\/var)?\/tmp\//.test(verb)) return null;
  const name = runName(ran);
  const deed: Deed = { kind: DEPLOYS.test(`${program} ${words.slice(0, 2).join(" ")}`) ? "deploy" : "run", name };
  if (pretends(ran)) return { ...deed, dry: true };
  const isQueued =
    QUEUES.has(program) ||
    (program === "kubectl" && verb === "create" && second === "job") ||
    [...words.slice(0, 3), ...args].some((word) => QUEUING.test(word));
  return isQueued ? { ...deed, started: true } : deed;
}

/** Whether a program is told only to say what it would do. */
export function pretends({ program, args }: { program: string; args: readonly string[] }): boolean {
  return args.some((arg) => PRETENDS.test(arg) || PRETENDS_OF[program]?.test(arg) === true);
}

function gitDeed(verb: string, words: readonly string[], args: readonly string[]): Deed | null {
  if (verb === "commit") return { kind: "commit", name: "" };
  // Git deletes so only what has been merged.
  if (verb === "branch" && args.includes("-d")) return { kind: "merge", name: words[0] ?? "" };
  const begun = /^(?:checkout|switch|worktree)$/.test(verb)
    ? args[args.findIndex((arg) => /^-[bBcC]$/.test(arg)) + 1]
    : undefined;
  if (begun !== undefined && args.some((arg) => /^-[bBcC]$/.test(arg))) return { kind: "branch", name: begun };
  if (verb === "push") return args.some((arg) => PRETENDS.test(arg)) ? null : { kind: "push", name: words.join(" ") };
  if (verb === "merge" && !args.some((arg) => /^--(?:abort|quit)$/.test(arg)))
    return { kind: "merge", name: words[0] ?? "" };
  return LOOKING["git"]?.test(verb) === false && verb !== "" ? { kind: "run", name: `git ${verb}` } : null;
}

function hostDeed(words: readonly string[], args: readonly string[]): Deed | null {
  // `az repos pr create`
  const [noun = "", verb = "", third = ""] = words[0] === "repos" ? words.slice(1) : words;
  if (isVerdict(noun, verb, args)) return { kind: "check", name: "ci" };
  if (REQUESTS.test(noun)) {
    if (/^(?:create|new|open|submit)$/.test(verb)) return { kind: "open_pr", name: "" };
    if (/^(?:merge|close|accept|complete)$/.test(verb)) return { kind: "merge_pr", name: numberIn(third) };
    return null;
  }
  if (/^(?:workflow|run|ci|pipelines?|builds?)$/.test(noun) && /^(?:run|rerun|trigger|retry|queue)$/.test(verb))
    return { kind: "run", name: `${noun} ${verb}`, started: true };
  return /^(?:list|view|status|watch|checks|diff|get|show|search|api|browse)$/.test(verb) ||
    verb === "" ||
    noun === "api"
    ? null
    : { kind: "run", name: `${noun} ${verb}` };
}

/** A look at a pipeline that fails if the pipeline did. */
function isVerdict(noun: string, verb: string, args: readonly string[]): boolean {
  if (REQUESTS.test(noun)) return verb === "checks";
  if (!/^(?:run|workflow|ci|pipelines?|builds?)$/.test(noun)) return false;
  return (
    verb === "watch" || (verb === "status" && args.some((arg) => /^(?:--wait|--live|-l|--exit-status)$/.test(arg)))
  );
}

function numberIn(word: string): string {
  return /(\d+)\/?$/.exec(word)?.[1] ?? "";
}

/** The number of a request to merge, as the tools of code hosts print it after opening it. */
const OPENED = /\/(?:pull|pull-requests?|pullrequest|merge_requests|pulls)\/(\d{1,9})\b|"pullRequestId":\s?(\d{1,9})/;
/** What git and those tools print of requests that were merged. */
const MERGED = new RegExp(
  [
    String.raw`\bMerge pull request #(\d{1,9})\b`,
    String.raw`\bMerged in \S{1,200} \(pull request #(\d{1,9})\)`,
    String.raw`\bSee merge request \S{0,200}!(\d{1,9})\b`,
    String.raw`#(\d{1,9})[^\n]{0,300}\bMERGED\b`,
  ].join("|"),
  "g",
);
const STATE_MERGED =
  /"(?:state|status)":\s?"(?:merged|completed)"|^state:\s*merged\b|^(?!.{0,200}\b(?:not|be|un|when|until|if|once)\s+merged).{0,200}\bmerged\s+(?:by|at|on|in|into)\b/im;

/** What a call printed about requests to merge: which one it opened, which ones have been merged. */
export function withRequests(deeds: readonly Deed[], about: string, output: string): Deed[] {
  const found: Deed[] = deeds.map((deed) => {
    const [, a, b] = deed.kind === "open_pr" ? (OPENED.exec(output) ?? []) : [];
    return a === undefined && b === undefined ? deed : { ...deed, name: a ?? b ?? "" };
  });
  if (!/\b(?:git|gh|glab|hub|tea|az|bb)\b/.test(about)) return found;
  for (const match of output.matchAll(MERGED)) {
    const name = match.slice(1).find((number) => number !== undefined) ?? "";
    if (found.length < MOST_DEEDS) found.push({ kind: "merge_pr", name });
  }
  const [, shown] = /\b(?:pr|mr)\s+(?:view|show|status)\s+[^\s\d]{0,3}(\d{1,9})?/.exec(about) ?? [];
  if (STATE_MERGED.test(output) && /\b(?:pr|mr)\b/.test(about)) found.push({ kind: "merge_pr", name: shown ?? "" });
  return found;
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
