import { inChunks, writeChunk } from "./chunks.ts";

/** A literal text of at least three characters that every match of a rule contains. */
export interface Sign<T> {
  text: string;
  value: T;
  /** Written in lower case here and found in any case of the letters A to Z. */
  anyCase?: true;
}

/**
 * Searches for hundreds of signs at once, in one of two ways with equal results, chosen by the amount of text so far:
 *
 * - little: `indexOf` for each sign, which needs no preparation;
 * - more: a rolling hash of three neighbouring characters, five bits of each, tells where a sign may be. Each sign is
 *   indexed by its three characters that are rarest in ordinary text, so that clean text costs three operations a
 *   character.
 *
 * One regular expression of all signs is no third way: it takes longer than the hash from its first kilobyte on.
 */
export class SignTable<T> {
  readonly #signs: readonly Sign<T>[];
  /** Built when enough text was searched to be worth it. */
  #hashIndex: HashIndex<T> | null = null;
  readonly #little: number;
  /** Characters searched so far. */
  #seen = 0;

  /** `little`: number of characters searched so far at which the method changes. */
  constructor(signs: readonly Sign<T>[], little: number = 1024) {
    // The index needs three characters, and an empty sign would loop forever.
    for (const { text } of signs) if (text.length < 3) throw new Error(`not a sign: "${text}"`);
    this.#signs = signs;
    this.#little = little;
  }

  /** Calls `take` for every sign in the text, in order of position. */
  scan(text: string, take: (value: T, start: number) => void): void {
    this.#seen += text.length;
    if (this.#seen < this.#little) this.#each(text, take);
    else this.#walk(text, take);
  }

  #each(text: string, take: (value: T, start: number) => void): void {
    const found: [sign: Sign<T>, start: number][] = [];
    const lower = asciiLower(text);
    for (const sign of this.#signs) {
      const searched = sign.anyCase ? lower : text;
      for (let at = searched.indexOf(sign.text); at !== -1; at = searched.indexOf(sign.text, at + 1))
        found.push([sign, at]);
    }
    // In order of position, as from the other method: a rule may skip signs inside a run it has examined.
    for (const [{ value }, start] of found.toSorted(([, a], [, b]) => a - b)) take(value, start);
  }

  #walk(text: string, take: (value: T, start: number) => void): void {
    const index = (this.#hashIndex ??= buildHashIndex(this.#signs));
    inChunks((bytes) => walk(index, text, bytes, take));
  }
}

/** Takes the signs of a text with the hash; `bytes` is used for its pieces. */
function walk<T>(index: HashIndex<T>, text: string, bytes: Buffer, take: (value: T, start: number) => void): void {
  const { isUsed } = index;
  let hash = 0;
  let length = 0;
  for (let from = 0; from < text.length; from += length) {
    length = writeChunk(bytes, text, from);
    let i = 0;
    for (; i + 3 < length; i += 4) {
      const first = ((hash << 5) & 0x7fff) | ((bytes[i] ?? 0) & 31);
      const second = ((first << 5) & 0x7fff) | ((bytes[i + 1] ?? 0) & 31);
      const third = ((second << 5) & 0x7fff) | ((bytes[i + 2] ?? 0) & 31);
      hash = ((third << 5) & 0x7fff) | ((bytes[i + 3] ?? 0) & 31);
      const a = isUsed[first] ?? 0;
      const b = isUsed[second] ?? 0;
      const c = isUsed[third] ?? 0;
      const d = isUsed[hash] ?? 0;
      if ((a | b | c | d) === 0) continue;
      if (a) takeFrom(index, first, text, from + i, take);
      if (b) takeFrom(index, second, text, from + i + 1, take);
      if (c) takeFrom(index, third, text, from + i + 2, take);
      if (d) takeFrom(index, hash, text, from + i + 3, take);
    }
    for (; i < length; i++) {
      hash = ((hash << 5) & 0x7fff) | ((bytes[i] ?? 0) & 31);
      if (isUsed[hash]) takeFrom(index, hash, text, from + i, take);
    }
  }
}

/** Takes the signs whose three characters have this hash and end at `last`. */
function takeFrom<T>(
  { buckets, before, after, signsOf }: HashIndex<T>,
  hash: number,
  text: string,
  last: number,
  take: (value: T, start: number) => void,
): void {
  const bucket = buckets[hash] ?? 0;
  // Most texts in which the three characters occur differ from all signs in the one before or after.
  if (last > 2 && (((before[bucket] ?? 0) >>> (text.charCodeAt(last - 3) & 31)) & 1) === 0) return;
  if (last + 1 < text.length && (((after[bucket] ?? 0) >>> (text.charCodeAt(last + 1) & 31)) & 1) === 0) return;
  for (const { sign, end } of signsOf[bucket] ?? []) {
    const start = last + 1 - end;
    if (start >= 0 && isAt(sign, text, start)) take(sign.value, start);
  }
}

function isAt<T>({ text: sign, anyCase }: Sign<T>, text: string, start: number): boolean {
  if (!anyCase) return text.startsWith(sign, start);
  for (let i = 0; i < sign.length; i++) {
    const code = text.charCodeAt(start + i);
    if ((code >= 65 && code <= 90 ? code + 32 : code) !== sign.charCodeAt(i)) return false;
  }
  return true;
}

