import { basename, relative, sep } from "node:path";
import type { Git } from "../../base/io/git.ts";
import { editEvents } from "./calls.ts";
import type { PlacedCall } from "./placed-call.ts";
import { replayHistory, type History } from "./history.ts";
import { gitHistory, lineCommits, type GitHistory, type LineCommit } from "./in-git.ts";
import { changesOf } from "./place.ts";
import { pathBefore, namesOf, type Move, type FileName } from "./lineage.ts";
import { FORMATTER_WORDS } from "./formatters.ts";
import { wordsImplying } from "./implied-files.ts";
import { commitsMade, looksAt, type PrintedCall } from "./looking.ts";
import { scriptsNaming } from "./written-scripts.ts";
import { isDistinctive } from "./replay.ts";
import { findFormerPath } from "./resembling.ts";
import { linesOf, type BlameEdit, type EditEvent, type Line, type Origin, type Snapshot } from "./model.ts";
import { turnKey } from "../../record/session-key.ts";

export interface BlameInput {
  /** Absolute path. */
  path: string;
  /** The content of the file. */
  content: string;
  git: Git | null;
  /** Blame up to this commit; null for the file as it is now. */
  commit: { hash: string; time: number } | null;
  /** Calls whose input contains one of `names` or, in the file's own project, one of `near`. */
  calls: (names: readonly string[], near: readonly string[]) => Promise<PlacedCall[]>;
  /** Calls of these turns whose input contains one of these texts, with their output. */
  printed: (turns: ReadonlySet<string>, texts: readonly string[]) => Promise<PrintedCall[]>;
}

export interface BlamedLine {
  text: string;
  origin: Origin;
  /** Null when the line is not committed, or there is no repository. */
  commit: LineCommit | null;
}

export interface BlameResult {
  lines: BlamedLine[];
  /** Every name the file had, the newest first. */
  names: string[];
  /** Number of recorded changes. */
  changes: number;
}

/** Tolerance in ms: git counts whole seconds, and the clocks of one machine differ slightly. */
const SLACK = 2000;

export async function blameFile(input: BlameInput): Promise<BlameResult> {
  const { git, commit, path, content } = input;
  const { names, events, paths, snapshots } = await traceFile(input);
  const end = linesOf(content);
  const changes = events.filter(({ edit }) => edit.kind !== "move").length;
  const history = { path, paths, names: new Set(names.map((name) => name.path)), events, snapshots, end };
  const lines = await replayWithLooks(history, input.printed);
  const committed = git ? commitsOf(git, commit?.hash ?? "HEAD", path, end) : [];
  return {
    lines: lines.map((line, i) => lineOf(line, committed[i] ?? null, changes > 0)),
    names: [...new Set(names.map((name) => name.path))],
    changes,
  };
}

/** Only the newest turns are asked what they saw. */
const MOST_TURNS = 50;
/** Commands that show which files existed, and when they were committed. */
const LOOKING = ["ls", "git commit"];

/**
 * When lines remain without an author and some turns ran commands of unknown effect, replays again with what those
 * turns saw of the file.
 */
async function replayWithLooks(history: History, printed: BlameInput["printed"]): Promise<readonly Line[]> {
  const lines = replayHistory(history);
  const turns = new Set(history.events.filter(({ edit }) => EFFECT_UNKNOWN.has(edit.kind)).map(turnKey));
  if (turns.size === 0 || lines.every(({ origin }) => origin.by)) return lines;
  const words = [...history.paths].map((one) => basename(one));
  const calls = await printed(new Set([...turns].slice(-MOST_TURNS)), [...new Set([...words, ...LOOKING])]);
  const events = [...history.events, ...looksAt(calls, history.paths)].toSorted((a, b) => a.time - b.time);
  return replayHistory({ ...history, events, commits: commitsMade(calls) });
}

const EFFECT_UNKNOWN: ReadonlySet<string> = new Set<BlameEdit["kind"]>(["script", "format", "output"]);

