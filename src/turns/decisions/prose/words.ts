import { readFileSync } from "node:fs";
import { DATA } from "../../../places.ts";
import { addTo } from "../../../base/maps.ts";

/** The closed classes of `data/short-answers.json`: words that answer without saying about what, in many languages. */
type WordClass =
  | "assent"
  | "refusal"
  | "negation"
  | "negation_inside"
  | "later"
  | "only"
  | "instead"
  | "offer"
  | "which"
  | "standing"
  | "settling"
  | "without"
  | "picking"
  | "workflow"
  | "function";

export type ShortAnswers = Readonly<Record<WordClass, readonly string[]>> & {
  /** Words for first, second, third. */
  readonly ordinals: readonly (readonly string[])[];
  /** By language, because one language's "or" is another's "of". */
  readonly or: Readonly<Record<string, { known_by: readonly string[]; or: readonly string[] }>>;
};

interface Lexicon {
  words: ReadonlySet<string>;
  /** Several words in a row, by the first of them. */
  phrases: ReadonlyMap<string, readonly (readonly string[])[]>;
  /** Of scripts without spaces: found anywhere in a run of letters. */
  parts: readonly string[];
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;
const KANA_ONLY = /^[\p{Script=Hiragana}ー]+$/u;

let file: ShortAnswers | null = null;
const lexicons = new Map<string, Lexicon>();

export function shortAnswers(): ShortAnswers {
  return (file ??= JSON.parse(readFileSync(new URL("short-answers.json", DATA), "utf8")) as ShortAnswers);
}

function lexicon(name: WordClass): Lexicon {
  let found = lexicons.get(name);
  if (!found) lexicons.set(name, (found = lexiconOf(shortAnswers()[name])));
  return found;
}

function lexiconOf(terms: readonly string[]): Lexicon {
  const spaced = terms.filter((term) => !UNSPACED.test(term)).map(wordsOf);
  const phrases = new Map<string, string[][]>();
  for (const words of spaced) {
    const [first] = words;
    if (first === undefined || words.length === 1) continue;
    addTo(phrases, first, words);
  }
  return {
    words: new Set(spaced.flatMap((words) => (words.length === 1 ? words : []))),
    phrases,
    parts: terms.filter((term) => UNSPACED.test(term)).map((term) => term.trim()),
  };
}

/** Runs of letters and digits, folded: `Don't` is `dont`. */
export function wordsOf(text: string): string[] {
  const folded = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/['’ʼ`]/g, "");
  return folded.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

/** How many words at `at` belong to the class; of a run without spaces one counts that begins with such a word. */
export function lengthAt(words: readonly string[], at: number, name: WordClass): number {
  const { words: single, phrases, parts } = lexicon(name);
  const word = words[at];
  if (word === undefined) return 0;
  let phrase = 0;
  for (const one of phrases.get(word) ?? [])
    if (one.length > phrase && one.every((part, k) => words[at + k] === part)) phrase = one.length;
  if (phrase > 0) return phrase;
  return single.has(word) || (UNSPACED.test(word) && parts.some((part) => word.startsWith(part))) ? 1 : 0;
}

export function isOf(word: string, name: WordClass): boolean {
  return lexicon(name).words.has(word) || (UNSPACED.test(word) && lexicon(name).parts.includes(word));
}

/** Whether a word of the class stands anywhere in the words. */
export function has(words: readonly string[], name: WordClass): boolean {
  const { parts } = lexicon(name);
  return words.some(
    (word, at) => lengthAt(words, at, name) > 0 || (UNSPACED.test(word) && parts.some((part) => word.includes(part))),
  );
}

/** Where a language's word for "or" stands: of how many words it consists, or the part of a run that it is. */
interface OrWord {
  at: number;
  words: number;
  inside: string | null;
}

/** The last word for "or" that is not the first word, in the language the words are most likely written in. */
export function lastOr(words: readonly string[]): OrWord | null {
  const known = new Set(words);
  const languages = Object.values(shortAnswers().or);
  const metOf = (names: readonly string[]): number => names.filter((name) => known.has(name)).length;
  const most = Math.max(...languages.map(({ known_by }) => metOf(known_by)));
  // A language without hints is told by its letters.
  const possible = languages.filter(({ known_by }) => known_by.length === 0 || metOf(known_by) === most);
  const terms = possible.flatMap(({ or }) => or);
  for (let at = words.length - 1; at > 0; at--) {
    for (const term of terms) {
      const inside = UNSPACED.test(term);
      if (inside && words[at]?.includes(term)) return { at, words: 1, inside: term };
      const parts = inside ? [] : wordsOf(term);
      if (parts.length > 0 && parts.every((part, k) => words[at + k] === part))
        return { at, words: parts.length, inside: null };
    }
  }
  return null;
}

/** The position (from 0) an ordinal names; null for any other word. */
export function ordinalOf(word: string): number | null {
  const at = shortAnswers().ordinals.findIndex((names) =>
    names.some((name) => (UNSPACED.test(name) ? word.startsWith(name.replace(/\s/g, "")) : name === word)),
  );
  return at === -1 ? null : at;
}

/**
 * What the words are about: those that carry meaning by themselves, and pairs of characters where no spaces separate
 * words. `shortest`: letters a word needs, unless it has a digit.
 */
export function contentOf(text: string, shortest = 4): string[] {
  const found = new Set<string>();
  // Names in capitals say something however short they are.
  const names = new Set(
    (text.match(/(?<![\p{L}\p{N}])\p{Lu}{2,}(?![\p{L}\p{N}])/gu) ?? []).map((name) => name.toLowerCase()),
  );
  for (const word of wordsOf(text)) {
    if (UNSPACED.test(word)) {
      for (const part of word.match(/[A-Za-z0-9]{2,}|[^A-Za-z0-9]+/g) ?? []) {
        if (/^[A-Za-z0-9]/.test(part)) found.add(part);
        else for (let i = 0; i + 1 < part.length; i++) addPair(found, part.slice(i, i + 2));
      }
    } else if (isContent(word, names.has(word) ? 2 : shortest)) found.add(word);
  }
  return [...found];
}

function addPair(found: Set<string>, pair: string): void {
  if (!KANA_ONLY.test(pair) && !lexicon("function").parts.includes(pair)) found.add(pair);
}

function isContent(word: string, shortest: number): boolean {
  if (/\p{N}/u.test(word)) return true;
  if ([...word].length < shortest) return false;
  return !EMPTY.some((name) => lexicon(name).words.has(word));
}

const EMPTY = ["function", "assent", "refusal", "negation", "only", "picking"] as const;

/** The same word, however it is inflected: equal, or equal but for an ending. */
function isSameWord(a: string, b: string): boolean {
  if (a === b) return true;
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (short.length < 4 || UNSPACED.test(short) || /\p{N}/u.test(short)) return false;
  const stem = short.length >= 6 ? short.slice(0, short.length - 2) : short;
  return long.startsWith(stem) && long.length - stem.length <= 5;
}

export function shared(words: readonly string[], others: readonly string[]): string[] {
  return words.filter((word) => others.some((other) => isSameWord(word, other)));
}

/** `Shall I …?`, `Do you want …?`, or a question about committing and the like: yes to it only has the work go on. */
export function offersWork(question: string): boolean {
  const words = wordsOf(question);
  return has(words, "offer") || words.some(isWorkflow);
}

export function isWorkflow(word: string): boolean {
  return lexicon("workflow").words.has(word) || lexicon("workflow").parts.some((part) => part.includes(word));
}
