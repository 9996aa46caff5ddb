import type { Span } from "./named.ts";
import { PROGRAMS, READERS } from "./programs.ts";
import { isPlaceholder } from "./values.ts";
import { addTo } from "../maps.ts";

/** Secrets on command lines: `sshpass -p …`, `curl -u name:…`, `echo … | sudo -S`. */

interface Word {
  text: string;
  start: number;
  end: number;
}

/** Where the secret is, from a row of the table. */
type Where =
  | { is: "after"; word: string }
  | { is: "number"; n: number; separator: string | undefined; beside: string | undefined }
  | {
      is: "flag";
      flag: string;
      separator: string | undefined;
      glued: boolean;
      apart: boolean;
      prefix: string | undefined;
    };

function whereOf(place: string): Where {
  const [where = "", other] = place.split(" ");
  if (where.startsWith("+")) return { is: "after", word: where.slice(1) };
  const number = /^(-?\d)([/:])?$/.exec(where);
  if (number) return { is: "number", n: Number(number[1]), separator: number[2], beside: other };
  const [, flag = "", separator, how] = /^([-/][\w-]+:?(?=\*)|[-/][\w-]+)([:,%])?([*?])?$/.exec(where) ?? [];
  return { is: "flag", flag, separator, glued: how !== undefined, apart: how !== "*", prefix: other };
}

interface Row {
  needed: readonly string[];
  places: readonly Where[];
}

const rowsOf = new Map<string, Row[]>();
for (const [programs, needed, ...places] of PROGRAMS) {
  const row = { needed: needed === "" ? [] : needed.split(" "), places: places.map(whereOf) };
  for (const program of programs.split(" ")) addTo(rowsOf, program, row);
}
const readersOf = new Map<string, string[][]>();
for (const [program, needed] of READERS) addTo(readersOf, program, needed === "" ? [] : needed.split(" "));

/** In a command a space follows the program, in a list of words a quote: part of the sign of a short or common word. */
export const PROGRAM_SIGNS: readonly string[] = [...new Set([...rowsOf.keys(), ...readersOf.keys()])].flatMap((name) =>
  name.length > 5 && !/^(?:security|bundle|docker|vercel)$/.test(name)
    ? [name]
    : [" ", '"', "'"].map((after) => name + after),
);

/** Characters that may precede a program: a space, a quote, a parenthesis, the end of a path or of another command. */
const BORDERS = new Set([..." \t\n\r\"'`/\\|;&($>+"].map((char) => char.charCodeAt(0)));

function isProgramStart(text: string, at: number): boolean {
  if (at === 0 || BORDERS.has(text.charCodeAt(at - 1))) return true;
  // An escaped line break.
  return text.charAt(at - 2) === "\\" && /[nrt]/.test(text.charAt(at - 1));
}

