import { diffArrays } from "diff";
import type { FileEdit } from "../../agents/contract.ts";
import { excerpt, shownPath } from "../phrases.ts";

/** How much of a turn's edits is drawn. */
export interface DiffLimits {
  lines: number;
  /** Characters of a line. */
  wide: number;
}

/** The edits of a turn: one small diff per file, in the order in which they were first touched. */
interface EditDiffs {
  files: number;
  added: number;
  removed: number;
  /** The files that are drawn, as far as there is room. */
  drawn: { name: string; lines: DiffLine[] }[];
  /** Lines that are not drawn. */
  rest: number;
}

interface FileDiff {
  path: string;
  /** What was done to the file as a whole. */
  deed: string | null;
  lines: DiffLine[];
}

/** Null when there is nothing to draw. */
export function editDiffs(edits: readonly FileEdit[], cwd: string | null, room: DiffLimits): EditDiffs | null {
  const files = byFile(edits);
  const all = files.flatMap(({ lines }) => lines);
  if (files.length === 0 || (all.length === 0 && files.every(({ deed }) => deed === null))) return null;
  const count = (sign: DiffLine["sign"]): number => all.filter((line) => line.sign === sign).length;
  let left = room.lines;
  const drawn: EditDiffs["drawn"] = [];
  for (const { path, deed, lines } of files) {
    if (left <= 0) break;
    const name = `${excerpt(shownPath(path, cwd), 1, 120)}${deed === null ? "" : ` (${deed})`}`;
    drawn.push({ name, lines: lines.slice(0, left).map(({ sign, text }) => ({ sign, text: cut(text, room.wide) })) });
    // The file name takes one line.
    left -= Math.min(lines.length, left) + 1;
  }
  const rest = all.length - drawn.reduce((sum, { lines }) => sum + lines.length, 0);
  return { files: files.length, added: count("+"), removed: count("-"), drawn, rest };
}

function cut(text: string, wide: number): string {
  return text.length <= wide ? text : `${text.slice(0, wide)} …`;
}

function byFile(edits: readonly FileEdit[]): FileDiff[] {
  const files = new Map<string, FileDiff>();
  for (const edit of edits) {
    const file = files.get(edit.path) ?? { path: edit.path, deed: null, lines: [] };
    files.set(edit.path, file);
    file.lines.push(...diffLines(edit));
    if (edit.kind === "delete") file.deed = "deleted";
    else if (edit.kind === "write") file.deed = "written";
    else if (edit.kind === "move" || (edit.kind === "patch" && edit.to !== null)) file.deed = `now ${edit.to ?? ""}`;
  }
  return [...files.values()];
}

interface DiffLine {
  sign: "+" | "-" | " ";
  text: string;
}

/** Unchanged lines shown around a change. */
const LINES_AROUND = 2;
/** Longer texts are not compared: all removed lines are shown before all added ones. */
const MOST_LINES = 2000;

/** An edit as added, removed and unchanged lines. */
export function diffLines(edit: FileEdit): DiffLine[] {
  switch (edit.kind) {
    case "write":
      return linesIn(edit.content).map((text) => ({ sign: "+", text }));
    case "insert":
      return linesIn(edit.text).map((text) => ({ sign: "+", text }));
    case "replace":
      return compared(linesIn(edit.before), linesIn(edit.after));
    case "patch":
      return edit.hunks.flatMap(({ before, after }) => compared(before, after));
    case "notebook":
      return edit.how === "delete" ? [] : linesIn(edit.source).map((text) => ({ sign: "+", text }));
    case "delete":
    case "move":
      return [];
  }
}

function compared(before: readonly string[], after: readonly string[]): DiffLine[] {
  const isLong = before.length + after.length > MOST_LINES;
  const parts = isLong ? undefined : diffArrays([...before], [...after]);
  if (!parts) return [...signed("-", before), ...signed("+", after)];
  return near(parts.flatMap(({ value, added, removed }) => signed(added ? "+" : removed ? "-" : " ", value)));
}

function signed(sign: DiffLine["sign"], lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ sign, text }));
}

function linesIn(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Drops unchanged lines that are far from every change. */
function near(lines: readonly DiffLine[]): DiffLine[] {
  const isShown = new Uint8Array(lines.length);
  for (const [i, { sign }] of lines.entries())
    if (sign !== " ") isShown.fill(1, Math.max(0, i - LINES_AROUND), i + LINES_AROUND + 1);
  return lines.filter((_, i) => isShown[i] === 1);
}
