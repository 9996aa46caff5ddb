import { readFileSync } from "node:fs";
import { DATA } from "../../../places.ts";
import { fold } from "../terms.ts";

/** Words that mean the same: a question with one of them finds texts with another. */
export interface SynonymGroup {
  english: readonly string[];
  /** The same in other languages that people ask in. */
  others: readonly string[];
}

/** What people say who do not remember the technical term. Leads from the expressions to the terms, never back. */
export interface EverydayGroup {
  /** As sessions have it. */
  terms: readonly string[];
  /** As questions have it. */
  expressions: readonly string[];
}

/** The words of `data/recall.json`, those with a meaning by topic. */
export interface RecallWords {
  synonyms: Readonly<Record<string, readonly SynonymGroup[]>>;
  everyday: Readonly<Record<string, readonly EverydayGroup[]>>;
  /**
   * Words that occur in questions without saying what they are about. Not stop words: where all else is equal, they
   * decide. Listed by meaning, because in a small book any word can be rare.
   */
  weak: readonly string[];
  /**
   * Products and projects that people ask about by name. In most languages a name is recognised by its capital letter;
   * where every noun has one, or the name is typed in lower case, by this list. If no turn contains the name, a turn
   * about something similar is not an answer.
   */
  names: readonly string[];
}

let read: RecallWords | null = null;

/** Folded. A test checks the shape of the file. */
export function recallWords(): RecallWords {
  // Fold the whole file at once: word by word takes several times as long, and the first question waits for it.
  return (read ??= JSON.parse(fold(readFileSync(new URL("recall.json", DATA), "utf8"))) as RecallWords);
}

let weak: ReadonlySet<string> | null = null;
let names: ReadonlySet<string> | null = null;

export function isWeak(word: string): boolean {
  weak ??= new Set(recallWords().weak);
  return weak.has(fold(word)) || /^\p{N}$/u.test(word);
}

export function isKnownName(word: string): boolean {
  names ??= new Set(recallWords().names);
  return names.has(word.toLowerCase());
}
