import { PostingCursor } from "./segment.ts";

/** The texts of a segment that contain something, in order. */
export interface Hits {
  readonly texts: readonly number[];
  /** How often a text contains it. */
  count(text: number): number;
  /** Where: numbers of words, in order. */
  places(text: number): readonly number[];
}

export const NO_HITS: Hits = { texts: [], count: () => 0, places: () => [] };

/** `isAlive`: null if all texts of the segment are. */
export function hitsOf(postings: Uint8Array, isAlive: ((text: number) => boolean) | null): Hits {
  const texts: number[] = [];
  const eachAlive = (take: (cursor: PostingCursor) => void): void => {
    for (const cursor = new PostingCursor(postings); cursor.next();)
      if (isAlive === null || isAlive(cursor.text)) take(cursor);
  };
  eachAlive(({ text }) => texts.push(text));
  // Most searches only ask which texts there are.
  let ends: number[] | null = null;
  const places = (text: number): number[] => {
    if (ends === null) {
      const all: number[] = (ends = []);
      eachAlive(({ from, to }) => all.push(from, to));
    }
    const at = placeIn(texts, text);
    return texts[at] === text ? numbersIn(postings, ends[2 * at] ?? 0, ends[2 * at + 1] ?? 0) : [];
  };
  return { texts, count: (text) => places(text).length, places };
}

/** Each number is stated as its distance from the one before. */
function numbersIn(bytes: Uint8Array, from: number, to: number): number[] {
  const numbers: number[] = [];
  let [value, shift, last] = [0, 0, 0];
  for (let i = from; i < to; i++) {
    const byte = bytes[i] ?? 0;
    value |= (byte & 0x7f) << shift;
    shift += 7;
    if (byte > 0x7f) continue;
    numbers.push((last += value));
    value = shift = 0;
  }
  return numbers;
}

/** Where a number is in a sorted list, or would be. */
function placeIn(sorted: readonly number[], wanted: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Of a word with any of several spellings: no two of them are at the same place. */
export function anyOf(many: readonly Hits[]): Hits {
  const [only] = many;
  if (only === undefined) return NO_HITS;
  if (many.length === 1) return only;
  const isThere: boolean[] = [];
  for (const { texts } of many) for (const text of texts) isThere[text] = true;
  const places = (text: number): number[] => many.flatMap((hits) => hits.places(text)).toSorted((a, b) => a - b);
  return { texts: [...isThere.keys()].filter((text) => isThere[text]), count: (text) => places(text).length, places };
}

/** Of words that follow each other. */
export function inOrder(words: readonly Hits[]): Hits {
  const [first = NO_HITS, ...rest] = words;
  if (rest.length === 0) return first;
  const places = new Map<number, readonly number[]>();
  for (const text of textsWithAll(words)) {
    const starts = rest.reduce(
      (before, word, i) => (before.length === 0 ? before : followed(before, word.places(text), i + 1)),
      first.places(text),
    );
    if (starts.length > 0) places.set(text, starts);
  }
  const at = (text: number): readonly number[] => places.get(text) ?? [];
  return { texts: [...places.keys()], count: (text) => at(text).length, places: at };
}

/** Places that have one of `next` this far behind them. */
function followed(places: readonly number[], next: readonly number[], distance: number): number[] {
  const found: number[] = [];
  let i = 0;
  for (const place of places) {
    while (i < next.length && (next[i] ?? 0) < place + distance) i++;
    if (next[i] === place + distance) found.push(place);
  }
  return found;
}

export function textsWithAll(all: readonly Hits[]): readonly number[] {
  const [first, ...rest] = all.toSorted((a, b) => a.texts.length - b.texts.length);
  return rest.reduce((texts: readonly number[], hits) => followed(texts, hits.texts, 0), first?.texts ?? []);
}
