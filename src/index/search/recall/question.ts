import { fold, isRun } from "../terms.ts";
import { cutRuns } from "./runs.ts";
import { ENGLISH, formsOf, languageOf, type Language } from "./languages.ts";
import { isKnownName, isWeak } from "./words.ts";
import { partsOf, synonymsOf, type Synonym } from "./trade-words.ts";
import type { RecallLikeness } from "./model.ts";

/** One way in which a concept may be written in a text. */
export interface Alternative {
  /** Folded; one or several words. */
  text: string;
  how: RecallLikeness;
  /** How likely a match means this concept, up to 1. */
  weight: number;
  /** Words that begin with it match as well. */
  isPrefix: boolean;
}

/** One thing that a question is about. */
export interface Concept {
  /** As written in the question. */
  word: string;
  alternatives: Alternative[];
  /** How much it contributes to the subject of the question, up to 1. */
  importance: number;
  /** A proper name: if it occurs nowhere, no other word can stand for it. */
  isName: boolean;
}

/** A concept after searching for it. */
export interface SearchedConcept extends Concept {
  /** No text contains it. */
  isNowhere: boolean;
}

const FORM = 0.95;
const WEAK = 0.3;
const PART = 0.5;
/** The beginning of a word can be another word. */
const SHORTENED = 0.5;
/** Letters of a word that is worth shortening, and of what remains. */
const LONG = 7;
const SHORT_LENGTHS = [4, 5, 6];
/** A longer question is pasted text; the first words say what was meant. */
const MAX_WORDS = 40;
/** Words of the longest expression. */
export const LONGEST_PHRASE = 4;

/** The concepts of a question, without its stop words. */
export function conceptsOf(question: string): Concept[] {
  const asked = wordsIn(question).slice(0, MAX_WORDS);
  const language = languageOf(asked.map(({ text }) => text));
  const concepts: Concept[] = [];
  for (let at = 0; at < asked.length; at++) {
    const phrase = phraseAt(asked, at, language);
    if (phrase) {
      concepts.push(phrase.concept);
      at += phrase.length - 1;
      continue;
    }
    const word = asked[at];
    if (!word || language.stops.has(word.folded) || (!word.isRun && word.folded.length < 2)) continue;
    concepts.push(word.isRun ? runConcept(word) : wordConcept(word, language));
  }
  return uniqueConcepts(concepts);
}

interface QuestionWord {
  text: string;
  folded: string;
  /** In a script that is written without spaces. */
  isRun: boolean;
  isFirst: boolean;
}

