import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, relative, sep } from "node:path";
import type { SessionView } from "../answers/session-view.ts";
import type { ToolView } from "../answers/tool-view.ts";
import type { TurnView } from "../answers/turn-view.ts";
import { blamed } from "../blame/blame.ts";
import { isInside, pathsOf, rootThere } from "../blame/place-then.ts";
import type { PlacedCall } from "../blame/placed-call.ts";
import type { PrintedCall } from "../blame/looking.ts";
import type { EditEvent } from "../blame/model.ts";
import type { BlameTarget } from "../blame/target.ts";
import { blameView, type BlameView } from "../blame/view.ts";
import { DaybookError } from "../errors.ts";
import { Git } from "../io/git.ts";
import type { Asking } from "./asking.ts";
import { SameRepository } from "./same-repository.ts";
import { sessions } from "./sessions.ts";
import { callKey, callOutputs } from "./call-outputs.ts";
import { callsHolding, tools } from "./tools.ts";
import { turnsNamed } from "./turns.ts";
import { sessionKey, turnKey } from "../turns/session.ts";

export interface BlameDemand extends BlameTarget {
  /** A commit, or a name of one; absent: the file as it is. */
  revision?: string | undefined;
}

export async function blame(asking: Asking, demand: BlameDemand): Promise<BlameView> {
  const { git, files } = sessionsAround(asking, demand);
  return blameAmong(files, git, demand);
}

/** The repository a path is in, and the sessions that may have worked in it. */
export function sessionsAround(
  asking: Asking,
  { path, cwd }: Pick<BlameTarget, "path" | "cwd">,
): { git: Git | null; files: Sessions } {
  // Agents that nobody knows are reported before files that are not there.
  asking.at.opened();
  const git = Git.at(nearest(dirname(path)));
  const dir = path.startsWith(`${cwd}${sep}`) ? cwd : dirname(path);
  return { git, files: new Sessions(asking, git?.root ?? dir, git) };
}

/** Of a file that is gone its directory may be gone, too. */
function nearest(dir: string): string {
  return existsSync(dir) || dirname(dir) === dir ? dir : nearest(dirname(dir));
}

export async function blameAmong(
  files: Sessions,
  git: Git | null,
  { path, lines, revision }: Pick<BlameDemand, "path" | "lines" | "revision">,
): Promise<BlameView> {
  const commit = revision === undefined ? null : commitOf(git, revision);
  const content = contentOf(git, path, commit?.hash ?? null);
  const found = await blamed({
    ...{ path, content, git, commit, calls: (names, near) => files.calls(names, near) },
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
    ...{ code: "not_found", op: "blame", path },
  });
}

/** Of a file that is gone, nothing. */
export function contentNow(path: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(path, "utf8") : "";
}

/** More sessions that name a file are not looked through for what does not. */
const NEAR = 40;

/** Sessions as they are needed, each looked up once. */
export class Sessions {
  readonly #asking: Asking;
  readonly #root: string;
  readonly #project: string | null;
  readonly #views = new Map<string, SessionView | null>();
  readonly #calls = new Map<string, PlacedCall>();
  readonly #asked = new Set<string>();
  #isComplete = false;
  readonly #same: SameRepository;

  constructor(asking: Asking, root: string, git: Git | null) {
    this.#asking = asking;
    this.#root = root;
    this.#same = new SameRepository(asking, git);
    this.#project = asking.at.names.projectAt(root)?.project_key ?? null;
  }