function lineOf({ text, origin }: Line, commit: LineCommit | null, isRecorded: boolean): BlamedLine {
  if (!isRecorded) return { text, origin: { by: null, reason: "not_recorded" }, commit };
  const isOlder = origin.by !== null && commit !== null && isDistinctive(text) && commit.time + SLACK < origin.by.time;
  return { text, origin: isOlder ? { by: null, reason: "older_in_git" } : origin, commit };
}

/**
 * Collects what is recorded about a file. Its names lead to calls, and the calls to older names and to files it was
 * copied from, until nothing new is found.
 */
export async function traceFile({
  path,
  content,
  git,
  commit,
  calls,
}: Omit<BlameInput, "printed">): Promise<FileTrace> {
  const revision = commit?.hash ?? "HEAD";
  const until = commit === null ? Infinity : commit.time + SLACK / 2;
  const lines = linesOf(content);
  let history: GitHistory | null = null;
  let names = namesOf(path, []);
  let paths = new Set([path]);
  let events: EditEvent[] = [];
  const guessed: Move[] = [];
  for (let known = 0; ; known = paths.size) {
    if (git) history ??= historyOf(git, revision, names);
    const words = [...paths].map((one) => basename(one));
    // When no name leads further, the content may.
    const hint = history === null && guessed.length === 0 ? longestLines(lines) : [];
    const near = [...NEARBY, ...words.flatMap(wordsImplying)];
    const naming = scriptsNaming(await calls([...new Set([...words, ...UNNAMED, ...hint])], near), words);
    const all = editEvents(await calls(naming, near)).filter(({ time }) => time <= until);
    const existed = (at: string, time: number): boolean => existedAt(at, time, all, history?.snapshots ?? []);
    const moves = [...all.flatMap(movesIn), ...(history?.moves ?? [])];
    names = namesOf(path, [...moves, ...guessed], existed);
    const oldest = names.at(-1)?.path ?? path;
    if (history === null && commit === null && guessed.length === 0 && !isCreationRecorded(oldest, all)) {
      const from = findFormerPath({ path: oldest, lines, git, events: all });
      const time = (all.find(({ edit }) => edit.path === oldest)?.time ?? Date.now()) - 1;
      if (from !== null) guessed.push({ from, to: oldest, time, seenLate: false });
      names = namesOf(path, [...moves, ...guessed], existed);
    }
    paths = withSources(new Set(names.map((name) => name.path)), all);
    events = [...all.filter((event) => touches(paths, event)), ...guessed.flatMap(asEvent)].toSorted(
      (a, b) => a.time - b.time,
    );
    if (paths.size === known) break;
  }
  const own = events.filter(
    ({ edit, time }) => edit.kind !== "script" && edit.kind !== "format" && isOf(names, writtenBy(edit), time),
  );
  const copied = [...paths].filter((one) => !names.some((name) => name.path === one));
  const more = git ? copied.flatMap((one) => gitHistory(git, revision, relativeTo(git, one)).snapshots) : [];
  const snapshots = [...(history?.snapshots ?? []), ...more].toSorted((a, b) => a.time - b.time);
  return { names, own: own.filter(({ call_id }) => call_id !== ""), events, paths, snapshots };
}

