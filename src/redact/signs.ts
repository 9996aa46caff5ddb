import { literal } from "./literal.ts";

/** A literal text of at least three characters that stands in what is looked for. */
export interface Sign<T> {
  text: string;
  value: T;
}

/**
 * Looks for hundreds of signs at once, in one of three ways that find the same. While there is little text, one sign is looked for
 * after the other: nothing has to be made for that. Then a text is searched with one pattern of all signs, which takes milliseconds
 * to compile and is quick from its first use. When there is much of it, it is walked through: three neighbouring characters, five
 * bits of each, say whether any sign may stand there. Each sign is filed under the three of its characters that are rarest in
 * ordinary text, so that clean text costs three operations a character.
 */
export class SignTable<T> {
  readonly #signs: readonly Sign<T>[];
  /** Made when there is enough to look through. */
  #searched: Searched<T> | null = null;
  #walked: Walked<T> | null = null;
  readonly #little: number;
  readonly #much: number;
  /** Characters searched so far. */
  #seen = 0;

  /** Characters, of one text or of all so far, up to which signs are looked for one by one, and from which on texts are walked through. */
  constructor(signs: readonly Sign<T>[], little: number = 4 * 1024, much: number = 256 * 1024) {
    // Filed by three of its characters; one of none at all is found for ever.
    for (const { text } of signs) if (text.length < 3) throw new Error(`not a sign: "${text}"`);
    this.#signs = signs;
    this.#little = little;
    this.#much = much;
  }

  /** Tells of every sign in the text, by where it begins. */
  scan(text: string, take: (value: T, start: number) => void): void {
    this.#seen += text.length;
    if (this.#seen < this.#little) this.#each(text, take);
    else if (this.#seen < this.#much) this.#search(text, take);
    else this.#walk(text, take);
  }

  #each(text: string, take: (value: T, start: number) => void): void {
    const found: [sign: Sign<T>, start: number][] = [];
    for (const sign of this.#signs)
      for (let at = text.indexOf(sign.text); at !== -1; at = text.indexOf(sign.text, at + 1)) found.push([sign, at]);
    // A rule that looked further may leave out what follows: in order, as the others tell it.
    for (const [{ value }, start] of found.toSorted(([, a], [, b]) => a - b)) take(value, start);
  }

  #search(text: string, take: (value: T, start: number) => void): void {
    const { pattern, byFirst } = (this.#searched ??= searched(this.#signs));
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      const start = match.index;
      for (const sign of byFirst.get(hashAt(text, start)) ?? [])
        if (text.startsWith(sign.text, start)) take(sign.value, start);
      // A sign may begin inside another.
      pattern.lastIndex = start + 1;
    }
  }

  #walk(text: string, take: (value: T, start: number) => void): void {
    const { maybe, byRarest } = (this.#walked ??= walked(this.#signs));
    let hash = 0;
    for (let i = 0; i < text.length; i++) {
      hash = ((hash << 5) & 0x7fff) | (text.charCodeAt(i) & 31);
      if (maybe[hash] !== 1) continue;
      for (const { sign, end } of byRarest.get(hash) ?? []) {
        const start = i + 1 - end;
        if (start >= 0 && text.startsWith(sign.text, start)) take(sign.value, start);
      }
    }
  }
}

interface Searched<T> {
  pattern: RegExp;
  byFirst: Map<number, Sign<T>[]>;
}

function searched<T>(signs: readonly Sign<T>[]): Searched<T> {
  const byFirst: Searched<T>["byFirst"] = new Map();
  for (const sign of signs) file(byFirst, hashAt(sign.text, 0), sign);
  return { byFirst, pattern: new RegExp([...new Set(signs.map(({ text }) => literal(text)))].join("|"), "g") };
}

interface Walked<T> {
  maybe: Uint8Array;
  /** `end`: where in the sign the three characters end. */
  byRarest: Map<number, { sign: Sign<T>; end: number }[]>;
}

function walked<T>(signs: readonly Sign<T>[]): Walked<T> {
  const maybe = new Uint8Array(32_768);
  const byRarest: Walked<T>["byRarest"] = new Map();
  for (const sign of signs) {
    const at = rarest(sign.text);
    const hash = hashAt(sign.text, at);
    maybe[hash] = 1;
    file(byRarest, hash, { sign, end: at + 3 });
  }
  return { maybe, byRarest };
}

function file<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

function hashAt(text: string, at: number): number {
  return ((text.charCodeAt(at) & 31) << 10) | ((text.charCodeAt(at + 1) & 31) << 5) | (text.charCodeAt(at + 2) & 31);
}

/** How often characters with these five bits occur in code and prose, roughly, in parts of a hundred. */
const OFTEN = [18, 5, 2, 3, 4, 8, 2, 2, 4, 5, 1, 1, 4, 3, 6, 6, 3, 1, 5, 6, 8, 3, 1, 1, 1, 2, 1, 1, 1, 2, 2, 1];

function rarest(text: string): number {
  let [best, least] = [0, Infinity];
  for (let at = 0; at + 3 <= text.length; at++) {
    const often = oftenAt(text, at) * oftenAt(text, at + 1) * oftenAt(text, at + 2);
    if (often < least) [best, least] = [at, often];
  }
  return best;
}

function oftenAt(text: string, at: number): number {
  return OFTEN[text.charCodeAt(at) & 31] ?? 1;
}
