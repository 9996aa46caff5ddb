import type { Call } from "./turn-items.ts";

/** A change to one file, as stated in the input of a call. */
export interface FileChange {
  path: string;
  /** The replaced text, if the call states it. */
  before: string | null;
  after: string | null;
  /** The change as patch text, if the call gave one. */
  patch: string | null;
}

export interface CallView {
  /** What the call did, in one word. */
  verb: string;
  /** The command, the path, the question. */
  summary: string;
  changes: FileChange[];
  /** The command, ready to be run again; null if the call ran none. */
  command: string | null;
}

type Fields = Readonly<Record<string, unknown>>;

const PATHS = ["file_path", "filePath", "path", "absolute_path", "notebook_path", "filename"];
const COMMANDS = ["command", "cmd", "script", "code"];
const BEFORE = ["old_string", "oldString", "old_str", "before", "old_text", "oldText"];
const AFTER = ["new_string", "newString", "new_str", "after", "new_text", "newText", "new_source"];
const CONTENTS = ["content", "contents", "file_text"];
const PATTERNS = ["pattern", "regex", "query", "search", "q", "glob"];
const TASKS = ["prompt", "message", "task", "instructions"];

/**
 * Describes a call by the fields of its input, because every agent names its tools differently. `home` is the working
 * directory; paths under it are shown relative to it.
 */
export function callView({ started }: Call, home: string | null): CallView {
  const { name, input } = started;
  const near = (path: string): string => shortPath(path, home);
  if (typeof input === "string") return ofText(name, input, near);
  if (typeof input !== "object" || input === null)
    return plain(name, input === null || input === undefined ? "" : JSON.stringify(input));
  const fields = input as Fields;
  const changes = changesIn(fields);
  if (changes.length > 0) {
    const isWhole = changes.every(({ before, patch }) => before === null && patch === null);
    return {
      verb: isWhole ? "write" : "edit",
      summary: [...new Set(changes.map(({ path }) => near(path)))].join(", "),
      changes,
      command: null,
    };
  }
  const questions = fields["questions"];
  const question = Array.isArray(questions) ? questionsIn(questions) : words(fields, ["question"]);
  if (question !== null) return { ...plain(name, question), verb: "ask" };
  const command = words(fields, COMMANDS);
  if (command !== null) return { ...plain(name, command), verb: "run", command };
  const list = ["todos", "plan", "steps", "tasks"].map((key) => fields[key]).find((value) => Array.isArray(value));
  if (Array.isArray(list)) return { ...plain(name, progress(list)), verb: "plan" };
  if (typeof fields["plan"] === "string") return { ...plain(name, firstLine(fields["plan"])), verb: "plan" };
  const url = words(fields, ["url", "uri"]);
  if (url !== null) return { ...plain(name, url), verb: "fetch" };
  const pattern = words(fields, PATTERNS);
  const path = words(fields, PATHS);
  if (pattern !== null)
    return { ...plain(name, path === null ? pattern : `${pattern} in ${near(path)}`), verb: "search" };
  const task = words(fields, TASKS);
  if (task !== null && (fields["subagent_type"] !== undefined || /agent|task/i.test(name)))
    return { ...plain(name, words(fields, ["description"]) ?? firstLine(task)), verb: "agent" };
  if (path !== null)
    return { ...plain(name, near(path)), verb: /list|^ls$|dir/i.test(bare(name)) ? "list" : readVerb(name) };
  return plain(name, words(fields, ["description", "skill", "name", ...TASKS]) ?? jsonLine(fields));
}

function readVerb(name: string): string {
  return /read|view|open|cat/i.test(name) ? "read" : verbOf(name);
}

function ofText(name: string, input: string, near: (path: string) => string): CallView {
  const changes = patchChanges(input);
  if (changes.length > 0)
    return { verb: "edit", summary: changes.map(({ path }) => near(path)).join(", "), changes, command: null };
  const scripted = [...input.matchAll(/\b(?:cmd|command)["']?\s{0,4}:\s{0,4}("(?:[^"\\\n]|\\.){1,4000}")/g)].map(
    ([, literal = '""']) => parsed(literal),
  );
  if (scripted.length > 0) {
    const command = scripted.join("; ");
    return { ...plain(name, command), verb: "run", command };
  }
  return plain(name, firstLine(input));
}

function parsed(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal;
  }
}

function plain(name: string, summary: string): CallView {
  return { verb: verbOf(name), summary, changes: [], command: null };
}

/** The tool's own name, without the name of its MCP server. */
function bare(name: string): string {
  return name.replace(/^mcp__.*?__/, "").replace(/^.*\./, "");
}

function verbOf(name: string): string {
  return bare(name).replaceAll("_", " ").toLowerCase();
}

function words(fields: Fields, keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = fields[key];
    if (typeof value === "string" && value.trim() !== "") return value;
    if (Array.isArray(value) && value.length > 0 && value.every((part) => typeof part === "string"))
      return shellCommand(value);
  }
  return null;
}

