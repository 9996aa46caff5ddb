import { join } from "node:path";
import type { TurnView } from "../views/turn-view.ts";
import type { CommitTurn, CommitView } from "./blame/file-view.ts";
import { lineCommits } from "./blame/in-git.ts";
import { DaybookError } from "../base/errors.ts";
import type { Git } from "../base/io/git.ts";
import type { Commit } from "./report/facts.ts";
import { iso } from "../base/time/zone.ts";
import type { AnswerContext } from "./answer-context.ts";
import { blameAmong, sessionsAround, type RepositoryCalls } from "./blaming.ts";
import { sessions } from "./sessions.ts";
import { turnsNamed } from "./turns.ts";
import { sessionKey, turnKey } from "../record/session-key.ts";

/** Maximum number of commits, and of files per commit, for one question; what is beyond them is reported. */
const MOST = 200;
/** For more files than this, all calls of the repository are loaded at once. */
const FEW = 5;
/** A commit is printed in the turn that made it. Clocks of two machines differ by less than this. */
const AROUND = 3_600_000;

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
  const commits = named.slice(0, MOST);
  if (named.length > MOST) ctx.options.onNote?.(`only the newest ${MOST} commits of the range are shown`);
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
  const how = isRange ? [`-n${MOST + 1}`] : ["-n1"];
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
      const files = all.slice(0, MOST);
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
      ? commit.subject === subject && time >= first - AROUND && time <= last + AROUND
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
    if (began > last + AROUND || ended < first - AROUND || session.cwd === null) continue;
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
