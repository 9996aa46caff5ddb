import type { ToolStatus } from "../../record/record.ts";
import { programsOf } from "../../base/shell/program-runs.ts";
import { gitSteps } from "../../views/facts/git-steps.ts";

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
  does: readonly ActKind[];
}

/** What the commands of a call do. `isCheck`: it runs tests, a build or a linter. */
export function kindsOf(command: string, isCheck: boolean): ActKind[] {
  const kinds = new Set<ActKind>(isCheck ? ["check"] : []);
  if (command.includes("git"))
    for (const step of gitSteps(command)) {
      if (step.kind === "commit") kinds.add(step.verb === "merge" ? "merge" : "commit");
      if (step.kind === "push") kinds.add("push");
    }
  // A fast-forward merge is no commit, but a merge.
  if (/\bgit\b.*\bmerge\b/.test(command) && !/--(?:abort|quit|squash|no-commit)\b/.test(command)) kinds.add("merge");
  if (/\b(?:gh|glab)\s+(?:pr|mr)\s+merge\b/.test(command)) kinds.add("merge");
  if (/\b(?:gh|glab)\s+(?:pr|mr)\s+create\b/.test(command)) kinds.add("pull_request");
  if (releases(command)) kinds.add("release");
  return [...kinds];
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

function releases(command: string): boolean {
  return programsOf(command, { roots: [], cwd: null }).some(({ program, args }) => {
    const [verb = "-"] = args.filter((arg) => !arg.startsWith("-"));
    if (RELEASING[program]?.test(verb) === true) return true;
    // Scripts, targets and tasks are called what they do: `./deploy.sh`, `make release`, `npm run deploy:staging`.
    const named = [program, ...args.slice(0, 3)].filter((word) => !word.startsWith("-"));
    return (
      named.some((word) => /(?<![a-z0-9])(?:deploy|publish|release|rollout|ship)(?![a-z0-9])/i.test(word)) &&
      program !== "git"
    );
  });
}
