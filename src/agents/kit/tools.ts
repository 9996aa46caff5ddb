/** Tables of what tools do, and of the servers that offer them: what a source says about its agent in a line each. */
import type { EditTool, FileEdit, GivenAnswer, McpServerList, PatchHunk, TodoItem, TodoTool } from "../contract.ts";
import type { Native } from "./native.ts";

/** Names of the input fields of a replace tool. */
interface ReplaceKeys {
  path: string;
  before: string;
  after: string;
  /** Boolean field: replace all occurrences. */
  all?: string;
  /** Field that holds a list of replacements, applied in order. */
  list?: string;
}

/** A tool whose input holds the whole content of the file. */
export function writeTool(path: string, content: string): EditTool {
  return (input) => {
    const [at, text] = [textOf(input, path), textOf(input, content)];
    return at === null || text === null ? null : [{ kind: "write", path: at, content: text }];
  };
}

/** A tool that replaces one text by another. */
export function replaceTool(keys: ReplaceKeys): EditTool {
  return (input) => {
    const path = textOf(input, keys.path);
    if (path === null) return null;
    const many = keys.list === undefined ? undefined : fieldsOf(input)[keys.list];
    const steps = Array.isArray(many) ? (many as unknown[]) : [input];
    const edits = steps.map((step) => replacement(step, path, keys));
    return edits.every((edit) => edit !== null) ? edits : null;
  };
}

function replacement(step: unknown, path: string, keys: ReplaceKeys): FileEdit | null {
  const [before, after] = [textOf(step, keys.before), textOf(step, keys.after)];
  if (before === null || after === null) return null;
  const all = keys.all !== undefined && fieldsOf(step)[keys.all] === true;
  return { kind: "replace", path, before, after, all };
}

/** The text editor tool of Anthropic's API, which several agents offer: a single tool with a `command` field. */
export const editorTool: EditTool = (input) => {
  const path = textOf(input, "path");
  if (path === null) return null;
  const fields = fieldsOf(input);
  switch (fields["command"]) {
    case "create":
    case "write":
      return writeTool("path", "file_text")(input);
    case "str_replace":
      // Without `new_str` the old text is deleted.
      return replaceTool({ path: "path", before: "old_str", after: "new_str" })({ new_str: "", ...fields });
    case "insert": {
      const line = fields["insert_line"];
      const text = textOf(input, "new_str") ?? textOf(input, "insert_text");
      return typeof line === "number" && text !== null ? [{ kind: "insert", path, line, text }] : null;
    }
    default:
      return null;
  }
};

export function fieldsOf(input: unknown): Readonly<Record<string, unknown>> {
  return typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {};
}

export function textOf(input: unknown, key: string): string | null {
  const value = fieldsOf(input)[key];
  return typeof value === "string" ? value : null;
}

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

/** For agents that write the whole list every time: as objects, as strings, or as a text with checkboxes. */
export const wholeListTool: TodoTool = (input) => {
  const list = input["todos"] ?? input["plan"] ?? input["items"] ?? input["content"];
  return Array.isArray(list) ? list.flatMap(itemOf) : typeof list === "string" ? checkboxes(list) : null;
};

function itemOf(value: unknown): TodoItem[] {
  if (typeof value === "string") return [{ text: value, status: "pending" }];
  if (typeof value !== "object" || value === null) return [];
  const fields = value as Native;
  for (const key of ["content", "step", "description", "title", "text", "subject"]) {
    const text = nonBlankString(fields[key]);
    // Cancelled steps are left out: they are not unfinished work.
    if (text !== null) return /cancel/i.test(String(fields["status"])) ? [] : [{ text, status: statusOf(fields) }];
  }
  return [];
}

/** The status stated by the fields of a step; `otherwise` if they state none. */
export function statusOf(fields: Native, otherwise: TodoItem["status"] = "pending"): TodoItem["status"] {
  if (fields["completed"] === true) return "completed";
  const status = nonBlankString(fields["status"])?.toLowerCase().replaceAll("-", "_");
  if (status === "completed" || status === "done") return "completed";
  if (status === "in_progress" || status === "active") return "in_progress";
  return status === "pending" ? "pending" : otherwise;
}

function checkboxes(text: string): TodoItem[] {
  return [...text.matchAll(/^[ \t]{0,12}[-*] \[([ xX~-])\] (.{1,500})$/gm)].map(([, mark = " ", item = ""]) => ({
    text: item.trim(),
    status: /x/i.test(mark) ? "completed" : mark === " " ? "pending" : "in_progress",
  }));
}

/** A string that is not blank; null for anything else. */
export function nonBlankString(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

/** Parses answers from a text in which each answer follows the key of its question; null when no key occurs. */
export function answersAfterKeys(
  output: string,
  keys: readonly string[],
  read: (segment: string, isLast: boolean) => GivenAnswer,
): (GivenAnswer | null)[] | null {
  const found = segments(output, keys);
  return found?.map((segment) => (segment === null ? null : read(segment.text, segment.last))) ?? null;
}

/**
 * The text after each key up to the next key: the questions are known, so an answer ends where another question begins.
 * A key that occurs twice could be a quotation, so its answer is not read.
 */
function segments(output: string, keys: readonly string[]): ({ text: string; last: boolean } | null)[] | null {
  const places = keys.map((key) => output.indexOf(key));
  if (places.every((at) => at === -1)) return null;
  return keys.map((key, i) => {
    const at = places[i] ?? -1;
    if (at === -1 || output.includes(key, at + key.length)) return null;
    const next = Math.min(...places.filter((other) => other > at));
    return { text: output.slice(at + key.length, next), last: next === Infinity };
  });
}

/** A server as most agents list it: its command, its arguments, and its environment if it needs one. */
export function commandEntry(
  [command, ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return { command, args, ...(Object.keys(env).length === 0 ? {} : { env }) };
}

/** Servers under `mcpServers` in a JSON file of settings. */
export function jsonServers(files: McpServerList["files"]): McpServerList {
  return { files, form: "json", key: "mcpServers", entry: commandEntry };
}
