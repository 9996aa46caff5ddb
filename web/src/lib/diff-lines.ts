import { diffLines } from "diff";
import type { FileChange } from "./call-view.ts";

export interface DiffLine {
  sign: "+" | "-" | " " | "@";
  text: string;
}

/** Unchanged lines shown around a change. */
const AROUND = 3;
/** Longer texts are not compared: all old lines are shown as removed, all new lines as added. */
const MOST_CHARS = 200_000;

/** A change as added, removed and unchanged lines. */
export function diffOf({ before, after, patch }: FileChange): DiffLine[] {
  if (patch !== null) return patch.split("\n").map(patchLine);
  if (before === null) return linesIn(after ?? "").map((text) => ({ sign: "+", text }));
  if (before.length + (after ?? "").length > MOST_CHARS)
    return [
      ...linesIn(before).map((text): DiffLine => ({ sign: "-", text })),
      ...linesIn(after ?? "").map((text): DiffLine => ({ sign: "+", text })),
    ];
  // A missing newline at the end of the text is not a change.
  const parts = diffLines(ended(before), ended(after ?? ""));
  return withoutUnchanged(
    parts.flatMap(({ value, added, removed }) =>
      linesIn(value).map((text): DiffLine => ({ sign: added ? "+" : removed ? "-" : " ", text })),
    ),
  );
}

/** How many lines were added and removed. */
export function sizeOf(lines: readonly DiffLine[]): { added: number; removed: number } {
  let [added, removed] = [0, 0];
  for (const { sign } of lines) {
    if (sign === "+") added++;
    else if (sign === "-") removed++;
  }
  return { added, removed };
}

function patchLine(line: string): DiffLine {
  const sign = line[0];
  if (sign === "+" || sign === "-") return { sign, text: line.slice(1) };
  if (line.startsWith("@@") || line.startsWith("***") || line.startsWith("\\")) return { sign: "@", text: line };
  return { sign: " ", text: line.startsWith(" ") ? line.slice(1) : line };
}

function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function linesIn(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Leaves out long runs of unchanged lines. */
function withoutUnchanged(lines: DiffLine[]): DiffLine[] {
  const isShown = new Uint8Array(lines.length);
  for (const [i, { sign }] of lines.entries()) {
    if (sign === " ") continue;
    isShown.fill(1, Math.max(0, i - AROUND), i + AROUND + 1);
  }
  const shown: DiffLine[] = [];
  for (const [i, line] of lines.entries()) {
    if (isShown[i] === 1) shown.push(line);
    else if (isShown[i - 1] === 1 || (i === 0 && lines.length > 0)) shown.push({ sign: "@", text: "⋯" });
  }
  return shown.every(({ sign }) => sign === "@") ? [] : shown;
}
