/** Prompts that a program wrote or expanded: commands by their template, by their shape, by the human's own files. */
import { lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { UserBody } from "../../record/record.ts";
import { readText } from "../../base/io/regular-file.ts";

/** A built-in command that the client sends as its expanded text. */
export interface BuiltInCommand {
  called: string;
  /** The exact beginning of the text. */
  starts: string;
  /** Matches the arguments typed after the command, in group 1. */
  typed?: RegExp;
}

/** A text must be this many times as long as `starts`: a human may type the first sentence on its own. */
const GOES_ON = 3;

/**
 * Recognises prompts that a client expanded from a template: by built-in texts, by shape, or by the human's own files.
 */
export class CommandTemplates {
  readonly #builtIn: readonly BuiltInCommand[];
  readonly #files: PromptFiles;

  constructor(builtIn: readonly BuiltInCommand[], places: readonly PromptDirectory[]) {
    this.#builtIn = builtIn;
    this.#files = new PromptFiles(places);
  }

  /** The command and its arguments; null for a text that a human wrote. */
  expansion(text: string): Expansion | null {
    return this.#own(text) ?? expansionOf(text) ?? this.#files.match(text);
  }

  #own(text: string): Expansion | null {
    const body = text.trim();
    const found = this.#builtIn.find(({ starts }) => body.startsWith(starts) && body.length > GOES_ON * starts.length);
    return found ? { called: found.called, typed: found.typed?.exec(body)?.[1]?.trim() ?? "" } : null;
  }
}

/** A prompt that a client generated from a template: the command that was called and the arguments typed after it. */
interface Expansion {
  /** `/name` if the template reveals it, else the template's title line. */
  called: string;
  typed: string;
}

/** The command line as the human would have typed it. */
export function expansionText({ called, typed }: Expansion): string {
  if (typed === "") return called;
  return called.startsWith("/") ? `${called} ${typed}` : `${called}\n${typed}`;
}

/** The expanded template as the model received it. No human wrote it, but it stays searchable with the turn. */
export function expandedBody(text: string, full: boolean): UserBody {
  return { type: "user", author: "source", text: full ? text : "" };
}

/** Shorter texts count as typed by a human, even if they look like a template. */
const SHORTEST_TEMPLATE = 200;

/**
 * What prompts of the spec-kit family have in common: a fence around the typed arguments, and a sentence that refers
 * the model to it. Both must be present, preceded only by front matter or the template's title, because people paste
 * and quote such texts.
 */
