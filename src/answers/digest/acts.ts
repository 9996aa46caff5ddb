import type { ToolStatus } from "../../record/record.ts";
import { provenBy, type Decider } from "../../base/shell/exit-deciders.ts";
import { hasOption, operands } from "../../base/shell/options.ts";
import { programsOf } from "../../base/shell/program-runs.ts";
import { gitStepsOf } from "../../views/facts/git-steps.ts";
import { looks, pretends } from "../../views/facts/steps.ts";

/** What a command does to the world, as far as statements about a turn can be compared with it. */
export type ActKind = "commit" | "merge" | "push" | "release" | "pull_request" | "check";

/** A call of a turn or of a sub-agent it started, and how it ended. */
export interface Act {
  /** The line of the call in its file. */
  line: number | null;
  time: string | null;
  /** The sub-agent that made it; null = the turn itself. */
  by: string | null;
  /** The tool. */
  name: string;
  /** The shell commands it ran, as one text; empty when it ran none. */
  command: string;
  /** The command, path or query it was about. */
  about: string;
  status: ToolStatus;
  exit_code: number | null;
  /** What it set out to do. */
  does: readonly ActKind[];
  /** What it has done: it ended well, and would not have if this had failed. */
  did: readonly ActKind[];
}

/** What the commands of a call set out to do. `isCheck`: it runs tests, a build or a linter. */
export function kindsOf(command: string, isCheck: boolean): ActKind[] {
  const ran = programsOf(command, { roots: [], cwd: null });
  return [...new Set<ActKind>([...(isCheck ? (["check"] as const) : []), ...ran.flatMap(kindsOfRun)])];
}

/** What a command has done if it ended well: nothing whose failure it ignores. */
export function kindsDone(command: string): ActKind[] {
  return [...new Set(provenBy(command).flatMap(kindsOfRun))];
}

function kindsOfRun(ran: Decider): ActKind[] {
  if (pretends(ran)) return [];
  if (ran.program === "git") return gitKinds(ran.args);
  const [noun = "", verb = ""] = ran.args;
  if (/^(?:gh|glab)$/.test(ran.program) && /^(?:pr|mr)$/.test(noun)) {
    if (verb === "merge") return ["merge"];
    if (verb === "create") return ["pull_request"];
  }
  return releases(ran) ? ["release"] : [];
}

function gitKinds(args: readonly string[]): ActKind[] {
  const kinds = gitStepsOf({ args, hereText: null }).flatMap((step): ActKind[] => {
    if (step.kind === "commit") return [step.verb === "merge" ? "merge" : "commit"];
    return step.kind === "push" ? ["push"] : [];
  });
  // A fast-forward merge is no commit, but a merge.
  const isMerge = operands(args, /^-[Cc]$/)[0] === "merge" && !hasOption(args, /^--(?:abort|quit|squash|no-commit)$/);
  return isMerge ? [...kinds, "merge"] : kinds;
}

/** Programs that bring something to users or machines, with the subcommand that does. */
const RELEASING: Readonly<Record<string, RegExp>> = {
  kubectl: /^(?:apply|rollout|set)$/,
  helm: /^(?:upgrade|install)$/,
  terraform: /^(?:apply)$/,
  npm: /^publish$/,
  pnpm: /^(?:publish|deploy)$/,
  yarn: /^(?:publish|npm)$/,
  cargo: /^publish$/,
  docker: /^push$/,
  podman: /^push$/,
  gh: /^release$/,
  glab: /^release$/,
  twine: /^upload$/,
  gem: /^push$/,
  fly: /^deploy$/,
  flyctl: /^deploy$/,
  vercel: /./,
  netlify: /^deploy$/,
  wrangler: /^(?:deploy|publish)$/,
  serverless: /^deploy$/,
  "ansible-playbook": /./,
  rsync: /./,
  scp: /./,
  cap: /./,
};

function releases({ program, args }: Decider): boolean {
  const words = args.filter((arg) => !arg.startsWith("-"));
  if (RELEASING[program]?.test(words[0] ?? "-") === true) return true;
  if (looks(program, words)) return false;
  // Scripts, targets and tasks are called what they do: `./deploy.sh`, `make release`, `npm run deploy:staging`.
  return [program, ...words.slice(0, 3)].some((word) =>
    /(?<![a-z0-9])(?:deploy|publish|release|rollout|ship)(?![a-z0-9])/i.test(word),
  );
}
