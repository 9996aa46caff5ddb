import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { recordsOf, type Recording } from "../views/recorded.ts";
import type { SessionView } from "../views/session-view.ts";
import { Git } from "../base/io/git.ts";
import type { AnswerContext } from "./answer-context.ts";
import { sessions } from "./sessions.ts";
import { keyOfSession } from "../record/session-key.ts";

/** Maximum number of directories examined for one question, and of sessions for each. */
const MOST_PLACES = 50;
const MOST_SESSIONS = 3;

/**
 * Whether another directory holds, or held, the same repository: a clone, a worktree, or a copy on another machine.
 */
export class SameRepository {
  readonly #ctx: AnswerContext;
  readonly #git: Git | null;
  readonly #places = new Map<string, string | false | null>();
  readonly #proven = new Map<string, Set<string>>();
  #beginning: string | null = null;
  #all: SessionView[] | null = null;

  constructor(ctx: AnswerContext, git: Git | null) {
    this.#ctx = ctx;
    this.#git = git;
  }

  /** The root of the repository at that directory; false if it is another repository, null if unknown. */
  async rootAt(dir: string): Promise<string | false | null> {
    const known = this.#places.get(dir);
    if (known !== undefined) return known;
    // Without git, a directory that still exists counts as different.
    if (!this.#git) return existsSync(dir) ? false : null;
    if (this.#places.size >= MOST_PLACES) return null;
    this.#places.set(dir, null);
    const root = existsSync(dir) ? this.#rootNow(dir, this.#git) : await this.#rootThen(dir, this.#git);
    this.#places.set(dir, root);
    return root;
  }

  /**
   * Whether a directory of the same name may have held the repository: not if others of that name are proven to have
   * held it, and this one was located elsewhere.
   */
  async mayBe(root: string): Promise<boolean> {
    const proven = await this.#provenLike(basename(root));
    return proven.size === 0 || proven.has(dirname(root));
  }

  /** The parents of directories with this name that git proves to be the same repository. */
  async #provenLike(name: string): Promise<ReadonlySet<string>> {
    let found = this.#proven.get(name);
    if (found) return found;
    this.#proven.set(name, (found = new Set()));
    this.#all ??= this.#git ? await sessions(this.#ctx, {}) : [];
    const places = new Set(this.#all.map(({ cwd }) => cwd ?? ""));
    for (const cwd of [...places].filter((place) => place.split("/").includes(name))) {
      const root = await this.rootAt(cwd);
      if (typeof root === "string") found.add(dirname(root));
    }
    return found;
  }

  /** Two repositories with the same root commit are the same. */
  #rootNow(dir: string, git: Git): string | false {
    const other = Git.at(dir);
    this.#beginning ??= beginningOf(git);
    return other && this.#beginning !== "" && beginningOf(other) === this.#beginning ? other.root : false;
  }

  /** A session that began at a commit of this repository worked in it. */
  async #rootThen(dir: string, git: Git): Promise<string | null> {
    this.#all ??= await sessions(this.#ctx, {});
    for (const { source, session_id } of this.#all.filter(({ cwd }) => cwd === dir).slice(0, MOST_SESSIONS)) {
      const key = keyOfSession(source, session_id);
      const recorded = this.#ctx.rows({ session: key }).recordedSession(key);
      const commit = recorded && commitOf(recorded);
      if (commit && /^[0-9a-f]{7,64}$/.test(commit) && git.commit(commit) !== null) return dir;
    }
    return null;
  }
}

function beginningOf(git: Git): string {
  return (git.ask("rev-list", "--max-parents=0", "HEAD") ?? "").trim();
}

function commitOf(session: Recording): string | null {
  for (const record of recordsOf(session, new Set(["session_meta", "context"] as const)))
    if (record.type === "session_meta" || record.type === "context") {
      if (record.git?.commit) return record.git.commit;
      if (record.type === "context") return null;
    }
  return null;
}
