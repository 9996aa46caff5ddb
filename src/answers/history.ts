import { basename, join } from "node:path";
import { DaybookError } from "../base/errors.ts";
import type { Git } from "../base/io/git.ts";
import { resolvePath } from "../base/shell/working-place.ts";
import { order } from "../base/text/order.ts";
import { iso } from "../base/time/zone.ts";
import { sessionKey, turnKey } from "../record/session-key.ts";
import { basename as fileName } from "../views/projects/label.ts";
import type { TurnView } from "../views/turn-view.ts";
import type { AnswerContext } from "./answer-context.ts";
import { traceFile } from "./blame/blame.ts";
import type { ChangeView, CommitTurn, CommitView, FileView, TouchingTurn } from "./blame/file-view.ts";
import { lineCommits } from "./blame/in-git.ts";
import type { EditEvent } from "./blame/model.ts";
import type { BlameTarget } from "./blame/target.ts";
import { blameAmong, contentNow, type RepositoryCalls, sessionsAround } from "./blaming.ts";
import { glances, sessions, turnsNamed, turnsTouching } from "./lists.ts";
import type { Query } from "./questions.ts";
import type { Commit } from "../views/facts/facts.ts";

/** The turns that touched a file under any of its names, in order of time. */
export async function fileHistory(ctx: AnswerContext, target: BlameTarget, query: Query): Promise<FileView> {
  const { git, files } = sessionsAround(ctx, target);
  const { names, own } = await traceFile({
    ...target,
    content: contentNow(target.path),
    git,
    commit: null,
    calls: (words, near) => files.calls(words, near),
  });
  const paths = names.map(({ path }) => path);
  const found = new Map<string, { view: TurnView; changes: ChangeView[] }>();
  const turnOf = await files.owners(own);
  for (const event of own) note(found, turnOf(event), changeOf(event));
  // Changes an agent reports by itself, for turns whose input does not show the edit.
  for (const { view, changes } of await touching(ctx, files, paths, query))
    for (const change of changes) if (!found.get(turnKey(view))?.changes.length) note(found, view, change);
  const meant = new Set((await glances(ctx, query, false)).map(turnKey));
  const turns = [...found]
    .filter(([name]) => meant.has(name))
    .map(([turn, { view, changes }]): TouchingTurn => ({ turn, ...view, changes }))
    .toSorted((a, b) => order(a.changes[0]?.time ?? "", b.changes[0]?.time ?? "") || order(a.turn, b.turn));
  const costs = turns.flatMap(({ usage_with_children: { cost_usd } }) => cost_usd ?? []);
  return {
    path: target.path,
    names: paths,
    turns,
    cost_usd: costs.length === 0 ? null : costs.reduce((a, b) => a + b),
  };
}

function note(
  found: Map<string, { view: TurnView; changes: ChangeView[] }>,
  view: TurnView | null,
  change: ChangeView,
): void {
  if (!view) return;
  const known = found.get(turnKey(view)) ?? { view, changes: [] };
  known.changes.push(change);
  found.set(turnKey(view), known);
}

/** Maps edits made by commands to the operations of tools. */
const HOW: Readonly<Record<EditEvent["edit"]["kind"], ChangeView["how"]>> = {
  write: "write",
  replace: "replace",
  insert: "insert",
  patch: "patch",
  delete: "delete",
  move: "move",
  stream: "replace",
  copy: "write",
  restore: "write",
  script: "write",
  format: "write",
  notebook: "replace",
  output: "write",
  // These two change nothing and never occur here.
  shown: "write",
  absent: "write",
};

function changeOf({ edit, session_id, line, time }: EditEvent): ChangeView {
  return { path: edit.path, how: HOW[edit.kind], session_id, line, time: new Date(time).toISOString() };
}

