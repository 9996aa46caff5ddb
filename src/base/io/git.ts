import { spawnSync } from "node:child_process";
import { devNull } from "node:os";
import { DaybookError } from "../errors.ts";

/** More than the history of one file needs, less than would exhaust memory. */
const MAX_OUTPUT_BYTES = 512 * 1024 * 1024;

/** In ms. The history of a file in a very large repository takes half of this. */
const LIMIT = 60_000;

/** Settings of a repository that would run other programs, or name files that may be anything, such as a pipe. */
const SETTINGS = [
  `core.hooksPath=${devNull}`,
  "core.fsmonitor=false",
  "log.showSignature=false",
  "log.mailmap=false",
  "mailmap.file=",
  "mailmap.blob=",
  "core.quotePath=false",
];

/** Options that keep git from running other programs, writing, prompting or fetching. */
const READ_ONLY_OPTIONS = [
  "--no-optional-locks",
  "--no-pager",
  "--literal-pathspecs",
  ...SETTINGS.flatMap((setting) => ["-c", setting]),
];

/** A repository can be made so that git waits for ever. */
export class GitTimeoutError extends DaybookError {
  constructor(cwd: string, limit: number) {
    super(`git did not answer within ${limit / 1000} s`, {
      code: "unreadable",
      op: "ask git",
      path: cwd,
      hint: "run `git log -1` there: a file that git reads may be a pipe, or its disk may not answer",
    });
  }
}

/** Read-only access to a git repository. */
export class Git {
  readonly root: string;
  readonly #limit: number;

  private constructor(root: string, limit: number) {
    this.root = root;
    this.#limit = limit;
  }

  /** The repository that contains a directory; null when there is none, or git is not installed. */
  static at(dir: string, limit: number = LIMIT): Git | null {
    const root = spawn(dir, ["rev-parse", "--show-toplevel"], limit)?.toString("utf8").trimEnd() ?? "";
    return root === "" ? null : new Git(root, limit);
  }

  /** The output of a git command; null when it fails. */
  ask(...words: string[]): string | null {
    return spawn(this.root, words, this.#limit)?.toString("utf8") ?? null;
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
    const out = spawn(this.root, ["cat-file", "--batch"], this.#limit, `${asked.join("\n")}\n`);
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

function spawn(cwd: string, words: readonly string[], limit: number, input = ""): Buffer | null {
  const env = {
    ...process.env,
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    LC_ALL: "C",
  };
  const { status, stdout, error } = spawnSync("git", [...READ_ONLY_OPTIONS, ...words], {
    cwd,
    input,
    env,
    maxBuffer: MAX_OUTPUT_BYTES,
    timeout: limit,
    killSignal: "SIGKILL",
  });
  if (error && "code" in error && error.code === "ETIMEDOUT") throw new GitTimeoutError(cwd, limit);
  return status === 0 ? stdout : null;
}
