import { fold, isRun } from "../terms.ts";
import { cutRuns } from "./runs.ts";
import { ENGLISH, formsOf, languageOf, type Language } from "./languages.ts";
import { isKnownName } from "./names.ts";
import { isWeak } from "./weak-words.ts";
import { partsOf, sameMeaning, type SameMeaning } from "./trade-words.ts";
import type { RecallLikeness } from "./model.ts";

/** One way in which what was meant may stand in a text. */
export interface Alternative {
  /** Folded, and one or several words. */
  text: string;
  how: RecallLikeness;
  /** How much it says that this was meant, up to 1. */
  weight: number;
  /** Longer words that begin so are meant too. */
  isPrefix: boolean;
}

/** One thing a question speaks of. */
export interface Concept {
  /** As it was asked. */
  word: string;
  alternatives: Alternative[];
  /** How much of what the question is about it says, up to 1. */
  importance: number;
  /** Called by its own name: where it stands nowhere, no other word stands for it. */
  isName: boolean;
}

/** The same, looked for. */
export interface SoughtConcept extends Concept {
  /** No text of anybody holds it. */
  isNowhere: boolean;
}

const FORM = 0.95;
const WEAK = 0.3;
const PART = 0.5;
/** More words than these are somebody's clipboard; the first say what was meant. */
const MOST = 40;
const LONGEST_PHRASE = 3;

/** What a question speaks of, without the words that only ask. */
export function conceptsOf(question: string): Concept[] {
  const asked = wordsIn(question).slice(0, MOST);
  const language = languageOf(asked.map(({ folded }) => folded));
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
    concepts.push(word.isRun ? ofRun(word) : ofWord(word, language));
  }
  return distinct(concepts);
}

interface Asked {
  text: string;
  folded: string;
  /** Of a script that is written without spaces. */
  isRun: boolean;
  isFirst: boolean;
}

/** As the index cuts texts, but for scripts without spaces, which are cut where their signs change. */
function wordsIn(question: string): Asked[] {
  const clean = question.normalize("NFC").replace(/(\p{L})['’](?:s|t|re|ve|ll|d|m)\b/gu, "$1");
  const found: Asked[] = [];
  for (const match of clean.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    const isFirst = match.index === 0 || /[.?!:]\s+$/.test(clean.slice(0, match.index));
    for (const text of cutRuns(match[0])) found.push({ text, folded: fold(text), isRun: isRun(text), isFirst });
  }
  return found;
}

/** Several words that the trade knows as one: `roll back`, `second time`. */
function phraseAt(
  asked: readonly Asked[],
  at: number,
  language: Language,
): { concept: Concept; length: number } | null {
  for (let length = LONGEST_PHRASE; length > 1; length--) {
    const words = asked.slice(at, at + length);
    if (words.length < length || words.some((word) => word.isRun)) continue;
    const text = words.map(({ folded }) => folded).join(" ");
    const same = sameMeaning([text]);
    if (same.length === 0) continue;
    const parts = words.filter(({ folded }) => !language.stops.has(folded));
    const alternatives = [
      whole(text),
      ...same.map(synonym),
      ...parts.flatMap(({ folded }) => formsOf(folded, language).map((form) => alternative(form, "form", PART))),
    ];
    return {
      concept: {
        word: words.map((word) => word.text).join(" "),
        ...{ alternatives: apart(alternatives), importance: 1, isName: false },
      },
      length,
    };
  }
  return null;
}

function ofWord({ text, folded, isFirst }: Asked, language: Language): Concept {
  const forms = formsOf(text.toLowerCase(), language).filter((form) => form !== folded);
  // Words of the trade are English in every language, and have its endings.
  const asEnglish = language === ENGLISH ? [] : formsOf(folded, ENGLISH).filter((form) => form !== folded);
  const known = sameMeaning([folded, ...forms]);
  const same = known.length > 0 || language === ENGLISH ? known : sameMeaning(partsOf(folded));
  const alternatives = [
    whole(folded),
    ...[...forms, ...asEnglish].map((form) => alternative(form, "form", FORM)),
    ...same.map(synonym),
    ...begun(folded, language),
  ];
  const importance = isWeak(folded) ? WEAK : 1;
  return {
    ...{ word: text, alternatives: apart(alternatives), importance },
    isName: importance === 1 && (same.length === 0 || isKnownName(text)) && isName(text, isFirst, language),
  };
}

/** Languages that glue words together, or endings on: what begins with the stem is near enough. */
function begun(folded: string, language: Language): Alternative[] {
  const root = fold(language.stem(folded));
  return language === ENGLISH || root.length < 5
    ? []
    : [{ text: root, how: "form", weight: FORM * FORM, isPrefix: true }];
}

/** A run of signs: what the trade calls so, and the run itself. */
function ofRun({ text, folded }: Asked): Concept {
  const alternatives = [whole(folded), ...sameMeaning([folded]).map(synonym)];
  return { word: text, alternatives: apart(alternatives), importance: 1, isName: false };
}

/** What is called German is not called by its own name. */
const LANGUAGES =
  /^(?:english|german|french|spanish|italian|portuguese|russian|chinese|japanese|korean|dutch|swiss|austrian|european|american|british|unicode)$/i;

/** Capitals where a sentence has none, and words that mix letters with signs of code. */
function isName(text: string, isFirst: boolean, { id }: Language): boolean {
  if (isKnownName(text)) return true;
  if (LANGUAGES.test(text)) return false;
  if (/\p{Lu}.*\p{Lu}|\p{L}\p{N}|\p{N}\p{L}/u.test(text)) return true;
  // German writes every noun so.
  return !isFirst && id !== "de" && /^\p{Lu}/u.test(text);
}

function whole(text: string): Alternative {
  return alternative(text, "word", 1);
}

function synonym({ text, weight, isPrefix }: SameMeaning): Alternative {
  return { text, how: "synonym", weight, isPrefix };
}

function alternative(text: string, how: RecallLikeness, weight: number): Alternative {
  return { text, how, weight, isPrefix: false };
}

/** Each text once, as what it is most. */
function apart(alternatives: readonly Alternative[]): Alternative[] {
  const best = new Map<string, Alternative>();
  for (const one of alternatives) {
    const key = `${one.text}${one.isPrefix ? "*" : ""}`;
    if (one.weight > (best.get(key)?.weight ?? 0)) best.set(key, one);
  }
  return [...best.values()];
}

/** A word said twice is meant once. */
function distinct(concepts: readonly Concept[]): Concept[] {
  const seen = new Set<string>();
  return concepts.filter(({ word }) => !seen.has(fold(word)) && seen.add(fold(word)));
}
