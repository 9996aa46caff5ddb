import { readFileSync } from "node:fs";
import { DATA } from "../../../places.ts";

let common: ReadonlySet<string> | null = null;

/** Words that say nothing about what a text is about, of all languages of `data/common-words.json`. */
function commonWords(): ReadonlySet<string> {
  if (common === null) {
    const byLanguage = JSON.parse(readFileSync(new URL("common-words.json", DATA), "utf8")) as Record<string, string>;
    common = new Set(Object.values(byLanguage).flatMap((words) => unaccented(words).split(" ")));
  }
  return common;
}

/** `rotación` and `rotacion` are one word to whoever types in a hurry. */
function unaccented(text: string): string {
  if (/^[\x00-\x7f]*$/.test(text)) return text;
  return text
    .normalize("NFD")
    .replace(/(?<=[\p{Script=Latin}\p{Script=Cyrillic}])\p{M}+/gu, "")
    .normalize("NFC");
}

/** Characters read of a text. */
const LONGEST = 4000;

/** Where a new word begins in `DozeTest`. */
const CAMEL = /\p{Ll}(?=\p{Lu})/gu;

/** The terms of words seen before: a report asks for those of a month of texts, which repeat their words. */
const known = new Map<string, readonly string[]>();
const MOST_KNOWN = 20_000;

/** The terms a text is about: stemmed words, numbers, and compound names both whole and in parts. */
export function termsOf(text: string): Set<string> {
  const found = new Set<string>();
  const read = unaccented(text.slice(0, LONGEST).replace(CAMEL, "$&_").toLowerCase());
  for (const token of read.match(/[\p{L}\p{N}_]+(?:[-./][\p{L}\p{N}_]+)*/gu) ?? []) {
    let terms = known.get(token);
    if (!terms) {
      if (known.size >= MOST_KNOWN) known.clear();
      known.set(token, (terms = termsOfWord(token)));
    }
    for (const term of terms) found.add(term);
  }
  return found;
}

function termsOfWord(token: string): string[] {
  // These scripts have no spaces between words: take every pair of adjacent characters.
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(token))
    return Array.from({ length: Math.min(token.length - 1, 200) }, (_, i) => token.slice(i, i + 2));
  const empty = commonWords();
  const parts = token.split(/[-./_]+/);
  const terms = parts.filter((part) => !empty.has(part) && (part.length > 2 || /^\d{2}$/.test(part))).map(stem);
  return parts.length > 1 ? [token, ...terms] : terms;
}

/** `tested`, `testing` and `tests` become the same term. */
function stem(word: string): string {
  if (/\d/.test(word) || word.length < 5) return word.replace(/(?<=^[a-z]{3,})s$/, "");
  const cut = word.replace(/(?:ings?|ed|es|s|en|e|er|ern)$/u, "");
  const base = cut.length < 3 ? word : cut;
  // `logged` and `log`, `planning` and `plan`.
  return /([bdgklmnprt])\1$/.test(base) ? base.slice(0, -1) : base;
}

export function countShared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [few, many] = a.size <= b.size ? [a, b] : [b, a];
  let n = 0;
  for (const term of few) if (many.has(term)) n++;
  return n;
}
