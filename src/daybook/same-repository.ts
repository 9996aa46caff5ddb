import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { recordsOf, type RecordedSession } from "../answers/recorded.ts";
import type { SessionView } from "../answers/session-view.ts";
import { Git } from "../io/git.ts";
import type { Asking } from "./asking.ts";
import { sessions } from "./sessions.ts";

/** So many directories are looked at for one question, and so many sessions of each. */
const MOST_PLACES = 50;
const MOST_SESSIONS = 3;

/** Whether another directory holds, or held, the repository that is asked about: a clone, a worktree, the same on another machine. */
export class SameRepository {
  readonly #asking: Asking;
  readonly #git: Git | null;
  readonly #places = new Map<string, string | false | null>();
  readonly #proven = new Map<string, Set<string>>();
  #beginning: string | null = null;
  #all: SessionView[] | null = null;

  constructor(asking: Asking, git: Git | null) {
    this.#asking = asking;
    this.#git = git;
  }

  /** Where its root is there; false when it is another one, null when nobody can tell. */
  async rootAt(dir: string): Promise<string | false | null> {
    const known = this.#places.get(dir);
    if (known !== undefined) return known;
    // Without git, one that is still there is another one.
    if (!this.#git) return existsSync(dir) ? false : null;
    if (this.#places.size >= MOST_PLACES) return null;
    this.#places.set(dir, null);
    const root = existsSync(dir) ? this.#now(dir, this.#git) : await this.#then(dir, this.#git);
    this.#places.set(dir, root);
    return root;
  }

  /**
   * Whether a directory that is only called alike may have held it: not where others of the name are known to have, and this one lay
   * elsewhere.
   */
  async mayBe(root: string): Promise<boolean> {
    const proven = await this.#provenLike(basename(root));
    return proven.size === 0 || proven.has(dirname(root));
  }

  /** Where directories lie that are called so, and that git proves to be the same. */
  async #provenLike(name: string): Promise<ReadonlySet<string>> {
    let found = this.#proven.get(name);
    if (found) return found;
    this.#proven.set(name, (found = new Set()));
    this.#all ??= this.#git ? await sessions(this.#asking, {}) : [];
    const places = new Set(this.#all.map(({ cwd }) => cwd ?? ""));
    for (const cwd of [...places].filter((place) => place.split("/").includes(name))) {
      const root = await this.rootAt(cwd);
      if (typeof root === "string") found.add(dirname(root));
    }
    return found;
  }

  /** Two that began with the same commit are one. */
  #now(dir: string, git: Git): string | false {
    const other = Git.at(dir);
    this.#beginning ??= beginningOf(git);
    return other && this.#beginning !== "" && beginningOf(other) === this.#beginning ? other.root : false;
  }

  /** A session that began at a commit that is here was here. */
  async #then(dir: string, git: Git): Promise<string | null> {
    this.#all ??= await sessions(this.#asking, {});
    for (const { source, session_id } of this.#all.filter(({ cwd }) => cwd === dir).slice(0, MOST_SESSIONS)) {
      const key = `${source}/${session_id}`;
      const recorded = (await this.#asking.rows({ session: key })).recorded(key);
      const commit = recorded && commitOf(recorded);
      if (commit && /^[0-9a-f]{7,64}$/.test(commit) && git.commit(commit) !== null) return dir;
    }
    return null;
  }
}

function beginningOf(git: Git): string {
  return (git.ask("rev-list", "--max-parents=0", "HEAD") ?? "").trim();
}

function commitOf(session: RecordedSession): string | null {
  for (const record of recordsOf(session, new Set(["session_meta", "context"] as const)))
    if (record.type === "session_meta" || record.type === "context") {
      if (record.git?.commit) return record.git.commit;
      if (record.type === "context") return null;
    }
  return null;
}
