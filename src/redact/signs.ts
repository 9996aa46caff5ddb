import { escapeRegExp } from "./escape-regexp.ts";

/** A literal text of at least three characters that every match of a rule contains. */
export interface Sign<T> {
  text: string;
  value: T;
}

/**
 * Searches for hundreds of signs at once, in one of three ways with equal results, chosen by the amount of text so far:
 *
 * - little: `indexOf` for each sign, which needs no preparation;
 * - more: one regular expression of all signs, which takes milliseconds to compile;
 * - much: a rolling hash of three neighbouring characters, five bits of each, tells where a sign may be. Each sign is
 *   indexed by its three characters that are rarest in ordinary text, so that clean text costs three operations a
 *   character.
 */
export class SignTable<T> {
  readonly #signs: readonly Sign<T>[];
  /** Built when enough text was searched to be worth it. */
  #patternIndex: PatternIndex<T> | null = null;
  #hashIndex: HashIndex<T> | null = null;
  readonly #little: number;
  readonly #much: number;
  /** Characters searched so far. */
  #seen = 0;

  /** `little`, `much`: numbers of characters searched so far at which the method changes. */
  constructor(signs: readonly Sign<T>[], little: number = 4 * 1024, much: number = 256 * 1024) {
    // The index needs three characters, and an empty sign would loop forever.
    for (const { text } of signs) if (text.length < 3) throw new Error(`not a sign: "${text}"`);
    this.#signs = signs;
    this.#little = little;
    this.#much = much;
  }

  /** Calls `take` for every sign in the text, in order of position. */
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
    // In order of position, as from the other methods: a rule may skip signs inside a run it has examined.
    for (const [{ value }, start] of found.toSorted(([, a], [, b]) => a - b)) take(value, start);
  }

  #search(text: string, take: (value: T, start: number) => void): void {
    const { pattern, byFirst } = (this.#patternIndex ??= buildPatternIndex(this.#signs));
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      const start = match.index;
      for (const sign of byFirst.get(hashAt(text, start)) ?? [])
        if (text.startsWith(sign.text, start)) take(sign.value, start);
      // Signs may overlap.
      pattern.lastIndex = start + 1;
    }
  }

  #walk(text: string, take: (value: T, start: number) => void): void {
    const { maybe, byRarest } = (this.#hashIndex ??= buildHashIndex(this.#signs));
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

interface PatternIndex<T> {
  pattern: RegExp;
  byFirst: Map<number, Sign<T>[]>;
}

function buildPatternIndex<T>(signs: readonly Sign<T>[]): PatternIndex<T> {
  const byFirst: PatternIndex<T>["byFirst"] = new Map();
  for (const sign of signs) addToList(byFirst, hashAt(sign.text, 0), sign);
  return { byFirst, pattern: new RegExp([...new Set(signs.map(({ text }) => escapeRegExp(text)))].join("|"), "g") };
}

interface HashIndex<T> {
  maybe: Uint8Array;
  /** `end`: offset in the sign at which its three characters end. */
  byRarest: Map<number, { sign: Sign<T>; end: number }[]>;
}

function buildHashIndex<T>(signs: readonly Sign<T>[]): HashIndex<T> {
  const maybe = new Uint8Array(32_768);
  const byRarest: HashIndex<T>["byRarest"] = new Map();
  for (const sign of signs) {
    const at = rarest(sign.text);
    const hash = hashAt(sign.text, at);
    maybe[hash] = 1;
    addToList(byRarest, hash, { sign, end: at + 3 });
  }
  return { maybe, byRarest };
}

function addToList<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

function hashAt(text: string, at: number): number {
  return ((text.charCodeAt(at) & 31) << 10) | ((text.charCodeAt(at + 1) & 31) << 5) | (text.charCodeAt(at + 2) & 31);
}

/** Approximate frequency, in percent, of characters with these five low bits in code and prose. */
const FREQUENCY = [18, 5, 2, 3, 4, 8, 2, 2, 4, 5, 1, 1, 4, 3, 6, 6, 3, 1, 5, 6, 8, 3, 1, 1, 1, 2, 1, 1, 1, 2, 2, 1];

function rarest(text: string): number {
  let [best, least] = [0, Infinity];
  for (let at = 0; at + 3 <= text.length; at++) {
    const often = frequencyAt(text, at) * frequencyAt(text, at + 1) * frequencyAt(text, at + 2);
    if (often < least) [best, least] = [at, often];
  }
  return best;
}

function frequencyAt(text: string, at: number): number {
  return FREQUENCY[text.charCodeAt(at) & 31] ?? 1;
}