/** Not `toLowerCase`, which changes the length of some texts. */
function asciiLower(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

interface HashIndex<T> {
  /** By the hash of three characters: 1 if they have a bucket. Bytes, so that the table fits into the nearest cache. */
  isUsed: Uint8Array;
  /** By the hash of three characters: the number of their bucket, 0 for none. */
  buckets: Uint16Array;
  /** By bucket: which characters, by their five low bits, may precede and follow the three, one bit each. */
  before: number[];
  after: number[];
  /** By bucket. `end`: offset in the sign at which its three characters end. */
  signsOf: { sign: Sign<T>; end: number }[][];
}

function buildHashIndex<T>(signs: readonly Sign<T>[]): HashIndex<T> {
  const index: HashIndex<T> = {
    isUsed: new Uint8Array(32_768),
    buckets: new Uint16Array(32_768),
    before: [0],
    after: [0],
    signsOf: [[]],
  };
  const { isUsed, buckets, before, after, signsOf } = index;
  for (const sign of signs) {
    const at = cheapest(sign.text, (hash) => signsOf[buckets[hash] ?? 0]?.length ?? 0);
    const hash = hashAt(sign.text, at);
    const bucket = buckets[hash] || signsOf.push([]) - 1;
    isUsed[hash] = 1;
    buckets[hash] = bucket;
    signsOf[bucket]?.push({ sign, end: at + 3 });
    before[bucket] = (before[bucket] ?? 0) | bitsAt(sign.text, at - 1);
    after[bucket] = (after[bucket] ?? 0) | bitsAt(sign.text, at + 3);
  }
  return index;
}

/** All bits where the sign has no character, because any may be there. */
function bitsAt(sign: string, at: number): number {
  return at < 0 || at >= sign.length ? -1 : 1 << (sign.charCodeAt(at) & 31);
}

function hashAt(text: string, at: number): number {
  return ((text.charCodeAt(at) & 31) << 10) | ((text.charCodeAt(at + 1) & 31) << 5) | (text.charCodeAt(at + 2) & 31);
}

/**
 * How rare each pair of neighbouring characters is in code and prose, by the five low bits of the first (row) and of the
 * second (column): a digit of base 36, each two of which halve the share of all pairs. Counted over 50 MB.
 */
const PAIRS = [
  "04556767758a76665a554897ddb776fb",
  "8g988gd9g9fc675h9d575acddbfiiekj",
  "9abdd8eee9ah7dbaefbbd9dghadebagg",
  "88gag7gg7bd99ed5ffab7bcghdglijtg",
  "69bfb5ged7chbdb9efbaebeggeddehid",
  "37976a8aa99f674b9c446d9b7caddcgb",
  "7aaggaahe7ekbga8bg8ecaiihfhjfioi",
  "8dceh7geb9dh9daadgbacchijhdecggf",
  "97bce5dcb7dgddb9dfbb9cegggbefjjf",
  "7aa79989f57e6836ah966gahbj99fbni",
  "3debdachb55hfa898gdbacffihibbckk",
  "adhhe9iefcfgfhdfghhdggigjihiihoh",
  "47aga5bfe68h7fd7eig9a9ghjagffijf",
  "87adb6efe9bhc6c88bbbccefggejcich",
  "47b766a6b87c9b869da659bcfaefcgkc",
  "7ba97d8afb9b87477h4987b9fgejgjih",
  "87eed7gfda8e8ec78d799aefacdfeajg",
  "dhghhhihiedicfdicdcceaddfefjhgmn",
  "57caa3c8b6bcaa76ad9879beeadedeie",
  "4ab9e5fe979cab789db749ddeaaddfld",
  "46cbd4de458hab869e6888cee8bedfib",
  "cdbbd8dcibfh897g9e787fcgdggmijlk",
  "d8fgh7hfhacjfeddcdefcffdfdfkjjmh",
  "bbghgahhb9fifgccggcdgbccgfgkikmi",
  "beeegdghgcfiefeh9cefafeedfejiipi",
  "7gehgehhfdeidcbd9gdcbfdcceeihglg",
  "5ehhibijjcakjiibghgggeihhigmicql",
  "ahdgjjjgkh6jjfeicheffhjjmnijfblq",
  "9idhgi7kbjekk9efhoiegfkkfooidgln",
  "5melklkidc9mbiekeehiilllmihdg8em",
  "anjolkolikeqkollnqnmoprqskqificp",
  "defdeeehfdjkeeegdhedehghmoeokmqc",
];

const pairCosts = PAIRS.map((row) => Array.from(row, (digit) => Number.parseInt(digit, 36)));

function pairCost(first: number, second: number): number {
  return pairCosts[first & 31]?.[second & 31] ?? 0;
}

/** Cost of one character: that of all pairs it begins. */
const single = pairCosts.map((row) => -2 * Math.log2(row.reduce((sum, cost) => sum + 2 ** (-cost / 2), 0)));

/** Where the three neighbouring characters begin that are rarest in ordinary text, and by which few other signs are found. */
function cheapest(text: string, signsAt: (hash: number) => number): number {
  let [best, least] = [0, Infinity];
  for (let at = 0; at + 3 <= text.length; at++) {
    const middle = text.charCodeAt(at + 1);
    const rarity =
      pairCost(text.charCodeAt(at), middle) + pairCost(middle, text.charCodeAt(at + 2)) - (single[middle & 31] ?? 0);
    const cost = 2 ** (-rarity / 2) * (1 + signsAt(hashAt(text, at)));
    if (cost < least) [best, least] = [at, cost];
  }
  return best;
}
