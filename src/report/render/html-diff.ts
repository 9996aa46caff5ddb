import { plural } from "../../text/units.ts";
import type { FileEdit } from "../../sources/contract.ts";
import { diffLines, type DiffLine } from "./diff-lines.ts";
import { markup, type Markup } from "./markup.ts";
import { excerpt, shownPath } from "./phrases.ts";

/** How much of a turn's edits is drawn. */
export interface DiffLimits {
  lines: number;
  /** Characters of a line. */
  wide: number;
}

interface FileDiff {
  path: string;
  /** What was done to the file as a whole. */
  deed: string | null;
  lines: DiffLine[];
}

/**
 * The edits of a turn, folded: one small diff per file, in the order in which they were first touched. Null when there
 * are none.
 */
export function editDetails(edits: readonly FileEdit[], cwd: string | null, room: DiffLimits): Markup | null {
  const files = byFile(edits);
  const all = files.flatMap(({ lines }) => lines);
  if (files.length === 0 || (all.length === 0 && files.every(({ deed }) => deed === null))) return null;
  const count = (sign: DiffLine["sign"]): number => all.filter((line) => line.sign === sign).length;
  let left = room.lines;
  const drawn = files.flatMap(({ path, deed, lines }): Markup[] => {
    if (left <= 0) return [];
    const shown = lines.slice(0, left);
    // The file name takes one line.
    left -= shown.length + 1;
    const name = markup`<b>${excerpt(shownPath(path, cwd), 1, 120)}${deed === null ? "" : ` (${deed})`}</b>`;
    return [markup`${name}${shown.map((line) => drawnLine(line, room.wide))}`];
  });
  const rest = all.length - Math.min(all.length, shownLines(files, room.lines));
  const more = rest > 0 ? markup`<i>… ${plural(rest, "more line")}</i>` : null;
  return markup`<details class="edits"><summary>${plural(files.length, "file")} edited, +${count("+")} −${count("-")}</summary><pre class="diff">${drawn}${more}</pre></details> `;
}

function shownLines(files: readonly FileDiff[], room: number): number {
  let [left, shown] = [room, 0];
  for (const { lines } of files) {
    if (left <= 0) break;
    shown += Math.min(lines.length, left);
    left -= Math.min(lines.length, left) + 1;
  }
  return shown;
}

function drawnLine({ sign, text }: DiffLine, wide: number): Markup {
  const cut = text.length <= wide ? text : `${text.slice(0, wide)} …`;
  if (sign === "+") return markup`<ins>+ ${cut}</ins>`;
  return sign === "-" ? markup`<del>- ${cut}</del>` : markup`<span>  ${cut}</span>`;
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
