import { lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { Expansion } from "./expansion.ts";
import { readText } from "../../io/regular-file.ts";

/** A command of the human's own: a text with places for what is typed after its name. */
interface PromptFile {
  name: string;
  /** The text around the places; one more than there are places. */
  pieces: readonly string[];
  /** What stands in each place: "" for everything that was typed, else the number or name of an argument. */
  places: readonly string[];
}

export type PromptFormat = "md" | "toml";

/** Where agents keep such commands, and how they are written. */
export interface PromptPlace {
  dir: string;
  formats: readonly PromptFormat[];
  /** What joins the names of folders and file; null where folders are not looked into. */
  nested: ":" | "/" | null;
}

/** Less fixed text than this may be anybody's words. */
const LEAST = 20;
const LARGEST = 256 * 1024;
const MOST = 500;
const DEEPEST = 4;

/**
 * The commands kept in an agent's own directory, to know their text again in a session: clients send it without a word about
 * the command. They are looked at when a prompt is first compared, once per reading; links are not followed.
 */
export class PromptFiles {
  readonly #places: readonly PromptPlace[];
  #files: readonly PromptFile[] | null = null;

  constructor(places: readonly PromptPlace[]) {
    this.#places = places;
  }

  /** What was called and typed, when the text is one of them filled in. */
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

interface Known {
  look: string;
  files: readonly PromptFile[];
}

/** By directory; valid as long as it looks the same. */
const known = new Map<string, Known>();

function filesIn(place: PromptPlace): readonly PromptFile[] {
  const found = listed(place, place.dir, "", 0).slice(0, MOST);
  const look = found.map(({ path, stats }) => `${path}\t${stats.size}\t${stats.mtimeMs}`).join("\n");
  const before = known.get(place.dir);
  if (before?.look === look) return before.files;
  // The longest fixed text first: of two that fit, it says more.
  const files = found.flatMap(parsed).sort((a, b) => fixed(b) - fixed(a) || (a.name < b.name ? -1 : 1));
  known.set(place.dir, { look, files });
  return files;
}

interface Found {
  path: string;
  name: string;
  format: PromptFormat;
  stats: Stats;
}

function listed(place: PromptPlace, dir: string, prefix: string, depth: number): Found[] {
  const names = namesIn(dir);
  return names.flatMap((file): Found[] => {
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
    // Asked first: most machines have none, and an error costs more than the question.
    return lstatSync(dir, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(dir).sort() : [];
  } catch {
    return [];
  }
}

function parsed({ path, name, format }: Found): PromptFile[] {
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

/** `$ARGUMENTS`, `$@`, `{{args}}`: all that was typed. `$1`, `$NAME`: one argument. */
const PLACE = /\$ARGUMENTS\b|\$\{?@(?::\d+(?::\d+)?\})?\}?|\{\{\s*args\s*\}\}|\$(\d)(?!\d)|\$([A-Z][A-Z0-9_]*)\b/g;

function split(name: string, body: string): PromptFile {
  const pieces: string[] = [];
  const places: string[] = [];
  let at = 0;
  for (const match of body.matchAll(PLACE)) {
    pieces.push(body.slice(at, match.index));
    places.push(match[1] ?? match[2] ?? "");
    at = match.index + match[0].length;
  }
  return { name, pieces: [...pieces, body.slice(at)], places };
}

function fixed({ pieces }: PromptFile): number {
  return pieces.reduce((sum, piece) => sum + piece.trim().length, 0);
}

/** What stands in the places when all pieces are there, in order, from the first letter to the last. */
function typedInto({ pieces, places }: PromptFile, text: string): string | null {
  const first = pieces[0] ?? "";
  const last = pieces.at(-1) ?? "";
  if (places.length === 0) return text === first ? "" : null;
  if (!text.startsWith(first.trimStart()) && !text.startsWith(first.trim())) return null;
  const filled: string[] = [];
  let at = text.startsWith(first.trimStart()) ? first.trimStart().length : first.trim().length;
  for (const piece of pieces.slice(1, -1)) {
    const next = text.indexOf(piece, at);
    if (next < 0 || piece === "") return null;
    filled.push(text.slice(at, next));
    at = next + piece.length;
  }
  // Where nothing was typed at the end, the blanks before it are gone too.
  const tail = text.endsWith(last.trimEnd()) ? last.trimEnd() : text.endsWith(last.trim()) ? last.trim() : null;
  if (tail === null || text.length - tail.length < at) return null;
  filled.push(text.slice(at, text.length - tail.length));
  return argumentsOf(places, filled);
}

function argumentsOf(places: readonly string[], filled: readonly string[]): string | null {
  const values = new Map<string, string>();
  for (const [i, place] of places.entries()) {
    const text = (filled[i] ?? "").trim();
    // What looks like a place may be code: it reads as in the file then.
    const value = text === `$${place}` ? "" : text;
    const before = values.get(place);
    // The same argument reads the same wherever it stands.
    if (before !== undefined && before !== value) return null;
    values.set(place, value);
  }
  const all = values.get("");
  if (all !== undefined) return all;
  const named = [...values].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return named
    .map(([place, value]) => (/^\d$/.test(place) || value === "" ? value : `${place}=${value}`))
    .filter((value) => value !== "")
    .join(" ");
}

function normal(text: string): string {
  return text.replaceAll("\r\n", "\n").trim();
}
