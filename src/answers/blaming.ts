import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, relative, sep } from "node:path";
import type { SessionView } from "../views/session-view.ts";
import type { ToolView } from "../views/tool-view.ts";
import type { TurnView } from "../views/turn-view.ts";
import { blameFile } from "./blame/blame.ts";
import { isInside, pathMapper, formerRoot } from "./blame/former-paths.ts";
import type { PlacedCall } from "./blame/placed-call.ts";
import type { PrintedCall } from "./blame/looking.ts";
import type { EditEvent } from "./blame/model.ts";
import type { BlameTarget } from "./blame/target.ts";
import { blameView, type BlameView } from "./blame/view.ts";
import { DaybookError } from "../base/errors.ts";
import { Git } from "../base/io/git.ts";
import type { AnswerContext } from "./answer-context.ts";
import { SameRepository } from "./same-repository.ts";
import { sessions } from "./sessions.ts";
import { callKey, callOutputs } from "./call-outputs.ts";
import { callsHolding, tools } from "./tools.ts";
import { turnsNamed } from "./turns.ts";
import { sessionKey, keyOfSession, turnKey } from "../record/session-key.ts";

export interface BlameDemand extends BlameTarget {
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
