import type { MadeCommit } from "./looking.ts";
import { Files } from "./files.ts";
import { linesOf, type EditEvent, type Line, type Snapshot } from "./model.ts";
import { isAlike, tellingLines } from "./resembling.ts";
import { turnKey } from "../turns/session.ts";

/** Git counts seconds. */
const SECOND = 1000;

export interface History {
  path: string;
  /** Every path it is about: names the file had, and files it was made of. */
  paths: ReadonlySet<string>;
  /** Of these, the names it had. */
  names: ReadonlySet<string>;
  /** In order of time. */
  events: readonly EditEvent[];
  snapshots: readonly Snapshot[];
  /** Commits that turns made, as far as it matters. */
  commits?: readonly MadeCommit[];
  /** What the file holds now. */
  end: readonly string[];
}

/** A file through its recorded changes and what is known of it in between, up to what it holds at the end. */
export function replayed({ path, paths, names, events, snapshots, commits = [], end }: History): readonly Line[] {
  const [first] = events;
  const waiting = first ? fromLastBefore(snapshots, first.time) : [];
  const files: Files = new Files(paths, (at, event) =>
    names.has(at) ? baseOf(event, events, names, waiting.find(({ lines }) => lines !== null)?.lines ?? end) : [],
  );
  let turn = "";
  for (const event of events) {
    for (let next = waiting[0]; next && next.time <= event.time + SECOND; next = waiting[0]) {
      const isSeen = files.isAsSeen(next);
      // Made in the same second: what it holds says whether it was before.
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

/** A call that commits is done soon after. */
const SOON = 60_000;

/** The turn that made a commit: of its name, and at its time. */
function turnOf({ subject, time }: Snapshot, commits: readonly MadeCommit[]): string | null {
  const made = commits.find(
    (one) => one.subject === subject && time <= one.time + SECOND && one.time - SOON < time + SECOND,
  );
  return made ? turnKey(made) : null;
}

/** Of each path the last one before a moment, and all later ones: how it became what it was then is not asked. */
function fromLastBefore(snapshots: readonly Snapshot[], time: number): Snapshot[] {
  const before = snapshots.filter((one) => one.time + SECOND <= time);
  const bases = before.filter((one, i) => before.findLastIndex(({ path }) => path === one.path) === i);
  return [...bases.map((one) => ({ ...one, from: null })), ...snapshots.slice(before.length)];
}

/**
 * A rename is seen when it is committed; a change under the new name says that it has happened before, and so does another file that
 * is written in its place.
 */
function moveEarly(files: Files, { edit }: EditEvent, waiting: readonly Snapshot[]): void {
  const at = edit.path;
  if (files.exists(at)) {
    const gone = edit.kind === "write" ? waiting.find(({ from }) => from === at) : undefined;
    const isIt = (lines: readonly string[]): boolean =>
      isAlike(tellingLines(lines), tellingLines(gone?.lines ?? []), false);
    if (gone && edit.kind === "write" && !isIt(linesOf(edit.content)) && isIt(files.linesOf(at)?.texts ?? []))
      files.move(at, gone.path);
    return;
  }
  const seen = waiting.find(({ path, from }) => path === at && from !== null);
  if (seen?.from && files.exists(seen.from)) files.move(seen.from, at);
}

/** What the file held before its first change, as far as the changes can be undone on what it held later. */
function baseOf(
  first: EditEvent,
  events: readonly EditEvent[],
  names: ReadonlySet<string>,
  later: readonly string[],
): string[] {
  // A script may have made it.
  if (first.edit.kind === "script" || isWhole(first)) return [];
  const own = events.slice(events.indexOf(first)).filter(({ edit }) => names.has(edit.path));
  // What was written whole says nothing of what stood there before.
  if (own.some(isWhole)) return [];
  let text = `${later.join("\n")}\n`;
  for (const { edit } of own.toReversed()) {
    if (edit.kind === "replace")
      text = swapped(text, edit.after.replaceAll("\r\n", "\n"), edit.before.replaceAll("\r\n", "\n"));
    if (edit.kind === "insert" && edit.line === Infinity && text.endsWith(edit.text))
      text = text.slice(0, -edit.text.length);
    if (edit.kind === "patch")
      for (const { before, after } of edit.hunks.toReversed())
        text = swapped(text, after.map((line) => `${line}\n`).join(""), before.map((line) => `${line}\n`).join(""));
  }
  return linesOf(text);
}

function isWhole({ edit }: EditEvent): boolean {
  return edit.kind === "write" || edit.kind === "output" || edit.kind === "absent";
}

/** Only where there is no doubt. */
function swapped(text: string, from: string, to: string): string {
  const at = from === "" ? -1 : text.indexOf(from);
  if (at === -1 || text.includes(from, at + 1)) return text;
  return text.slice(0, at) + to + text.slice(at + from.length);
}