async function touching(
  ctx: AnswerContext,
  files: RepositoryCalls,
  paths: readonly string[],
  query: Query,
): Promise<{ view: TurnView; changes: ChangeView[] }[]> {
  const names = new Set(paths.map((path) => basename(path)));
  const near = await turnsTouching(ctx, query, (path) => names.has(fileName(path)));
  const out: { view: TurnView; changes: ChangeView[] }[] = [];
  for (const view of await turnsNamed(ctx, near)) {
    const { here } = await files.placesOf(sessionKey(view));
    const changes = (view.files ?? []).flatMap(({ path, operation, line }): ChangeView[] => {
      const whole = resolvePath(path, view.cwd, { roots: [], cwd: view.cwd });
      const now = whole === null ? null : here(whole);
      if (now === null || !paths.includes(now)) return [];
      return [{ path: now, how: operation, session_id: view.session_id, line, time: view.trigger.time }];
    });
    if (changes.length > 0) out.push({ view, changes });
  }
  return out;
}

/** Maximum number of commits, and of files per commit, for one question; what is beyond them is reported. */
const MOST_LISTED = 200;
/** For more files than this, all calls of the repository are loaded at once. */
const FEW = 5;
/** A commit is printed in the turn that made it. Clocks of two machines differ by less than this. */
const AROUND_MS = 3_600_000;

interface RequestedCommit {
  hash: string;
  time: number;
  author: string;
  subject: string;
  files: string[];
  skipped: number;
}

/** The turns behind a commit, or each of a range of them. */
export async function commitHistory(ctx: AnswerContext, name: string, cwd: string): Promise<CommitView[]> {
  const { git, files } = sessionsAround(ctx, { path: join(cwd, ".git"), cwd });
  if (!git) throw new DaybookError("not in a git repository", { code: "not_found", op: "find commit" });
  const named = commitsNamed(git, name);
  const commits = named.slice(0, MOST_LISTED);
  if (named.length > MOST_LISTED) ctx.options.onNote?.(`only the newest ${MOST_LISTED} commits of the range are shown`);
  const made = await recordedCommits(ctx, files, commits);
  const of = commits.reduce((sum, commit) => sum + commit.files.length, 0);
  const isRecorded = of <= FEW || (await files.all()).length > 0;
  let done = 0;
  const tick = (): void => {
    done++;
    ctx.options.onProgress?.({ files: done, of, bytes: done, ofBytes: of, things: "files" });
  };
  const out: CommitView[] = [];
  for (const commit of commits)
    out.push(await viewOf(ctx, { git, files, commit, made: made.filter(isCommit(commit)), isRecorded, tick }));
  return out;
}

function commitsNamed(git: Git, name: string): RequestedCommit[] {
  const isRange = name.includes("..");
  const known = isRange ? !name.startsWith("-") : git.commit(name) !== null;
  const how = isRange ? [`-n${MOST_LISTED + 1}`] : ["-n1"];
  const format = "--format=%x01%H%x00%ct%x00%an%x00%s";
  const said = known
    ? git.ask(
        "log",
        ...how,
        "--diff-merges=first-parent",
        "--no-renames",
        // Not `--diff-filter`: it would leave out commits that only delete files.
        "--name-status",
        format,
        "--end-of-options",
        name,
        "--",
      )
    : null;
  if (said === null)
    throw new DaybookError(`no commit ${name}`, {
      code: "not_found",
      op: "find commit",
      hint: "give a commit, or a range like main..HEAD",
    });
  return said
    .split("\u0001")
    .slice(1)
    .map((entry) => {
      const [head = "", ...rows] = entry.split("\n");
      const [hash = "", seconds, author = "", subject = ""] = head.split("\0");
      const all = rows.flatMap((row) => /^[^D\t]+\t(.+)$/.exec(row)?.[1] ?? []);
      const files = all.slice(0, MOST_LISTED);
      return { hash, time: Number(seconds) * 1000, author, subject, files, skipped: all.length - files.length };
    });
}

interface RecordedCommit {
  turn: { source: string; session_id: string; turn_ref: string };
  commit: Commit;
  /** When the session was active. */
  first: number;
  last: number;
}