/** `["bash", "-lc", "ls"]` ran `ls`. */
function shellCommand(parts: readonly string[]): string {
  if (parts.length === 3 && /^-[a-z]*c$/.test(parts[1] ?? "")) return parts[2] ?? "";
  return parts.join(" ");
}

function questionsIn(list: readonly unknown[]): string | null {
  const texts = list.flatMap((one) => {
    const text = (one as Fields | null)?.["question"];
    return typeof text === "string" ? [text] : [];
  });
  return texts.length === 0 ? null : texts.join(" ");
}

function progress(list: readonly unknown[]): string {
  const steps = list.map((one) => (typeof one === "object" && one !== null ? (one as Fields) : {}));
  const done = steps.filter((step) => /done|complete/.test(words(step, ["status"]) ?? "")).length;
  const now = steps.find((step) => /progress/.test(words(step, ["status"]) ?? ""));
  const step = now ? (words(now, ["content", "step", "text", "subject", "title"]) ?? "") : "";
  return `${done} of ${list.length} steps done${step === "" ? "" : ` · ${step}`}`;
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}

function jsonLine(fields: Fields): string {
  const text = JSON.stringify(fields);
  return text === "{}" ? "" : text;
}

function changesIn(fields: Fields): FileChange[] {
  const patch = words(fields, ["patch", "diff", "input", "patchText"]);
  if (patch !== null) {
    const changes = patchChanges(patch);
    if (changes.length > 0) return changes;
  }
  const path = words(fields, PATHS);
  if (path === null) return [];
  const edits = fields["edits"];
  if (Array.isArray(edits))
    return edits.flatMap((edit) => (typeof edit === "object" && edit !== null ? oneChange(path, edit as Fields) : []));
  return oneChange(path, fields);
}

function oneChange(path: string, fields: Fields): FileChange[] {
  const before = textIn(fields, BEFORE);
  const after = textIn(fields, AFTER);
  if (before !== null || after !== null) return [{ path, before: before ?? "", after: after ?? "", patch: null }];
  const content = textIn(fields, CONTENTS);
  return content === null ? [] : [{ path, before: null, after: content, patch: null }];
}

function textIn(fields: Fields, keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = fields[key];
    if (typeof value === "string") return value;
  }
  return null;
}

const PATCH_FILE = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/;

/** The files of a patch, as agents write them (`*** Begin Patch`) or as `diff -u` does. */
export function patchChanges(text: string): FileChange[] {
  const changes: FileChange[] = [];
  let lines: string[] | null = null;
  const begin = (path: string): void => {
    lines = [];
    changes.push({ path, before: null, after: null, patch: "" });
  };
  if (/^\*\*\* Begin Patch/m.test(text)) {
    for (const line of text.split("\n")) {
      const path = PATCH_FILE.exec(line)?.[1];
      if (path !== undefined) begin(path);
      else if (line.startsWith("*** End Patch")) break;
      else if (lines) take(changes, line);
    }
    return changes;
  }
  if (!/^--- .+\n\+\+\+ .+/m.test(text)) return [];
  const all = text.split("\n");
  for (const [i, line] of all.entries()) {
    const next = all[i + 1] ?? "";
    if (line.startsWith("--- ") && next.startsWith("+++ "))
      begin((next.slice(4) === "/dev/null" ? line : next).slice(4).replace(/^[ab]\//, ""));
    else if (lines && !(line.startsWith("+++ ") && (all[i - 1] ?? "").startsWith("--- "))) take(changes, line);
  }
  return changes;
}

function take(changes: FileChange[], line: string): void {
  const last = changes.at(-1);
  if (last) last.patch = last.patch === "" ? line : `${last.patch}\n${line}`;
}

export function shortPath(path: string, home: string | null): string {
  if (home !== null && home !== "" && path.startsWith(`${home}/`)) return path.slice(home.length + 1);
  return path;
}
