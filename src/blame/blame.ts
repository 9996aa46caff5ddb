import { basename, dirname, join, relative, sep } from "node:path";
import type { Git } from "../io/git.ts";
import { changesOf } from "./diff.ts";
import { editEvents, type PlacedCall } from "./calls.ts";
import { replayed } from "./history.ts";
import { gitHistory, lineCommits, type GitHistory, type LineCommit } from "./in-git.ts";
import { asGitPlaces } from "./place.ts";
import { namesOf, type Move, type Name } from "./lineage.ts";
import { isTelling } from "./replay.ts";
import { linesOf, type EditEvent, type Line, type Origin } from "./model.ts";

export interface BlameInput {
  /** Whole. */
  path: string;
  /** What the file holds. */
  content: string;
  git: Git | null;
  /** Up to this commit; null: as it is now. */
  commit: { hash: string; time: number } | null;
  /** Calls that ended well and whose input holds one of these names. */
  calls: (names: readonly string[]) => Promise<PlacedCall[]>;
}

export interface BlamedLine {
  text: string;
  origin: Origin;
  /** Null where it is not committed, or git was not asked. */
  commit: LineCommit | null;
}

export interface Blamed {
  lines: BlamedLine[];
  /** Every name the file had, the newest first. */
  names: string[];
  /** Recorded changes of it. */
  changes: number;
}

/** What git counts, and how far clocks of one machine are apart. */
const SLACK = 2000;

export async function blamed(input: BlameInput): Promise<Blamed> {
  const { git, commit, path, content } = input;
  const { names, own, history } = await traced(input);
  const lines = linesOf(content);
  const changes = own.filter(({ edit }) => edit.kind !== "move");
  const replay = replayed(changes, history?.snapshots ?? [], lines);
  const committed = git ? commitsOf(git, commit?.hash ?? "HEAD", path, lines) : [];
  return {
    lines: replay.lines.map((line, i) => told(line, committed[i] ?? null, changes.length > 0)),
    names: names.map((name) => name.path),
    changes: changes.length,
  };
}

function told({ text, origin }: Line, commit: LineCommit | null, isRecorded: boolean): BlamedLine {
  if (!isRecorded) return { text, origin: { by: null, reason: "not_recorded" }, commit };
  const isOlder = origin.by !== null && commit !== null && isTelling(text) && commit.time + SLACK < origin.by.time;
  return { text, origin: isOlder ? { by: null, reason: "older_in_git" } : origin, commit };
}

/** What is recorded of a file: names lead to calls, and calls to older names. */
export async function traced({ path, git, commit, calls }: Omit<BlameInput, "content">): Promise<Traced> {
  let history: GitHistory | null = null;
  let names = namesOf(path, []);
  let events: EditEvent[] = [];
  for (let known = 0; ; known = names.length) {
    if (git) history ??= historyOf(git, commit?.hash ?? "HEAD", names);
    const words = [...new Set(names.map((name) => basename(name.path)))];
    events = editEvents(await calls([...words, MOVING]));
    names = namesOf(path, [...events.flatMap(movesIn), ...(history?.moves ?? [])]);
    if (names.length === known) break;
  }
  const until = commit === null ? Infinity : commit.time + SLACK / 2;
  return { names, own: events.filter(({ edit, time }) => time <= until && isOf(names, edit.path, time)), history };
}

interface Traced {
  names: Name[];
  /** Recorded changes of the file, in order. */
  own: EditEvent[];
  history: GitHistory | null;
}

/** A directory may have been moved, with all that is in it. */
const MOVING = "mv ";

/** A name that is not committed yet has none; the one before may have. */
function historyOf(git: Git, revision: string, names: readonly Name[]): GitHistory | null {
  for (const { path } of names) {
    const found = gitHistory(git, revision, relative(git.root, path).split(sep).join("/"));
    if (found.snapshots.length > 0) return found;
  }
  return null;
}

function movesIn({ edit, time }: EditEvent): Move[] {
  if (edit.kind === "move") return [{ from: edit.path, to: edit.to, time, seenLate: false }];
  return edit.kind === "patch" && edit.to !== null ? [{ from: edit.path, to: edit.to, time, seenLate: false }] : [];
}

function isOf(names: readonly Name[], path: string, time: number): boolean {
  return names.some((name) => name.path === path && time >= name.since && time <= name.until);
}

/** Of the lines as they are: those that are not committed have none. */
function commitsOf(git: Git, revision: string, path: string, lines: readonly string[]): (LineCommit | null)[] {
  const name = relative(git.root, path).split(sep).join("/");
  const [text] = git.contents([`${revision}:${name}`]);
  if (text === null || text === undefined) return [];
  const there = linesOf(text);
  const commits = lineCommits(git, revision, name);
  const out: (LineCommit | null)[] = [];
  let at = 0;
  for (const { a0, a1, b0, b1 } of [...asGitPlaces(changesOf(there, lines), there, lines), end(there, lines)]) {
    while (at < a0) out.push(commits[at++] ?? null);
    at = a1;
    for (let i = b0; i < b1; i++) out.push(null);
  }
  return out;
}

function end(a: readonly string[], b: readonly string[]): { a0: number; a1: number; b0: number; b1: number } {
  return { a0: a.length, a1: a.length, b0: b.length, b1: b.length };
}

/**
 * Where paths of a session lead in the directory that is asked about: they are the same, or it is the session's project under
 * another path, on another machine or in a worktree. Null when it is another one.
 */
export function pathsOf(
  root: string,
  session: { cwd: string | null; isOfProject: boolean },
): (path: string) => string | null {
  const { cwd, isOfProject } = session;
  const there =
    cwd === null
      ? null
      : (ancestors(cwd).find((dir) => basename(dir) === basename(root)) ?? (isOfProject ? cwd : null));
  return (path) => {
    if (inside(root, path)) return path;
    return there !== null && inside(there, path) ? join(root, path.slice(there.length)) : null;
  };
}

function inside(dir: string, path: string): boolean {
  return path === dir || path.startsWith(`${dir}/`);
}

function ancestors(dir: string): string[] {
  const up = dirname(dir);
  return up === dir ? [] : [dir, ...ancestors(up)];
}