const FENCE =
  /^(?:---\n[\s\S]{0,4000}?\n---\s*\n)?\s*(?:# [^\n]+\n[\s\S]{0,2000}?)?## User Input\s*\n+```(?:text)?\n([\s\S]*?)\n?```\s*\n+(?:You \*\*MUST\*\* c|C)onsider the user input before proceeding/;
/**
 * Older templates without a fence: arguments end with the paragraph, or where the known text of the template continues.
 */
const PLAIN =
  /^(?:---\n[\s\S]{0,4000}?\n---\s*\n)?\s*The user input to you can be provided directly by the agent or as a command argument[^\n]*\n(?:proceeding [^\n]*\n)?\s*User input:[ \t]*\n?\n?([\s\S]*?)\n\n(?=(?:Given|Goal:|The text the user|You are|1\. |#|-{3})|\S[\s\S]{150})/;

/** The expansion recognised from the text alone; null for anything a human may have written. */
export function expansionOf(text: string): Expansion | null {
  if (text.length < SHORTEST_TEMPLATE) return null;
  return specKit(text) ?? openSpec(text) ?? persona(text);
}

function specKit(text: string): Expansion | null {
  const match = text.includes("## User Input") ? FENCE.exec(text) : PLAIN.exec(text);
  if (!match) return null;
  return { called: nameIn(text) ?? titleIn(text, match[0].length), typed: filled(match[1]) };
}

/** The typed arguments; empty if the client left the placeholder in (no arguments, or an old client). */
function filled(place: string | undefined): string {
  const typed = (place ?? "").trim();
  return typed === "$ARGUMENTS" ? "" : typed;
}

/** OpenSpec inserts its own block; the typed arguments may come before or after it. */
const OPEN_SPEC =
  /^(?:---\n[\s\S]{0,4000}?\n---\s*\n)?([\s\S]{0,20000}?)<!-- OPENSPEC:START -->\s*\n\*\*Guardrails\*\*[\s\S]*<!-- OPENSPEC:END -->([\s\S]*)$/;
const REQUEST = /<UserRequest>([\s\S]*?)<\/UserRequest>/;
const OPEN_SPEC_STEPS: readonly [string, string][] = [
  ["verb-led `change-id`", "proposal"],
  ["Track these steps as TODOs", "apply"],
  ["openspec archive", "archive"],
];

function openSpec(text: string): Expansion | null {
  const match = text.includes("<!-- OPENSPEC:START -->") ? OPEN_SPEC.exec(text) : null;
  const name = match && OPEN_SPEC_STEPS.find(([step]) => text.includes(step))?.[1];
  if (!match || name === undefined) return null;
  const before = REQUEST.exec(match[1] ?? "")?.[1] ?? match[1];
  return {
    called: `/openspec-${name}`,
    typed: [before, match[2]]
      .map(filled)
      .filter((part) => part !== "")
      .join("\n"),
  };
}

/** Commands of the BMAD family name themselves. */
const PERSONA =
  /^# (\/[\w/.-]+) (?:Command|Task)\s*\n+When this command is used, (?:adopt the following agent persona|execute the following task)/;

function persona(text: string): Expansion | null {
  const called = PERSONA.exec(text)?.[1];
  return called === undefined ? null : { called, typed: "" };
}

const NAMED = /typed after `(\/[\w.:-]+)`/;
/** A phrase that occurs in only one of the spec-kit templates, with the name of that template. */
const SPEC_KIT: readonly [RegExp, string][] = [
  [/create-new-feature(?:\.sh|\.ps1)/, "specify"],
  [/setup-plan(?:\.sh|\.ps1)/, "plan"],
  [/updating the project constitution/, "constitution"],
  [/reduce ambiguity or missing decision points/, "clarify"],
  [/Identify inconsistencies, duplications, ambiguities/, "analyze"],
  [/Unit Tests for (?:English|Requirements)/i, "checklist"],
  [/--require-tasks --include-tasks|-RequireTasks -IncludeTasks/, "implement"],
  [/setup-tasks(?:\.sh|\.ps1)|tasks-template\.md/, "tasks"],
];

function nameIn(text: string): string | null {
  const named = NAMED.exec(text)?.[1];
  if (named !== undefined) return named;
  if (!text.includes("check-prerequisites") && !text.includes(".specify/")) return null;
  const known = SPEC_KIT.find(([sign]) => sign.test(text))?.[1];
  return known === undefined ? null : `${text.includes("/speckit.") ? "/speckit." : "/"}${known}`;
}

const TITLE_LENGTH = 120;
/** Headings that every template has. */
const COMMON = /^(?:user input|outline|goal|overview|instructions|execution|pre-?execution|steps?\b)/i;

/**
 * The first specific heading, else the first sentence after `from`, where the beginning shared by all templates ends.
 */
function titleIn(text: string, from: number): string {
  const heading = [...text.matchAll(/^#{1,3} +(.+)$/gm)].map((match) => match[1]?.trim() ?? "");
  const titleLine = heading.find((line) => line !== "" && !COMMON.test(line));
  if (titleLine !== undefined && text.trimStart().startsWith("# ")) return cut(titleLine);
  const lines = text.slice(from).split("\n").slice(1);
  const sentence = lines.map((line) => line.replace(/^(?:Goal: |\*\*Goal\*\*: )/, "").trim()).find(isSentence);
  return cut(sentence ?? titleLine ?? "custom prompt");
}

function isSentence(line: string): boolean {
  return line !== "" && !/^(?:#|```|-{3}|<)/.test(line);
}

function cut(title: string): string {
  const first = /^.*?[.!?](?=\s|$)/.exec(title)?.[0] ?? title;
  return first.length <= TITLE_LENGTH ? first : `${first.slice(0, TITLE_LENGTH - 1).trimEnd()}…`;
}

/** A custom command of the human: a text with placeholders for the arguments typed after its name. */
interface PromptFile {
  name: string;
  /** The fixed text around the placeholders; one more than there are placeholders. */
  pieces: readonly string[];
  /** What each placeholder stands for: "" for all arguments, else the number or name of one argument. */
  placeholders: readonly string[];
}

export type PromptFormat = "md" | "toml";

/** A directory in which an agent stores such commands, and their file formats. */
export interface PromptDirectory {
  dir: string;
  formats: readonly PromptFormat[];
  /** Separator between folder and file names in the command's name; null if subfolders are not searched. */
  nested: ":" | "/" | null;
}

/** A shorter fixed text could just as well have been typed. */
const LEAST_FIXED_TEXT = 20;
const LARGEST_FILE = 256 * 1024;
const MOST_FILES = 500;
const DEEPEST_FOLDER = 4;

/**
 * The custom commands in an agent's directories, to recognise their text in a session: clients send the expanded text
 * without naming the command. The files are read lazily, at most once per reading; symbolic links are not followed.
 */
export class PromptFiles {
  readonly #places: readonly PromptDirectory[];
  #files: readonly PromptFile[] | null = null;

  constructor(places: readonly PromptDirectory[]) {
    this.#places = places;
  }

  /** The command and its arguments, if the text is one of the command files with its placeholders filled in. */
  match(text: string): Expansion | null {
    const body = normal(text);
    if (body.length < LEAST_FIXED_TEXT || this.#places.length === 0) return null;
    this.#files ??= this.#places.flatMap(filesIn);
    for (const file of this.#files) {
      const typed = typedInto(file, body);
      if (typed !== null) return { called: `/${file.name}`, typed };
    }
    return null;
  }
}

interface CachedDirectory {
  /** Path, size and modification time of every file. */
  listing: string;
  files: readonly PromptFile[];
}

/** Parsed files by directory; valid as long as its listing is unchanged. */
const cache = new Map<string, CachedDirectory>();

function filesIn(place: PromptDirectory): readonly PromptFile[] {
  const found = listed(place, place.dir, "", 0).slice(0, MOST_FILES);
  const listing = found.map(({ path, stats }) => `${path}\t${stats.size}\t${stats.mtimeMs}`).join("\n");
  const cached = cache.get(place.dir);
  if (cached?.listing === listing) return cached.files;
  // The longest fixed text first: it is the more specific one of two that match.
  const files = found.flatMap(parsed).sort((a, b) => fixed(b) - fixed(a) || (a.name < b.name ? -1 : 1));
  cache.set(place.dir, { listing, files });
  return files;
}

interface ListedFile {
  path: string;
  name: string;
  format: PromptFormat;
  stats: Stats;
}

function listed(place: PromptDirectory, dir: string, prefix: string, depth: number): ListedFile[] {
  const names = namesIn(dir);
  return names.flatMap((file): ListedFile[] => {
    const path = join(dir, file);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory() === true && place.nested !== null && depth < DEEPEST_FOLDER)
      return listed(place, path, `${prefix}${file}${place.nested}`, depth + 1);
    const format = place.formats.find((one) => file.endsWith(`.${one}`));
    if (format === undefined || stats?.isFile() !== true || stats.size > LARGEST_FILE) return [];
    return [{ path, name: prefix + file.slice(0, -format.length - 1), format, stats }];
  });
}

function namesIn(dir: string): string[] {
  try {
    // Checked first, because most machines have no such directory and an exception costs more than a stat.
    return lstatSync(dir, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(dir).sort() : [];
  } catch {
    return [];
  }
}

function parsed({ path, name, format }: ListedFile): PromptFile[] {
  let text: string;
  try {
    text = readText(path);
  } catch {
    return [];
  }
  const body = format === "toml" ? promptIn(text) : text.replace(/^\uFEFF?---\r?\n[\s\S]*?\n---[ \t]*(?:\r?\n|$)/, "");
  const file = body === null ? null : split(name, normal(body));
  return file && fixed(file) >= LEAST_FIXED_TEXT ? [file] : [];
}

const TOML_PROMPT =
  /^prompt[ \t]*=[ \t]*(?:"""\r?\n?([\s\S]*?)"""|'''\r?\n?([\s\S]*?)'''|("(?:[^"\\\n]|\\.)*")|'([^'\n]*)')/m;

function promptIn(toml: string): string | null {
  const match = TOML_PROMPT.exec(toml);
  if (!match) return null;
  const [, basic, literal, quoted, plain] = match;
  if (basic !== undefined) return basic.replaceAll(/\\(["\\])/g, "$1").replaceAll("\\n", "\n");
  if (quoted === undefined) return literal ?? plain ?? null;
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return null;
  }
}

/** `$ARGUMENTS`, `$@`, `{{args}}`: all arguments. `$1`, `$NAME`: one argument. */
const PLACEHOLDER =
  /\$ARGUMENTS\b|\$\{?@(?::\d+(?::\d+)?\})?\}?|\{\{\s*args\s*\}\}|\$(\d)(?!\d)|\$([A-Z][A-Z0-9_]*)\b/g;

function split(name: string, body: string): PromptFile {
  const pieces: string[] = [];
  const placeholders: string[] = [];
  let at = 0;
  for (const match of body.matchAll(PLACEHOLDER)) {
    pieces.push(body.slice(at, match.index));
    placeholders.push(match[1] ?? match[2] ?? "");
    at = match.index + match[0].length;
  }
  return { name, pieces: [...pieces, body.slice(at)], placeholders };
}

function fixed({ pieces }: PromptFile): number {
  return pieces.reduce((sum, piece) => sum + piece.trim().length, 0);
}

/** The arguments in the placeholders, if the text consists of all pieces in order and nothing else; null otherwise. */
function typedInto({ pieces, placeholders }: PromptFile, text: string): string | null {
  const first = pieces[0] ?? "";
  const last = pieces.at(-1) ?? "";
  if (placeholders.length === 0) return text === first ? "" : null;
  if (!text.startsWith(first.trimStart()) && !text.startsWith(first.trim())) return null;
  const filled: string[] = [];
  let at = text.startsWith(first.trimStart()) ? first.trimStart().length : first.trim().length;
  for (const piece of pieces.slice(1, -1)) {
    const next = text.indexOf(piece, at);
    if (next < 0 || piece === "") return null;
    filled.push(text.slice(at, next));
    at = next + piece.length;
  }
  // If nothing was typed at the end, the client also trims the white space before it.
  const tail = text.endsWith(last.trimEnd()) ? last.trimEnd() : text.endsWith(last.trim()) ? last.trim() : null;
  if (tail === null || text.length - tail.length < at) return null;
  filled.push(text.slice(at, text.length - tail.length));
  return argumentsOf(placeholders, filled);
}

function argumentsOf(placeholders: readonly string[], filled: readonly string[]): string | null {
  const values = new Map<string, string>();
  for (const [i, placeholder] of placeholders.entries()) {
    const text = (filled[i] ?? "").trim();
    // What looks like a placeholder may be code, which the client sends unchanged.
    const value = text === `$${placeholder}` ? "" : text;
    const before = values.get(placeholder);
    // The same argument must have the same value everywhere.
    if (before !== undefined && before !== value) return null;
    values.set(placeholder, value);
  }
  const all = values.get("");
  if (all !== undefined) return all;
  const named = [...values].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return named
    .map(([placeholder, value]) => (/^\d$/.test(placeholder) || value === "" ? value : `${placeholder}=${value}`))
    .filter((value) => value !== "")
    .join(" ");
}

function normal(text: string): string {
  return text.replaceAll("\r\n", "\n").trim();
}

/**
 * "Reply with exactly OK": programs send this to check that an agent answers at all. The prompt must ask nothing else.
 */
const ANSWER_THIS =
  /^(?:please )?(?:(?:reply|respond|answer)(?: back)?(?: only| just)? with(?: exactly| only| just)?|(?:reply|respond|answer|say|output|return|print) (?:exactly|only|just))(?: the| one| a)?(?: single| exact)?(?: words?| strings?| text| token)?:? ["'`]?[\w-]{1,20}["'`]?[.!]?(?: (?:and )?(?:nothing else|only|no other text))?[.!]?$/i;
const SIGN_OF_LIFE = /^(?:ping|health ?check|are you (?:there|alive|ready)\??|connection test|warm ?up)[.!]?$/i;

/**
 * Whether the text only checks for a response. People try out agents, too, so callers also require a non-interactive
 * entry.
 */
export function isProbe(text: string): boolean {
  const words = text.trim();
  return words.length < 120 && (ANSWER_THIS.test(words) || SIGN_OF_LIFE.test(words));
}
