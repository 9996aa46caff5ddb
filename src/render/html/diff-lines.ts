import { diffArrays } from "diff";
import type { FileEdit } from "../../agents/contract.ts";

export interface DiffLine {
  sign: "+" | "-" | " ";
  text: string;
}

/** Unchanged lines shown around a change. */
const AROUND = 2;
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
    if (sign !== " ") isShown.fill(1, Math.max(0, i - AROUND), i + AROUND + 1);
  return lines.filter((_, i) => isShown[i] === 1);
}