  /**
   * Calls that were given one of these texts, or, in sessions of the project and in those that have to do with the file, one of
   * `near`. What was asked for once is not looked for again.
   */
  async calls(texts: readonly string[], near: readonly string[] = []): Promise<PlacedCall[]> {
    const fresh = this.#isComplete ? [] : texts.filter((text) => !this.#asked.has(text));
    for (const text of fresh) this.#asked.add(text);
    if (fresh.length > 0) await this.#keep(await callsHolding(this.#asking, fresh));
    if (!this.#isComplete && near.length > 0) await this.#lookNear(near);
    return [...this.#calls.values()];
  }

  async #lookNear(texts: readonly string[]): Promise<void> {
    const known = [...new Set([...this.#calls.values()].map(({ view }) => sessionKey(view)))];
    for (const query of [
      // By its name it is known where it lay elsewhere then.
      ...[this.#project, basename(this.#root)].filter((project) => project !== null).map((project) => ({ project })),
      ...known.slice(0, NEAR).map((session) => ({ session })),
    ]) {
      const name = JSON.stringify(query);
      if (!this.#asked.has(name)) await this.#keep(await callsHolding(this.#asking, texts, query));
      this.#asked.add(name);
    }
  }

  /** Calls of these turns that were given one of these texts, with what they printed. */
  async printed(turns: ReadonlySet<string>, texts: readonly string[]): Promise<PrintedCall[]> {
    const meant: ToolView[] = [];
    for (const session of new Set([...turns].map((turn) => turn.slice(0, turn.lastIndexOf("/")))))
      meant.push(...(await callsHolding(this.#asking, texts, { session })).filter((view) => turns.has(turnKey(view))));
    await this.#keep(meant);
    const outputs = await callOutputs(this.#asking, meant);
    return meant.flatMap((view) => {
      const call = this.#calls.get(callKey(view));
      return call ? [{ call, output: outputs.get(callKey(view)) ?? "" }] : [];
    });
  }

  /** Every call that may have to do with the directory: for questions about many files. */
  async all(): Promise<PlacedCall[]> {
    if (!this.#isComplete) {
      await this.#keep(await callsHolding(this.#asking, [this.#root]));
      for (const session of await sessions(this.#asking, {})) {
        const { cwd, here } = await this.placesOf(sessionKey(session));
        if (cwd !== null && here(cwd) !== null)
          await this.#keep(await tools(this.#asking, { session: sessionKey(session) }));
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

  /** Where a session worked, and where its paths lead now. */
  async placesOf(key: string): Promise<Pick<PlacedCall, "cwd" | "here">> {
    const session = await this.session(key);
    const cwd = session?.cwd ?? null;
    const there = cwd === null ? null : await this.#rootThere(cwd, session?.project_key === this.#project);
    return { cwd, here: pathsOf(this.#root, there) };
  }

  /** What git proves, then what names tell. */
  async #rootThere(cwd: string, isOfProject: boolean): Promise<string | null> {
    if (isInside(this.#root, cwd)) return this.#root;
    const proven = await this.#same.rootAt(cwd);
    if (proven === false) return isOfProject ? cwd : null;
    if (proven !== null) return proven;
    const called = rootThere(this.#root, cwd, isOfProject);
    return called !== null && (await this.#same.mayBe(called)) ? called : null;
  }

  async session(key: string): Promise<SessionView | null> {
    const known = this.#views.get(key);
    if (known !== undefined) return known;
    const view = (await sessions(this.#asking, { session: key }))[0] ?? null;
    this.#views.set(key, view);
    return view;
  }

  /** The turns that answer for changes: of sessions that no human spoke to, those that caused them. */
  async owners(events: readonly EditEvent[]): Promise<(event: EditEvent) => TurnView | null> {
    const names = new Map<string, { source: string; session_id: string; turn_ref: string } | null>();
    for (const event of events) {
      const key = turnKey(event);
      if (!names.has(key)) names.set(key, await this.ownerOf(event));
    }
    const wanted = [...names.values()].filter((name) => name !== null);
    const views = new Map((await turnsNamed(this.#asking, wanted)).map((view) => [turnKey(view), view]));
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
    const view = await this.session(`${source}/${session_id}`);
    return view?.parent ? this.ownerOf({ ...view.parent, turn_ref: view.parent_turn }) : null;
  }
}
