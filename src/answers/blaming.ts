import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, relative, sep } from "node:path";
import { DaybookError } from "../base/errors.ts";
import { Git } from "../base/io/git.ts";
import { keyOfSession, sessionKey, turnKey } from "../record/session-key.ts";
import { type Recording, recordsOf } from "../views/recorded.ts";
import type { SessionView } from "../views/session-view.ts";
import type { ToolView } from "../views/tool-view.ts";
import type { TurnView } from "../views/turn-view.ts";
import type { AnswerContext } from "./answer-context.ts";
import { blameFile } from "./blame/blame.ts";
import { formerRoot, isInside, pathMapper } from "./blame/former-paths.ts";
import type { PrintedCall } from "./blame/looking.ts";
import type { EditEvent } from "./blame/model.ts";
import type { PlacedCall } from "./blame/placed-call.ts";
import type { BlameTarget } from "./blame/target.ts";
import { blameView, type BlameView } from "./blame/view.ts";
import { callsHolding, sessions, tools, turnsNamed } from "./lists.ts";

interface BlameDemand extends BlameTarget {
  /** A commit or a ref; absent: the file as it is on disk. */
  revision?: string | undefined;
}

export async function blame(ctx: AnswerContext, demand: BlameDemand): Promise<BlameView> {
  const { git, files } = sessionsAround(ctx, demand);
  return blameAmong(files, git, demand);
}

/** The repository of a path, and the sessions that may have worked in it. */
export function sessionsAround(
  ctx: AnswerContext,
  { path, cwd }: Pick<BlameTarget, "path" | "cwd">,
): { git: Git | null; files: RepositoryCalls } {
  // Unknown sources are reported before missing files.
  ctx.snapshot.opened();
  const git = Git.at(nearest(dirname(path)));
  const dir = path.startsWith(`${cwd}${sep}`) ? cwd : dirname(path);
  return { git, files: new RepositoryCalls(ctx, git?.root ?? dir, git) };
}

/** The nearest existing directory: if a file is gone, its directory may be gone too. */
function nearest(dir: string): string {
  return existsSync(dir) || dirname(dir) === dir ? dir : nearest(dirname(dir));
}

export async function blameAmong(
  files: RepositoryCalls,
  git: Git | null,
  { path, lines, revision }: Pick<BlameDemand, "path" | "lines" | "revision">,
): Promise<BlameView> {
  const commit = revision === undefined ? null : commitOf(git, revision);
  const content = contentOf(git, path, commit?.hash ?? null);
  const found = await blameFile({
    path,
    content,
    git,
    commit,
    calls: (names, near) => files.calls(names, near),
    printed: (turns, texts) => files.printed(turns, texts),
  });
  if (lines && lines[1] > found.lines.length)
    throw new DaybookError(`${path} has ${found.lines.length} lines`, { code: "not_found", op: "blame", path });
  const turnOf = await files.owners(found.lines.flatMap(({ origin }) => origin.by ?? []));
  const view = { path, names: found.names, revision: commit?.hash ?? null, lines: found.lines, range: lines, turnOf };
  return blameView(view);
}

export function commitOf(git: Git | null, name: string): { hash: string; time: number } {
  const hash = git?.commit(name) ?? null;
  const time = hash === null ? null : (git?.ask("show", "-s", "--format=%ct", "--end-of-options", hash) ?? null);
  if (hash === null || time === null)
    throw new DaybookError(git ? `no commit ${name}` : "not in a git repository", {
      code: "not_found",
      op: "find commit",
    });
  return { hash, time: Number(time) * 1000 };
}

function contentOf(git: Git | null, path: string, commit: string | null): string {
  if (commit !== null && git) {
    const [text] = git.contents([`${commit}:${relative(git.root, path).split(sep).join("/")}`]);
    if (text !== null && text !== undefined) return text;
  } else if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) return readFileSync(path, "utf8");
  throw new DaybookError(`no file ${path}${commit === null ? "" : ` in ${commit}`}`, {
    code: "not_found",
    op: "blame",
    path,
  });
}

/** The content of a file on disk; empty if it is gone. */
export function contentNow(path: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(path, "utf8") : "";
}

/** At most this many sessions that mention a file are searched for indirect edits. */
const NEAR = 40;

/** Loads sessions and calls on demand, each only once. */
export class RepositoryCalls {
  readonly #ctx: AnswerContext;
  readonly #root: string;
  readonly #project: string | null;
  readonly #views = new Map<string, SessionView | null>();
  readonly #calls = new Map<string, PlacedCall>();
  readonly #asked = new Set<string>();
  #isComplete = false;
  readonly #same: SameRepository;

  constructor(ctx: AnswerContext, root: string, git: Git | null) {
    this.#ctx = ctx;
    this.#root = root;
    this.#same = new SameRepository(ctx, git);
    this.#project = ctx.snapshot.names.projectAt(root)?.project_key ?? null;
  }