/** Some of the longest lines of a file, to search for: the call that wrote the file contains them. */
function longestLines(lines: readonly string[]): string[] {
  // Cut at the first character that JSON escapes.
  const texts = [...new Set(lines.map((line) => line.trim().replace(/["\\].*$/, "")))];
  return texts
    .filter((text) => text.length >= SHORTEST_HINT)
    .toSorted((a, b) => b.length - a.length)
    .slice(0, HINTS);
}

const HINTS = 3;
const SHORTEST_HINT = 8;

/** Whether the creation of the file is recorded. */
function isCreationRecorded(path: string, events: readonly EditEvent[]): boolean {
  const first = events.find(({ edit }) => writtenBy(edit) === path || targetOf(edit) === path);
  return first !== undefined && (MAKING.has(first.edit.kind) || targetOf(first.edit) === path);
}

const MAKING: ReadonlySet<string> = new Set<BlameEdit["kind"]>(["write", "copy", "output"]);

/** A guessed move as an event without an author: it moves lines and writes none. */
function asEvent({ from, to, time }: Move): EditEvent[] {
  const nobody = { source: "", session_id: "", session_path: "", call_id: "", line: 0, turn_ref: null };
  return [{ ...nobody, edit: { kind: "move", path: from, to }, time }];
}

interface FileTrace {
  names: FileName[];
  /** Recorded changes of the file, in order. */
  own: EditEvent[];
  /** All events that may have affected its lines. */
  events: EditEvent[];
  paths: ReadonlySet<string>;
  snapshots: Snapshot[];
}

/** Commands that can move or remove a whole directory without naming the file. */
const UNNAMED = ["mv ", "rm -r"];
/**
 * Commands that can change a file without naming it: loops compose names, and editors and formatters take patterns or
 * directories.
 */
const NEARBY = ["; do ", "sed -", "perl -", ...FORMATTER_WORDS];

function withSources(paths: Set<string>, events: readonly EditEvent[]): Set<string> {
  // The loop also visits the paths that are added to the set while it runs.
  for (const path of paths)
    for (const { edit } of events) {
      const from = edit.kind === "copy" ? pathBefore(path, { from: edit.path, to: edit.to }) : null;
      if (from !== null) paths.add(from);
    }
  return paths;
}

const WHOLE_DIRECTORIES: ReadonlySet<string> = new Set<BlameEdit["kind"]>(["move", "copy", "delete", "format"]);

function touches(paths: ReadonlySet<string>, { edit }: EditEvent): boolean {
  if (paths.has(edit.path)) return true;
  if (!WHOLE_DIRECTORIES.has(edit.kind) && !(edit.kind === "stream" && edit.among)) return false;
  return [...paths].some((path) => path.startsWith(`${edit.path}/`));
}

/** Whether a file is known to have existed at a time. */
function existedAt(path: string, time: number, events: readonly EditEvent[], snapshots: readonly Snapshot[]): boolean {
  const last = events.findLast(({ edit, time: at }) => at < time && (edit.path === path || targetOf(edit) === path));
  if (last) return targetOf(last.edit) === path || (last.edit.kind !== "delete" && targetOf(last.edit) === null);
  const seen = snapshots.findLast((one) => one.path === path && one.time < time);
  return seen !== undefined && seen.lines !== null;
}

function writtenBy(edit: BlameEdit): string {
  return edit.kind === "copy" ? edit.to : edit.path;
}

function targetOf(edit: BlameEdit): string | null {
  return edit.kind === "move" || edit.kind === "patch" ? edit.to : null;
}

/** The newest name may not be committed yet; then an older one is used. */
function historyOf(git: Git, revision: string, names: readonly FileName[]): GitHistory | null {
  for (const { path } of names) {
    const found = gitHistory(git, revision, relativeTo(git, path));
    if (found.snapshots.length > 0) return found;
  }
  return null;
}

function relativeTo(git: Git, path: string): string {
  return relative(git.root, path).split(sep).join("/");
}

function movesIn({ edit, time }: EditEvent): Move[] {
  if (edit.kind === "move") return [{ from: edit.path, to: edit.to, time, seenLate: false }];
  return edit.kind === "patch" && edit.to !== null ? [{ from: edit.path, to: edit.to, time, seenLate: false }] : [];
}

function isOf(names: readonly FileName[], path: string, time: number): boolean {
  return names.some((name) => name.path === path && time >= name.since && time <= name.until);
}

/** The commit of each current line; null for lines that are not committed. */
function commitsOf(git: Git, revision: string, path: string, lines: readonly string[]): (LineCommit | null)[] {
  const name = relativeTo(git, path);
  const [text] = git.contents([`${revision}:${name}`]);
  if (text === null || text === undefined) return [];
  const there = linesOf(text);
  const commits = lineCommits(git, revision, name);
  const out: (LineCommit | null)[] = [];
  let at = 0;
  for (const { a0, a1, b0, b1 } of [...changesOf(there, lines), end(there, lines)]) {
    while (at < a0) out.push(commits[at++] ?? null);
    at = a1;
    for (let i = b0; i < b1; i++) out.push(null);
  }
  return out;
}

function end(a: readonly string[], b: readonly string[]): { a0: number; a1: number; b0: number; b1: number } {
  return { a0: a.length, a1: a.length, b0: b.length, b1: b.length };
}
