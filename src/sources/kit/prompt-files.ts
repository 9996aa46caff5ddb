import { lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { Expansion } from "./expansion.ts";
import { readText } from "../../io/regular-file.ts";

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
const LEAST = 20;
const LARGEST = 256 * 1024;
const MAX_FILES = 500;
const DEEPEST = 4;

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
    if (body.length < LEAST || this.#places.length === 0) return null;
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
  const found = listed(place, place.dir, "", 0).slice(0, MAX_FILES);
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
    if (stats?.isDirectory() === true && place.nested !== null && depth < DEEPEST)
      return listed(place, path, `${prefix}${file}${place.nested}`, depth + 1);
    const format = place.formats.find((one) => file.endsWith(`.${one}`));
    if (format === undefined || stats?.isFile() !== true || stats.size > LARGEST) return [];
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
  return file && fixed(file) >= LEAST ? [file] : [];
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
