import { fold, isRun } from "../terms.ts";
import { inflectionsOf } from "./languages.ts";
import { recallWords, type SynonymGroup } from "./words.ts";

/** A synonym or translation. */
export interface Synonym {
  text: string;
  /** How certain the equivalence is, up to 1. */
  weight: number;
  /** Words that begin with it match too, in languages with compounds or suffixes. */
  isPrefix: boolean;
}

/** Synonyms within a language are seldom exact; translations mostly are. */
const SYNONYM = 0.8;
const TRANSLATION = 0.85;
/** Minimum length of a foreign word for prefix matching. */
const LONG = 6;

/** Characters of the longest table entry in a script without spaces. */
export const LONGEST_RUN = 12;

let known: Map<string, SynonymGroup[]> | null = null;

/** The groups that each word leads to. */
function groups(): Map<string, SynonymGroup[]> {
  if (known) return known;
  known = new Map();
  const { synonyms, everyday } = recallWords();
  for (const group of Object.values(synonyms).flat())
    for (const word of [...group.english, ...group.others]) addTo(known, word, group);
  for (const { terms, expressions } of Object.values(everyday).flat()) {
    const group = { english: terms, others: [] };
    for (const expression of expressions) addTo(known, expression, group);
  }
  return known;
}

function addTo(map: Map<string, SynonymGroup[]>, word: string, group: SynonymGroup): void {
  const listed = map.get(word);
  if (listed) listed.push(group);
  else map.set(word, [group]);
}

export function isTradeWord(text: string): boolean {
  return groups().has(fold(text));
}

/** Table entries that a longer word begins or ends with: `Rechnungsnummer`, `Kundenrechnung`, `перезапускались`. */
export function partsOf(word: string): string[] {
  const found: string[] = [];
  for (const key of groups().keys())
    if (key.length >= LONG && key.length < word.length && (word.startsWith(key) || word.endsWith(key))) found.push(key);
  return found;
}

/** Synonyms of any of these texts, which are forms of one word. */
export function synonymsOf(texts: readonly string[]): Synonym[] {
  /** Whether it was found by an English word. */
  const met = new Map<SynonymGroup, boolean>();
  for (const text of texts)
    for (const group of groups().get(text) ?? [])
      met.set(group, met.get(group) === true || !group.others.includes(text));
  const found = new Map<string, Synonym>();
  const add = (text: string, weight: number, isPrefix = false): void => {
    if (!texts.includes(text) && weight > (found.get(text)?.weight ?? 0)) found.set(text, { text, weight, isPrefix });
  };
  for (const [{ english, others }, isEnglish] of met) {
    for (const word of english) for (const form of inflectionsOf(word)) add(form, isEnglish ? SYNONYM : TRANSLATION);
    for (const word of others)
      add(word, isEnglish ? TRANSLATION : SYNONYM, !isRun(word) && word.length >= LONG && !word.includes(" "));
  }
  return [...found.values()];
}
