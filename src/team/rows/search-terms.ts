import { termExpressions, fold, toIndexText } from "../../index/search/terms.ts";

/**
 * Limits of a `tsvector`: positions are capped at 16,383, a word has at most 255 of them, a lexeme 2,046 bytes, the
 * whole 1 MB.
 */
const MOST_WORDS = 8000;
const MOST_PLACES = 255;
const LONGEST_WORD = 200;
const MOST_BYTES = 900_000;

const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;

/**
 * The words of a text as a `tsvector` literal, split and folded like in the book's own search: the store never splits
 * words itself, because its result would depend on its locale.
 */
export function termVector(text: string): string {
  const places = new Map<string, number[]>();
  let bytes = 0;
  let place = 0;
  for (const [word] of fold(toIndexText(text)).matchAll(WORD)) {
    if (++place > MOST_WORDS || bytes > MOST_BYTES) break;
    if (word.length > LONGEST_WORD) continue;
    const known = places.get(word);
    if (!known) {
      places.set(word, [place]);
      bytes += 3 * word.length + 16;
    } else if (known.length < MOST_PLACES) known.push(place);
  }
  return [...places].map(([word, at]) => `'${word}':${at.join(",")}`).join(" ");
}

/** As a book counts words: marks of Latin, Greek and Cyrillic belong to the word before them. */
const COUNTED = /[\p{L}\p{N}\p{Co}][\p{L}\p{N}\p{Co}\u0300-\u036f]*/gu;

/** How many words a text has, for the ranking of matches. */
export function wordCount(text: string): number {
  let count = 0;
  for (const _ of toIndexText(text).matchAll(COUNTED)) count++;
  return count;
}

/**
 * A query as people type it, as a `tsquery` literal: all words must occur, phrases word by word. Empty if it has no
 * word.
 */
export function termQuery(text: string): string {
  return termPhrases(text).join(" & ");
}

/** The same, phrase by phrase. */
export function termPhrases(text: string): string[] {
  return termExpressions(text)
    .map((expression) => {
      const isOpen = expression.endsWith('"*');
      const words = [...fold(expression).matchAll(WORD)].map(([word]) => word).filter((w) => w.length <= LONGEST_WORD);
      return words.map((word, i) => `'${word}'${isOpen && i === words.length - 1 ? ":*" : ""}`).join(" <-> ");
    })
    .filter((term) => term !== "")
    .map((term) => (term.includes(" <-> ") ? `(${term})` : term));
}
