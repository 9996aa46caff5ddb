import { spawnSync } from "node:child_process";
import { devNull } from "node:os";

/** More than the history of one file needs, less than would exhaust memory. */
const MAX_OUTPUT_BYTES = 512 * 1024 * 1024;

/** Options that keep git from running other programs, writing, prompting or fetching. */
const READ_ONLY_OPTIONS = [
  "--no-optional-locks",
  "--no-pager",
  "--literal-pathspecs",
  ...[`core.hooksPath=${devNull}`, "core.fsmonitor=false", "log.showSignature=false", "core.quotePath=false"].flatMap(
    (setting) => ["-c", setting],
  ),
];

/** Read-only access to a git repository. */
export class Git {
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  /** The repository that contains a directory; null when there is none, or git is not installed. */
  static at(dir: string): Git | null {
    const root = run(dir, ["rev-parse", "--show-toplevel"])?.trimEnd() ?? "";
    return root === "" ? null : new Git(root);
  }

  /** The output of a git command; null when it fails. */
  ask(...words: string[]): string | null {
    return run(this.root, words);
  }

  /** The full hash of a commit; null when no commit has that name. */
  commit(name: string): string | null {
    if (name.startsWith("-")) return null;
    return this.ask("rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`)?.trim() ?? null;
  }

  /** Contents of `COMMIT:PATH` objects, in the order of the names; null for those that do not exist. */
  contents(names: readonly string[]): (string | null)[] {
    if (names.length === 0) return [];
    // A name with a line break would be read as two names.
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
  const { status, stdout } = spawnSync("git", [...READ_ONLY_OPTIONS, ...words], {
    cwd,
    input,
    env,
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  return status === 0 ? stdout : null;
}