const LONGEST_COMMAND = 1000;
const PROGRAM = /[\w.+-]{2,30}(?=(?<quote>\\{0,7}["'])?)/dy;
/** A word of a shell: quoted parts and others, up to a space or the end of the command. */
const SHELL_WORD =
  /(?:[ \t]|\\{1,2}\r?\n)+(?:(?<quote>\\{0,7}["'])(?<quoted>[^\n]{0,400}?)(?<!\\)\k<quote>(?=[\s|;&)]|\\|$)|(?<bare>(?:[^\s|;&"'\\`()]|\\(?!["'nrt]).|(?<=[=,:p])["'][^"'\n]{0,400}["']){1,400}))/dy;
/** The next text of a list, JSON or code. */
const LIST_WORD = /\s{0,40},\s{0,40}(?<quote>\\{0,7}["'])(?<quoted>[^\n]{0,400}?)(?<!\\)\k<quote>/dy;

interface Command {
  text: string;
  start: number;
  /** Later programs need a look further: the words do not reach the end of the command. */
  isCut: boolean;
  words: readonly Word[];
}

/** The words of the last command: a program may be a word of another one's command, as in `sudo docker login`. */
let last: Command | null = null;

function wordsAfter(text: string, at: number, name: string): readonly Word[] {
  const place =
    last?.text === text && at < last.start + (last.isCut ? LONGEST_COMMAND / 2 : Infinity)
      ? placeIn(last, at, name)
      : -1;
  if (last && place !== -1) return last.words.slice(place + 1);
  last = parse(text, at, SHELL_WORD);
  return last.words;
}

function placeIn({ start, words }: Command, at: number, name: string): number {
  return at < start ? -1 : words.findIndex((word) => word.start === at && word.text === name);
}

function parse(text: string, at: number, pattern: RegExp): Command {
  const words: Word[] = [];
  let isCut = false;
  PROGRAM.lastIndex = at;
  pattern.lastIndex = at + (PROGRAM.exec(text)?.[0].length ?? 0);
  if (pattern === LIST_WORD)
    pattern.lastIndex += /^\\{0,7}["']/.exec(text.slice(pattern.lastIndex, pattern.lastIndex + 9))?.[0].length ?? 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const place = match.indices?.groups?.["quoted"] ?? match.indices?.groups?.["bare"];
    isCut = place === undefined || place[1] - at > LONGEST_COMMAND;
    if (!place || isCut) break;
    const [start, end] = unquoted(text, place[0], place[1]);
    words.push({ text: text.slice(start, end), start, end });
  }
  return { text, start: at, isCut, words };
}

function unquoted(text: string, start: number, end: number): [number, number] {
  const isQuoted = /^(["']).*\1$/.test(text.slice(start, end));
  return isQuoted ? [start + 1, end - 1] : [start, end];
}

/** The secrets of the command whose program is at this place; `end` is where its words end. */
export function commandSecrets(text: string, at: number): { found: Span[]; end: number } {
  // The end of a longer program name is found before the name itself, and must not hide it.
  const nothing = { found: [], end: 0 };
  if (!isProgramStart(text, at)) return nothing;
  PROGRAM.lastIndex = at;
  const program = PROGRAM.exec(text);
  if (!program) return nothing;
  const { 0: name } = program;
  const [rows, readers] = [rowsOf.get(name), readersOf.get(name)];
  if (!rows && !readers) return nothing;
  if (!mayHoldSecret(restOf(text, at + name.length), rows ?? [], readers ?? [])) return nothing;
  const isList = program.groups?.["quote"] !== undefined;
  const words = isList ? parse(text, at, LIST_WORD).words : wordsAfter(text, at, name);
  const found: Span[] = [];
  for (const { needed, places } of rows ?? [])
    if (hasWords(words, needed)) for (const place of places) found.push(...secretsAt(words, needed, place));
  if (readers?.some((needed) => hasWords(words, needed)))
    found.push(...readSecrets(text, at, words.at(-1)?.end ?? at + name.length));
  return { found, end: at + name.length };
}

/** The text up to the end of the line, or of the longest command. */
function restOf(text: string, from: number): string {
  const rest = text.slice(from, from + LONGEST_COMMAND);
  const end = /(?<!\\)\r?\n/.exec(rest)?.index;
  return end === undefined ? rest : rest.slice(0, end);
}

/** A cheap filter, because many programs are words of prose: false when no flag or word is there that a secret follows. */
function mayHoldSecret(rest: string, rows: readonly Row[], readers: readonly string[][]): boolean {
  const has = (word: string | undefined): boolean =>
    word === undefined || rest.includes(/^-\w$/.test(word) ? "-" : word);
  return (
    readers.some(([first]) => has(first)) ||
    rows.some(
      ({ needed, places }) => has(needed[0]) && places.some((place) => (place.is === "flag" ? has(place.flag) : true)),
    )
  );
}

/** True when the words occur in this order; a flag may be one of several letters: `-bc`. */
function hasWords(words: readonly Word[], needed: readonly string[]): boolean {
  let at = 0;
  return needed.every((one) => {
    while (at < words.length && !isWord(words[at]?.text ?? "", one)) at++;
    return at++ < words.length;
  });
}

function isWord(word: string, needed: string): boolean {
  return word === needed || (/^-[a-z]$/.test(needed) && /^-[A-Za-z]+$/.test(word) && word.includes(needed.charAt(1)));
}

function secretsAt(words: readonly Word[], needed: readonly string[], where: Where): Span[] {
  if (where.is === "number") return positional(words, needed, where);
  return words.flatMap((word, n) => {
    if (where.is === "flag") return afterFlag(word, words[n + 1], where);
    return word.text.toLowerCase() === where.word ? secret(words[n + 1]) : [];
  });
}

/** The n-th word that is no flag, after the needed words. */
function positional(
  words: readonly Word[],
  needed: readonly string[],
  { n, separator, beside }: Where & { is: "number" },
): Span[] {
  const final = needed.at(-1);
  const from = final === undefined ? 0 : words.findIndex(({ text }) => isWord(text, final)) + 1;
  const plain = words.slice(from).filter(({ text }) => !/^-|^\/[a-z]/.test(text));
  if (beside !== undefined && !plain.some(({ text }) => text.startsWith(beside))) return [];
  const word = n < 0 ? plain.at(n) : plain[n - 1];
  return separator === undefined ? secret(word) : login(word, separator);
}

function afterFlag(word: Word, next: Word | undefined, where: Where & { is: "flag" }): Span[] {
  const { flag, separator, glued, apart, prefix } = where;
  const { text } = word;
  if (text.charCodeAt(0) !== flag.charCodeAt(0)) return [];
  // Short flags may be joined: `-sSu name:word`.
  const isFlag = text === flag || (flag.length === 2 && /^-[A-Za-z]{2,6}$/.test(text) && text.endsWith(flag.charAt(1)));
  if (isFlag && apart) {
    if (prefix !== undefined) return next?.text.startsWith(prefix) ? secret(cut(next, prefix.length)) : [];
    return separator === undefined ? secret(next) : login(next, separator);
  }
  if (!text.startsWith(flag) || text === flag) return [];
  const isAssigned = text.charAt(flag.length) === "=";
  if (!glued && !isAssigned) return [];
  const value = cut(word, flag.length + (isAssigned ? 1 : 0));
  return separator === undefined ? secret(value) : login(value, separator);
}

function cut({ start, end, text }: Word, by: number): Word {
  const quote = /^["']/.test(text.slice(by)) && text.endsWith(text.charAt(by)) ? 1 : 0;
  return { start: start + by + quote, end: end - quote, text: text.slice(by + quote, text.length - quote) };
}

/** The part after the separator: `mira:word`. */
function login(word: Word | undefined, separator: string): Span[] {
  const at = word?.text.indexOf(separator) ?? -1;
  if (!word || at === -1) return [];
  // `name/word@host`
  const host = separator === "/" ? word.text.lastIndexOf("@") : -1;
  const end = host > at ? word.start + host : word.end;
  return secret({ start: word.start + at + 1, end, text: word.text.slice(at + 1, end - word.start) });
}

function secret(word: Word | undefined): Span[] {
  if (!word || word.text.length < 3 || /^-|^[a-z]+[.,;:)]$/.test(word.text) || isPlaceholder(word.text)) return [];
  return [{ start: word.start, end: word.end, kind: "cli-password" }];
}

const PIPED =
  /(?:echo|printf)[ \t]+(?:-[neE]+[ \t]+)?(?:\\{0,7}["']?%s(?:\\{1,4}n|\n)?\\{0,7}["']?[ \t]+)?(?:(?<quote>\\{0,7}["'])(?<quoted>[^"'|]{3,200}?)\k<quote>|(?<bare>[^\s"'|]{3,200}))[ \t]*\|[ \t]*(?:sudo[ \t]+)?(?:[\w./]+=\S*[ \t]+)?$/d;
const HERE_STRING =
  /[^\n|;&<]{0,200}<<<[ \t]*(?:(?<quote>\\{0,7}["'])(?<quoted>[^"'\n]{3,200}?)\k<quote>|(?<bare>[^\s"'|;&]{3,200}))/dy;

/** What is written to the program's input. */
function readSecrets(text: string, at: number, end: number): Span[] {
  const from = Math.max(0, at - 300);
  const found: Span[] = [];
  const piped = PIPED.exec(text.slice(from, at))?.indices?.groups;
  const place = piped?.["quoted"] ?? piped?.["bare"];
  if (place) found.push(...inputs(text, from + place[0], from + place[1]));
  HERE_STRING.lastIndex = Math.min(at + 2, end);
  const here = HERE_STRING.exec(text)?.indices?.groups;
  const other = here?.["quoted"] ?? here?.["bare"];
  if (other) found.push(...inputs(text, ...other));
  return found;
}

/** `word`, `name:word` for chpasswd, or `word\nword` for passwd. */
function inputs(text: string, start: number, end: number): Span[] {
  const value = text.slice(start, end);
  const lines = value.split(/\\{1,4}n|\n/);
  if (lines.length > 1 && lines[0] !== undefined && lines[0].length >= 3 && !isPlaceholder(lines[0]))
    return [{ start, end, kind: "cli-password" }];
  const name = /^[a-z_][\w.-]{0,31}:(?=.{3})/.exec(value)?.[0] ?? "";
  return secret({ start: start + name.length, end, text: value.slice(name.length) });
}
