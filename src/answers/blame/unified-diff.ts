import type { FileEdit, PatchHunk } from "../../agents/contract.ts";

const HUNK = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/;

/**
 * Parses a diff as given to `git apply` and `patch`; `strip`: the number of leading directories removed from paths.
 * Null when it is no diff.
 */
export function diffEdits(text: string, strip: number): FileEdit[] | null {
  const edits: FileEdit[] = [];
  let [from, to]: [string | null, string | null] = [null, null];
  let hunk: PatchHunk | null = null;
  for (const line of text.split("\n")) {
    if (line.startsWith("--- ")) {
      [from, hunk] = [pathOf(line, strip), null];
    } else if (line.startsWith("+++ ")) {
      to = pathOf(line, strip);
      const path = from ?? to;
      if (path === null) return null;
      if (to === null) edits.push({ kind: "delete", path });
      else edits.push({ kind: "patch", path, hunks: [], to: to === path ? null : to });
    } else if (HUNK.test(line)) {
      const last = edits.at(-1);
      if (last?.kind === "patch") last.hunks.push((hunk = { before: [], after: [], behind: null }));
    } else if (hunk) {
      const rest = line.slice(1);
      if (line.startsWith("-") || line.startsWith(" ") || line === "") hunk.before.push(rest);
      if (line.startsWith("+") || line.startsWith(" ") || line === "") hunk.after.push(rest);
      if (!/^[-+ \\]|^$/.test(line)) hunk = null;
    }
  }
  return edits.length > 0 ? edits.map(asCreation) : null;
}

/** A file that did not exist before is written as a whole. */
function asCreation(edit: FileEdit): FileEdit {
  if (edit.kind !== "patch" || edit.hunks.length !== 1 || edit.hunks.some(({ before }) => before.length > 0))
    return edit;
  const lines = edit.hunks.flatMap(({ after }) => after);
  return { kind: "write", path: edit.path, content: lines.map((line) => `${line}\n`).join("") };
}

function pathOf(line: string, strip: number): string | null {
  const name = line.slice(4).split("\t")[0]?.trim() ?? "";
  return name === "/dev/null" ? null : name.split("/").slice(strip).join("/");
}
