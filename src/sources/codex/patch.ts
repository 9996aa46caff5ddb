import type { FileOperation, TouchedFile } from "../../format/record.ts";
import { fieldsOf, isFields, stringOf, wordOf } from "./fields.ts";

const HEADER = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+?)\s*$/gm;
const LIMIT = 200;

/** Files named by a patch in Codex's patch language, anywhere in the text. */
export function filesOfPatch(text: string): TouchedFile[] {
  const begin = text.indexOf("*** Begin Patch");
  if (begin === -1) return [];
  let patch = text.slice(begin);
  // Scripts contain the patch as a string literal with escaped newlines.
  if (!/^\*\*\* Begin Patch\s*\n/.test(patch)) patch = patch.replaceAll("\\n", "\n").replaceAll('\\"', '"');
  const end = patch.lastIndexOf("*** End Patch");
  if (end !== -1) patch = patch.slice(0, end);
  const files: TouchedFile[] = [];
  for (const [, verb, path] of patch.matchAll(HEADER)) {
    if (path === undefined || files.length >= LIMIT) break;
    const last = files.at(-1);
    if (verb === "Move to") {
      if (last) files[files.length - 1] = { path, operation: "renamed" };
    } else {
      const operation = verb === "Add File" ? "created" : verb === "Delete File" ? "deleted" : "modified";
      files.push({ path, operation });
    }
  }
  return files;
}

const DONE = /Success\. Updated the following files:\n((?:[AMD] .+(?:\n|$))+)/;
const LETTERS: Readonly<Record<string, FileOperation>> = { A: "created", M: "modified", D: "deleted" };

/** Files in the tool's own report of success. */
export function filesOfReport(text: string): TouchedFile[] {
  const list = DONE.exec(text)?.[1];
  if (list === undefined) return [];
  const files: TouchedFile[] = [];
  for (const line of list.split("\n").slice(0, LIMIT)) {
    const operation = LETTERS[line.slice(0, 1)];
    if (operation && line.length > 2) files.push({ path: line.slice(2), operation });
  }
  return files;
}

const CHANGES: Readonly<Record<string, FileOperation>> = { add: "created", delete: "deleted", update: "modified" };

/** Files of a `FileChange` item or `patch_apply_end` event: a map of path to change. */
export function filesOfChanges(changes: unknown): TouchedFile[] {
  if (!isFields(changes)) return [];
  const files: TouchedFile[] = [];
  for (const [path, change] of Object.entries(changes).slice(0, LIMIT)) {
    const fields = fieldsOf(change);
    const type = stringOf(fields.type) ?? Object.keys(fields)[0] ?? "";
    const moved = wordOf(fields.move_path) ?? wordOf(fieldsOf(fields.update).move_path);
    if (moved !== null) files.push({ path: moved, operation: "renamed" });
    else files.push({ path, operation: CHANGES[type] ?? "modified" });
  }
  return files;
}
