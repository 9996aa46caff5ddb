import type { MadeCommit } from "./looking.ts";
import { ReplayedFiles } from "./files.ts";
import { linesOf, type EditEvent, type Line, type Snapshot } from "./model.ts";
import { isAlike, distinctiveLines } from "./resembling.ts";
import { turnKey } from "../../record/session-key.ts";

/** Git's timestamps are whole seconds. */
const SECOND = 1000;

export interface History {
  path: string;
  /** All paths concerned: the names the file had, and the files it was made from. */
  paths: ReadonlySet<string>;
  /** Those of `paths` that are names of the file itself. */
  names: ReadonlySet<string>;
  /** In order of time. */
  events: readonly EditEvent[];
  snapshots: readonly Snapshot[];
  /** Commits that turns made, as far as they are known. */
  commits?: readonly MadeCommit[];
  /** The current content. */
  end: readonly string[];
}

/** Replays a file through its recorded changes and the snapshots in between, up to its final content. */
export function replayHistory({ path, paths, names, events, snapshots, commits = [], end }: History): readonly Line[] {
  const [first] = events;
  const waiting = first ? fromLastBefore(snapshots, first.time) : [];
  const files: ReplayedFiles = new ReplayedFiles(paths, (at, event) =>
    names.has(at) ? baseOf(event, events, names, waiting.find(({ lines }) => lines !== null)?.lines ?? end) : [],
  );
  let turn = "";
  for (const event of events) {
    for (let next = waiting[0]; next && next.time <= event.time + SECOND; next = waiting[0]) {
      const isSeen = files.isAsSeen(next);
      // Both are of the same second: the content tells whether the snapshot was before.
      if (!isSeen && next.time + SECOND > event.time) break;
      if (!isSeen) files.close();
      files.see(next, turnOf(next, commits));
      waiting.shift();
    }
    if (turnKey(event) !== turn) files.close();
    turn = turnKey(event);
    moveEarly(files, event, waiting);
    files.apply(event);
  }
  files.close();
  for (const snapshot of waiting) files.see(snapshot, turnOf(snapshot, commits));
  return files.end(path, end);
}

/** A call that commits ends within this time. */
const SOON = 60_000;

/** The turn that made a commit, found by its subject and time. */
function turnOf({ subject, time }: Snapshot, commits: readonly MadeCommit[]): string | null {
  const made = commits.find(
    (one) => one.subject === subject && time <= one.time + SECOND && one.time - SOON < time + SECOND,
  );
  return made ? turnKey(made) : null;
}

/** The last snapshot of each path before a time, and all later ones: the history before does not matter. */
function fromLastBefore(snapshots: readonly Snapshot[], time: number): Snapshot[] {
  const before = snapshots.filter((one) => one.time + SECOND <= time);
  const bases = before.filter((one, i) => before.findLastIndex(({ path }) => path === one.path) === i);
  return [...bases.map((one) => ({ ...one, from: null })), ...snapshots.slice(before.length)];
}

/**
 * A rename is seen only when it is committed. A change under the new name, or another file written under the old one,
 * shows that it happened earlier.
 */
function moveEarly(files: ReplayedFiles, { edit }: EditEvent, waiting: readonly Snapshot[]): void {
  const at = edit.path;
  if (files.exists(at)) {
    const gone = edit.kind === "write" ? waiting.find(({ from }) => from === at) : undefined;
    const isIt = (lines: readonly string[]): boolean =>
      isAlike(distinctiveLines(lines), distinctiveLines(gone?.lines ?? []), false);
    if (gone && edit.kind === "write" && !isIt(linesOf(edit.content)) && isIt(files.linesOf(at)?.texts ?? []))
      files.move(at, gone.path);
    return;
  }
  const seen = waiting.find(({ path, from }) => path === at && from !== null);
  if (seen?.from && files.exists(seen.from)) files.move(seen.from, at);
}

/** The content of the file before its first change, as far as the changes can be undone on its later content. */
function baseOf(
  first: EditEvent,
  events: readonly EditEvent[],
  names: ReadonlySet<string>,
  later: readonly string[],
): string[] {
  // A script may have created the file.
  if (first.edit.kind === "script" || isWhole(first)) return [];
  const own = events.slice(events.indexOf(first)).filter(({ edit }) => names.has(edit.path));
  // A full write says nothing about the content before.
  if (own.some(isWhole)) return [];
  let text = `${later.join("\n")}\n`;
  for (const { edit } of own.toReversed()) {
    if (edit.kind === "replace")
      text = replaceOnce(text, edit.after.replaceAll("\r\n", "\n"), edit.before.replaceAll("\r\n", "\n"));
    if (edit.kind === "insert" && edit.line === Infinity && text.endsWith(edit.text))
      text = text.slice(0, -edit.text.length);
    if (edit.kind === "patch")
      for (const { before, after } of edit.hunks.toReversed())
        text = replaceOnce(text, after.map((line) => `${line}\n`).join(""), before.map((line) => `${line}\n`).join(""));
  }
  return linesOf(text);
}

function isWhole({ edit }: EditEvent): boolean {
  return edit.kind === "write" || edit.kind === "output" || edit.kind === "absent";
}

/** Replaces `from` only where it occurs exactly once. */
function replaceOnce(text: string, from: string, to: string): string {
  const at = from === "" ? -1 : text.indexOf(from);
  if (at === -1 || text.includes(from, at + 1)) return text;
  return text.slice(0, at) + to + text.slice(at + from.length);
}
