import { fold, isRun } from "../terms.ts";
import { inflectionsOf } from "./languages.ts";
import { EVERYDAY } from "./everyday-table.ts";
import { TABLE } from "./trade-table.ts";

/** Another word for the same thing. */
export interface SameMeaning {
  text: string;
  /** How surely it is the same, up to 1. */
  weight: number;
  /** Longer words that begin so are the same: languages that glue words together, or endings on. */
  isPrefix: boolean;
}

/** Words of one language are rarely quite the same; a word and its translation mostly are. */
const SYNONYM = 0.6;
const TRANSLATION = 0.85;
/** Letters a foreign word must have for what begins with it to be a form of it. */
const LONG = 6;

/** Signs of the longest word of a script without spaces in the table. */
export const LONGEST_RUN = 8;

interface Line {
  english: string[];
  others: string[];
}

let known: Map<string, Line[]> | null = null;

function table(): Map<string, Line[]> {
  return (known ??= read(TABLE + EVERYDAY));
}

export function isKnown(text: string): boolean {
  return table().has(fold(text));
}

/** Words of other languages in the table that a longer word is made of: `Rechnungsnummer`, `Kundenrechnung`, `перезапускались`. */
export function partsOf(word: string): string[] {
  const found: string[] = [];
  for (const key of table().keys())
    if (key.length >= LONG && key.length < word.length && (word.startsWith(key) || word.endsWith(key))) found.push(key);
  return found;
}

/** Other words for any of these, which are forms of one word. */
export function sameMeaning(texts: readonly string[]): SameMeaning[] {
  const lines = new Map<Line, boolean>();
  for (const text of texts)
    for (const line of table().get(text) ?? [])
      lines.set(line, lines.get(line) === true || !line.others.includes(text));
  const found = new Map<string, SameMeaning>();
  const add = (text: string, weight: number, isPrefix = false): void => {
    if (!texts.includes(text) && weight > (found.get(text)?.weight ?? 0)) found.set(text, { text, weight, isPrefix });
  };
  for (const [{ english, others }, isEnglish] of lines) {
    for (const word of english) for (const form of inflectionsOf(word)) add(form, isEnglish ? SYNONYM : TRANSLATION);
    for (const word of others)
      add(word, isEnglish ? TRANSLATION : SYNONYM, !isRun(word) && word.length >= LONG && !word.includes(" "));
  }
  return [...found.values()];
}

function read(text: string): Map<string, Line[]> {
  const map = new Map<string, Line[]>();
  // Folded as a whole: word by word it takes several times as long, and the first question waits for it.
  for (const row of fold(text).split("\n")) {
    if (row === "" || row.startsWith("//")) continue;
    const [meant = "", asked] = row.split("<");
    const [english = [], others = []] = meant.split("|").map(wordsOf);
    const line = { english, others };
    // Everyday words lead to those of the trade, and not back.
    const leading = asked === undefined ? [...english, ...others] : wordsOf(asked);
    for (const word of leading) {
      const known = map.get(word);
      if (known) known.push(line);
      else map.set(word, [line]);
    }
  }
  return map;
}

function wordsOf(side: string): string[] {
  return side
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}
