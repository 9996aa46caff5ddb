import { expressions, fold, indexed } from "../../store/search/terms.ts";

/** Limits of a `tsvector`: places are cut at 16,383, a word has at most 255 of them, a lexeme 2,046 bytes, all of it 1 MB. */
const MOST_WORDS = 8000;
const MOST_PLACES = 255;
const LONGEST_WORD = 200;
const MOST_BYTES = 900_000;

const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;

/**
 * The words of a text as a `tsvector` literal, cut and folded as the book's own search does it: the store never makes words itself,
 * because what it would make depends on its locale.
 */
export function termVector(text: string): string {
  const places = new Map<string, number[]>();
  let bytes = 0;
  let place = 0;
  for (const [word] of fold(indexed(text)).matchAll(WORD)) {
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

/** A query as people type it, as a `tsquery` literal: words must all be there, phrases word by word. Empty where it has no word. */
export function termQuery(text: string): string {
  return expressions(text)
    .map((expression) => {
      const isOpen = expression.endsWith('"*');
      const words = [...fold(expression).matchAll(WORD)].map(([word]) => word).filter((w) => w.length <= LONGEST_WORD);
      return words.map((word, i) => `'${word}'${isOpen && i === words.length - 1 ? ":*" : ""}`).join(" <-> ");
    })
    .filter((term) => term !== "")
    .map((term) => (term.includes(" <-> ") ? `(${term})` : term))
    .join(" & ");
}
