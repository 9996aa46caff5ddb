import { fold, isRun } from "../terms.ts";
import { inflectionsOf } from "./languages.ts";
import { EVERYDAY } from "./everyday-table.ts";
import { TABLE } from "./trade-table.ts";

/** A synonym or translation. */
export interface Synonym {
  text: string;
  /** How certain the equivalence is, up to 1. */
  weight: number;
  /** Words that begin with it match too, in languages with compounds or suffixes. */
  isPrefix: boolean;
}

/** Synonyms within a language are rarely exact; translations mostly are. */
const SYNONYM = 0.6;
const TRANSLATION = 0.85;
/** Minimum length of a foreign word for prefix matching. */
const LONG = 6;

/** Characters of the longest table entry in a script without spaces. */
export const LONGEST_RUN = 8;

interface Line {
  english: string[];
  others: string[];
}

let known: Map<string, Line[]> | null = null;

function table(): Map<string, Line[]> {
  return (known ??= read(TABLE + EVERYDAY));
}

export function isTradeWord(text: string): boolean {
  return table().has(fold(text));
}

/** Table entries that a longer word begins or ends with: `Rechnungsnummer`, `Kundenrechnung`, `перезапускались`. */
export function partsOf(word: string): string[] {
  const found: string[] = [];
  for (const key of table().keys())
    if (key.length >= LONG && key.length < word.length && (word.startsWith(key) || word.endsWith(key))) found.push(key);
  return found;
}

/** Synonyms of any of these texts, which are forms of one word. */
export function synonymsOf(texts: readonly string[]): Synonym[] {
  const lines = new Map<Line, boolean>();
  for (const text of texts)
    for (const line of table().get(text) ?? [])
      lines.set(line, lines.get(line) === true || !line.others.includes(text));
  const found = new Map<string, Synonym>();
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
  // Fold the whole table at once: word by word takes several times as long, and the first question waits for it.
  for (const row of fold(text).split("\n")) {
    if (row === "" || row.startsWith("//")) continue;
    const [meant = "", asked] = row.split("<");
    const [english = [], others = []] = meant.split("|").map(wordsOf);
    const line = { english, others };
    // Everyday expressions lead to technical terms, but not back.
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
