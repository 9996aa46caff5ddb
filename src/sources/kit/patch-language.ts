import type { FileEdit, PatchHunk } from "../contract.ts";

const FILE = /^\*\*\* (Add|Update|Delete) File: (.+?)\s*$/;
const MOVE = /^\*\*\* Move to: (.+?)\s*$/;
const END = /^\*\*\* End Patch\s*$/;

/**
 * Parses the `*** Begin Patch` language; null if any line does not belong to it, so that half a patch yields no edits.
 */
export function patchEdits(patch: string): FileEdit[] | null {
  const lines = patch.replaceAll("\r\n", "\n").trim().split("\n");
  if (lines[0]?.trim() !== "*** Begin Patch") return null;
  const reader = new PatchReader();
  for (const line of lines.slice(1)) {
    if (END.test(line)) break;
    if (!reader.take(line)) return null;
  }
  return reader.edits();
}

interface OpenFile {
  verb: string;
  path: string;
  to: string | null;
  added: string[];
  hunks: PatchHunk[];
}

class PatchReader {
  readonly #files: OpenFile[] = [];
  #hunk: PatchHunk | null = null;
  #behind: string | null = null;

  /** False when the line does not belong to the patch language. */
  take(line: string): boolean {
    const [, verb, path] = FILE.exec(line) ?? [];
    if (verb !== undefined && path !== undefined) {
      this.#files.push({ verb, path, to: null, added: [], hunks: [] });
      this.#hunk = this.#behind = null;
      return true;
    }
    const file = this.#files.at(-1);
    if (!file) return line.trim() === "";
    const to = MOVE.exec(line)?.[1];
    if (to !== undefined) {
      file.to = to;
      return true;
    }
    if (file.verb === "Add") {
      if (!line.startsWith("+")) return line.trim() === "";
      file.added.push(line.slice(1));
      return true;
    }
    return file.verb === "Delete" ? line.trim() === "" : this.#change(file, line);
  }

  #change(file: OpenFile, line: string): boolean {
    if (line.startsWith("@@")) {
      // Consecutive `@@ class A` and `@@ def b` lines locate a single position: the last one is nearest.
      this.#behind = line.slice(2).trim() === "" ? null : line.slice(3);
      this.#hunk = null;
      return true;
    }
    if (line.startsWith("*** End of File")) return true;
    if (!this.#hunk) file.hunks.push((this.#hunk = { before: [], after: [], behind: this.#behind }));
    const text = line.slice(1);
    // Some models omit the leading space of an empty context line.
    if (line === "" || line.startsWith(" ")) {
      this.#hunk.before.push(text);
      this.#hunk.after.push(text);
    } else if (line.startsWith("-")) this.#hunk.before.push(text);
    else if (line.startsWith("+")) this.#hunk.after.push(text);
    else return false;
    return true;
  }

  edits(): FileEdit[] {
    return this.#files.map(({ verb, path, to, added, hunks }): FileEdit => {
      if (verb === "Add") return { kind: "write", path, content: added.map((line) => `${line}\n`).join("") };
      return verb === "Delete" ? { kind: "delete", path } : { kind: "patch", path, hunks, to };
    });
  }
}
