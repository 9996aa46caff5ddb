import { spawnSync } from "node:child_process";
import { devNull } from "node:os";

/** More than a history of one file, less than what would fill the memory. */
const MOST = 512 * 1024 * 1024;

/** What would make git run other programs, write, ask somebody or fetch: none of it is wanted of one that is only asked. */
const QUIET = [
  "--no-optional-locks",
  "--no-pager",
  "--literal-pathspecs",
  ...[`core.hooksPath=${devNull}`, "core.fsmonitor=false", "log.showSignature=false", "core.quotePath=false"].flatMap(
    (setting) => ["-c", setting],
  ),
];

/** A repository that is only asked. */
export class Git {
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  /** The repository a directory is in; null when it is in none, or there is no git. */
  static at(dir: string): Git | null {
    const root = run(dir, ["rev-parse", "--show-toplevel"])?.trimEnd() ?? "";
    return root === "" ? null : new Git(root);
  }

  /** What git says; null when it refuses. */
  ask(...words: string[]): string | null {
    return run(this.root, words);
  }

  /** The full name of a commit; null when there is none of that name. */
  commit(name: string): string | null {
    if (name.startsWith("-")) return null;
    return this.ask("rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`)?.trim() ?? null;
  }

  /** Files at commits, `COMMIT:PATH`, in order; null for those that are not there. */
  contents(names: readonly string[]): (string | null)[] {
    if (names.length === 0) return [];
    // A name that holds a line break would be taken for two.
    const asked = names.map((name) => (name.includes("\n") ? ":" : name));
    const out = spawn(this.root, ["cat-file", "--batch"], `${asked.join("\n")}\n`);
    if (out === null) return names.map(() => null);
    let at = 0;
    return names.map(() => {
      const end = out.indexOf(0x0a, at);
      const [, type, size] = out.toString("utf8", at, end).split(" ");
      at = end + 1;
      if (type !== "blob") return null;
      const text = out.toString("utf8", at, at + Number(size));
      at += Number(size) + 1;
      return text;
    });
  }
}

function run(dir: string, words: readonly string[]): string | null {
  return spawn(dir, words)?.toString("utf8") ?? null;
}

function spawn(cwd: string, words: readonly string[], input = ""): Buffer | null {
  const env = {
    ...process.env,
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    LC_ALL: "C",
  };
  const { status, stdout } = spawnSync("git", [...QUIET, ...words], { cwd, input, env, maxBuffer: MOST });
  return status === 0 ? stdout : null;
}