/** Splits like the index does, except for scripts without spaces, which are split into words. */
function wordsIn(question: string): QuestionWord[] {
  const clean = question.normalize("NFC").replace(/(\p{L})['’](?:s|t|re|ve|ll|d|m)\b/gu, "$1");
  const found: QuestionWord[] = [];
  for (const match of clean.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    const isFirst = match.index === 0 || /[.?!:]\s+$/.test(clean.slice(0, match.index));
    for (const text of cutRuns(match[0])) found.push({ text, folded: fold(text), isRun: isRun(text), isFirst });
  }
  return found;
}

/** Several words that form one technical term: `roll back`, `second time`. */
function phraseAt(
  asked: readonly QuestionWord[],
  at: number,
  language: Language,
): { concept: Concept; length: number } | null {
  for (let length = LONGEST_PHRASE; length > 1; length--) {
    const words = asked.slice(at, at + length);
    if (words.length < length || words.some((word) => word.isRun)) continue;
    const text = words.map(({ folded }) => folded).join(" ");
    const same = synonymsOf([text]);
    if (same.length === 0) continue;
    const parts = words.filter(({ folded }) => !language.stops.has(folded));
    const alternatives = [
      exactAlternative(text),
      ...same.map(synonym),
      ...parts.flatMap(({ folded }) => formsOf(folded, language).map((form) => alternative(form, "form", PART))),
    ];
    return {
      concept: {
        word: words.map((word) => word.text).join(" "),
        alternatives: uniqueAlternatives(alternatives),
        importance: 1,
        isName: false,
      },
      length,
    };
  }
  return null;
}

function wordConcept({ text, folded, isFirst }: QuestionWord, language: Language): Concept {
  const forms = formsOf(text.toLowerCase(), language).filter((form) => form !== folded);
  // Technical terms are English in every language, and take English endings.
  const asEnglish = language === ENGLISH ? [] : formsOf(folded, ENGLISH).filter((form) => form !== folded);
  const known = synonymsOf([folded, ...forms]);
  const same = known.length > 0 || language === ENGLISH ? known : synonymsOf(partsOf(folded));
  const alternatives = [
    exactAlternative(folded),
    ...[...forms, ...asEnglish].map((form) => alternative(form, "form", FORM)),
    ...same.map(synonym),
    ...stemPrefix(folded, language),
    ...shortened(folded).map((text) => alternative(text, "form", SHORTENED)),
  ];
  const importance = isWeak(folded) ? WEAK : 1;
  return {
    word: text,
    alternatives: uniqueAlternatives(alternatives),
    importance,
    isName: importance === 1 && (same.length === 0 || isKnownName(text)) && isName(text, isFirst, language),
  };
}

/** In languages with compounds or suffixes, a word that begins with the stem is close enough. */
function stemPrefix(folded: string, language: Language): Alternative[] {
  const root = fold(language.stem(folded));
  return language === ENGLISH || root.length < 5
    ? []
    : [{ text: root, how: "form", weight: FORM * FORM, isPrefix: true }];
}

/** Words that programmers write as their beginning: `config`, `auth`, `repo`. */
function shortened(folded: string): string[] {
  if (!/^[a-z]+$/.test(folded) || folded.length < LONG) return [];
  return SHORT_LENGTHS.map((length) => folded.slice(0, length));
}

/** A word in a script without spaces: its synonyms, and the word itself. */
function runConcept({ text, folded }: QuestionWord): Concept {
  const alternatives = [exactAlternative(folded), ...synonymsOf([folded]).map(synonym)];
  return { word: text, alternatives: uniqueAlternatives(alternatives), importance: 1, isName: false };
}

/** Names of languages are no names of products. */
const LANGUAGES =
  /^(?:english|german|french|spanish|italian|portuguese|russian|chinese|japanese|korean|dutch|swiss|austrian|european|american|british|unicode)$/i;

/** Capitals within a sentence, and words that mix letters with digits. */
function isName(text: string, isFirst: boolean, { id }: Language): boolean {
  if (isKnownName(text)) return true;
  if (LANGUAGES.test(text)) return false;
  if (/\p{Lu}.*\p{Lu}|\p{L}\p{N}|\p{N}\p{L}/u.test(text)) return true;
  // German capitalises every noun.
  return !isFirst && id !== "de" && /^\p{Lu}/u.test(text);
}

function exactAlternative(text: string): Alternative {
  return alternative(text, "word", 1);
}

function synonym({ text, weight, isPrefix }: Synonym): Alternative {
  return { text, how: "synonym", weight, isPrefix };
}

function alternative(text: string, how: RecallLikeness, weight: number): Alternative {
  return { text, how, weight, isPrefix: false };
}

/** Each text once, with its highest weight. */
function uniqueAlternatives(alternatives: readonly Alternative[]): Alternative[] {
  const best = new Map<string, Alternative>();
  for (const one of alternatives) {
    const key = `${one.text}${one.isPrefix ? "*" : ""}`;
    if (one.weight > (best.get(key)?.weight ?? 0)) best.set(key, one);
  }
  return [...best.values()];
}

/** A repeated word counts once. */
function uniqueConcepts(concepts: readonly Concept[]): Concept[] {
  const seen = new Set<string>();
  return concepts.filter(({ word }) => !seen.has(fold(word)) && seen.add(fold(word)));
}
