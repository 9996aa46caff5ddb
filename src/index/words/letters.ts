/**
 * What a word is: letters and digits, without case and accents. Anything else ends it, except combining marks of Latin,
 * Greek and Cyrillic, which are accents written as characters of their own.
 */
const LETTER = /[\p{L}\p{N}\p{Co}]/u;

/** A character that ends a word. */
export const NONE = 0;
/** A combining mark: part of the word before it, and not written. */
export const MARK = -1;
const UNKNOWN = -2;

/** Texts use the same few characters again and again. */
const known = new Int32Array(0x10000).fill(UNKNOWN);

/** The code point that stands for a character in a word; `NONE` or `MARK` where none does. */
export function letterOf(code: number): number {
  if (code > 0xffff) return findLetter(code);
  let letter = known[code] ?? UNKNOWN;
  if (letter === UNKNOWN) known[code] = letter = findLetter(code);
  return letter;
}

function findLetter(code: number): number {
  if (code >= 0x300 && code <= 0x36f) return MARK;
  const char = String.fromCodePoint(code);
  if (!LETTER.test(char)) return NONE;
  const lower = char.toLowerCase();
  const bare = lower.normalize("NFD").replace(/[\u0300-\u036f]/g, "");
  return onlyCode(bare) ?? onlyCode(lower) ?? code;
}

function onlyCode(text: string): number | null {
  const [first, ...rest] = text;
  return first !== undefined && rest.length === 0 ? (first.codePointAt(0) ?? null) : null;
}

/** The words of a short text, such as a query. */
export function wordsIn(text: string): string[] {
  const words: string[] = [];
  let word = "";
  for (const char of `${text} `) {
    const letter = letterOf(char.codePointAt(0) ?? 0);
    if (letter > 0) word += String.fromCodePoint(letter);
    if (letter > 0 || (letter === MARK && word !== "")) continue;
    if (word !== "") words.push(word);
    word = "";
  }
  return words;
}