/** Matches by the printed hash; without one, by the subject at about the same time. */
function isCommit({ hash, subject, time }: RequestedCommit): (made: RecordedCommit) => boolean {
  return ({ commit, first, last }) =>
    commit.hash === null
      ? commit.subject === subject && time >= first - AROUND_MS && time <= last + AROUND_MS
      : hash.startsWith(commit.hash);
}

/** Commits recorded in sessions that worked here around the time of these commits. */
async function recordedCommits(
  ctx: AnswerContext,
  files: RepositoryCalls,
  commits: readonly RequestedCommit[],
): Promise<RecordedCommit[]> {
  const times = commits.map(({ time }) => time);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const found = ctx.recordFacts();
  const out: RecordedCommit[] = [];
  for (const session of await sessions(ctx, {})) {
    const began = Date.parse(session.started_at ?? "");
    const ended = Date.parse(session.ended_at ?? "");
    const key = sessionKey(session);
    if (began > last + AROUND_MS || ended < first - AROUND_MS || session.cwd === null) continue;
    if ((await files.placesOf(key)).here(session.cwd) === null) continue;
    const rows = ctx.rows({ session: key });
    for (const [ref, facts] of found.of(key, rows).turns)
      for (const commit of facts.commits) {
        const owner = await files.ownerOf({ ...session, turn_ref: ref === "" ? null : ref });
        if (owner) out.push({ turn: owner, commit, first: began, last: ended });
      }
  }
  return out;
}

interface ViewInput {
  git: Git;
  files: RepositoryCalls;
  commit: RequestedCommit;
  made: readonly RecordedCommit[];
  /** Some session may have worked in the repository. If none did, git alone counts the lines. */
  isRecorded: boolean;
  /** Called for every file. */
  tick: () => void;
}

async function viewOf(ctx: AnswerContext, input: ViewInput): Promise<CommitView> {
  const { git, files, commit, made, isRecorded, tick } = input;
  const { hash, time, author, subject, skipped: files_skipped } = commit;
  const written = new Map<string, number>();
  let [lines, attributed] = [0, 0];
  const names = new Map(made.map(({ turn }) => [turnKey(turn), turn]));
  for (const file of commit.files) {
    tick();
    if (!isRecorded) {
      lines += lineCommits(git, hash, file).filter((line) => line.hash === hash).length;
      continue;
    }
    const path = join(git.root, file);
    const view = await blameAmong(files, git, { path, lines: null, revision: hash }).catch(() => null);
    const own = view?.lines.filter((line) => line.commit?.hash === hash) ?? [];
    lines += own.length;
    for (const { turn } of own) {
      if (turn === null) continue;
      attributed++;
      written.set(turn, (written.get(turn) ?? 0) + 1);
    }
    for (const turn of view?.turns ?? []) if (written.has(turn.turn)) names.set(turn.turn, turn);
  }
  const views = await turnsNamed(ctx, [...names.values()]);
  const turns = views.map((view) => turnOf(view, written.get(turnKey(view)) ?? 0, made));
  return {
    hash,
    subject,
    author,
    time: iso(time) ?? "",
    lines,
    attributed,
    files_skipped,
    turns: turns.toSorted(byTime),
  };
}

function turnOf(view: TurnView, lines: number, made: readonly RecordedCommit[]): CommitTurn {
  const { source, session_id, turn_ref, trigger, usage_with_children } = view;
  const turn = turnKey(view);
  return {
    turn,
    source,
    session_id,
    turn_ref,
    time: trigger.time,
    request: trigger.text ?? "",
    cost_usd: usage_with_children.cost_usd,
    lines,
    made: made.find((one) => turnKey(one.turn) === turn)?.commit.line ?? null,
  };
}

function byTime(a: CommitTurn, b: CommitTurn): number {
  return Date.parse(a.time ?? "1970-01-01") - Date.parse(b.time ?? "1970-01-01");
}