  /**
   * Calls whose input contains one of these texts; in sessions of the project, and in those already found, also calls
   * that contain one of `near`. Each text is searched for only once.
   */
  async calls(texts: readonly string[], near: readonly string[] = []): Promise<PlacedCall[]> {
    const fresh = this.#isComplete ? [] : texts.filter((text) => !this.#asked.has(text));
    for (const text of fresh) this.#asked.add(text);
    if (fresh.length > 0) await this.#keep(await callsHolding(this.#ctx, fresh));
    if (!this.#isComplete && near.length > 0) await this.#lookNear(near);
    return [...this.#calls.values()];
  }

  async #lookNear(texts: readonly string[]): Promise<void> {
    const known = [...new Set([...this.#calls.values()].map(({ view }) => sessionKey(view)))];
    for (const query of [
      // The directory name finds the project even if it was located elsewhere at the time.
      ...[this.#project, basename(this.#root)].filter((project) => project !== null).map((project) => ({ project })),
      ...known.slice(0, NEAR).map((session) => ({ session })),
    ]) {
      const name = JSON.stringify(query);
      if (!this.#asked.has(name)) await this.#keep(await callsHolding(this.#ctx, texts, query));
      this.#asked.add(name);
    }
  }

  /** Calls of these turns whose input contains one of these texts, with their output. */
  async printed(turns: ReadonlySet<string>, texts: readonly string[]): Promise<PrintedCall[]> {
    const meant: ToolView[] = [];
    for (const session of new Set([...turns].map((turn) => turn.slice(0, turn.lastIndexOf("/")))))
      meant.push(...(await callsHolding(this.#ctx, texts, { session })).filter((view) => turns.has(turnKey(view))));
    await this.#keep(meant);
    const outputs = await callOutputs(this.#ctx, meant);
    return meant.flatMap((view) => {
      const call = this.#calls.get(callKey(view));
      return call ? [{ call, output: outputs.get(callKey(view)) ?? "" }] : [];
    });
  }

  /** Every call that may concern the directory: for questions about many files. */
  async all(): Promise<PlacedCall[]> {
    if (!this.#isComplete) {
      await this.#keep(await callsHolding(this.#ctx, [this.#root]));
      for (const session of await sessions(this.#ctx, {})) {
        const { cwd, here } = await this.placesOf(sessionKey(session));
        if (cwd !== null && here(cwd) !== null)
          await this.#keep(await tools(this.#ctx, { session: sessionKey(session) }));
      }
      this.#isComplete = true;
    }
    return [...this.#calls.values()];
  }

  async #keep(views: readonly ToolView[]): Promise<void> {
    for (const view of views) {
      if (view.status !== "ok" && view.status !== "failed") continue;
      const { cwd, here } = await this.placesOf(sessionKey(view));
      const name = callKey(view);
      if (!this.#calls.has(name)) this.#calls.set(name, { view, cwd, here });
    }
  }

  /** Where a session worked, and how its paths map to the current repository. */
  async placesOf(key: string): Promise<Pick<PlacedCall, "cwd" | "here">> {
    const session = await this.session(key);
    const cwd = session?.cwd ?? null;
    const there = cwd === null ? null : await this.#rootThere(cwd, session?.project_key === this.#project);
    return { cwd, here: pathMapper(this.#root, there) };
  }

  /** What git proves comes first, then what the directory names suggest. */
  async #rootThere(cwd: string, isOfProject: boolean): Promise<string | null> {
    if (isInside(this.#root, cwd)) return this.#root;
    const proven = await this.#same.rootAt(cwd);
    if (proven === false) return isOfProject ? cwd : null;
    if (proven !== null) return proven;
    const called = formerRoot(this.#root, cwd, isOfProject);
    return called !== null && (await this.#same.mayBe(called)) ? called : null;
  }

  async session(key: string): Promise<SessionView | null> {
    const known = this.#views.get(key);
    if (known !== undefined) return known;
    const view = (await sessions(this.#ctx, { session: key }))[0] ?? null;
    this.#views.set(key, view);
    return view;
  }

  /** The turns responsible for the edits. For a session no human spoke to, that is the turn that started it. */
  async owners(events: readonly EditEvent[]): Promise<(event: EditEvent) => TurnView | null> {
    const names = new Map<string, { source: string; session_id: string; turn_ref: string } | null>();
    for (const event of events) {
      const key = turnKey(event);
      if (!names.has(key)) names.set(key, await this.ownerOf(event));
    }
    const wanted = [...names.values()].filter((name) => name !== null);
    const views = new Map((await turnsNamed(this.#ctx, wanted)).map((view) => [turnKey(view), view]));
    return (event) => {
      const name = names.get(turnKey(event));
      return name ? (views.get(turnKey(name)) ?? null) : null;
    };
  }

  async ownerOf({ source, session_id, turn_ref }: Pick<EditEvent, "source" | "session_id" | "turn_ref">): Promise<{
    source: string;
    session_id: string;
    turn_ref: string;
  } | null> {
    if (turn_ref !== null) return { source, session_id, turn_ref };
    const view = await this.session(keyOfSession(source, session_id));
    return view?.parent ? this.ownerOf({ ...view.parent, turn_ref: view.parent_turn }) : null;
  }
}

function callKey(view: Pick<ToolView, "source" | "session_id" | "call_id">): string {
  return `${sessionKey(view)}/${view.call_id}`;
}

/** The outputs of calls, by call key; calls without output are left out. */
async function callOutputs({ index }: AnswerContext, calls: readonly ToolView[]): Promise<Map<string, string>> {
  const out = new Map<string, string>();
  for (const key of new Set(calls.map(sessionKey))) {
    const own = calls.filter((call) => sessionKey(call) === key);
    const wanted = new Set(own.map(({ call_id }) => call_id));
    for (const { call_id, output } of index.outputs(own))
      if (output && wanted.has(call_id)) out.set(`${key}/${call_id}`, output);
  }
  return out;
}

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
      const commit = recorded && commitNamed(recorded);
      if (commit && /^[0-9a-f]{7,64}$/.test(commit) && git.commit(commit) !== null) return dir;
    }
    return null;
  }
}

function beginningOf(git: Git): string {
  return (git.ask("rev-list", "--max-parents=0", "HEAD") ?? "").trim();
}

function commitNamed(session: Recording): string | null {
  for (const record of recordsOf(session, new Set(["session_meta", "context"] as const)))
    if (record.type === "session_meta" || record.type === "context") {
      if (record.git?.commit) return record.git.commit;
      if (record.type === "context") return null;
    }
  return null;
}
