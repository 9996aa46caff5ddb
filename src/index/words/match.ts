import type { IndexStore } from "../tables/index-store.ts";
import { anyOf, inOrder, NO_HITS, textsWithAll, type Hits } from "./hits.ts";
import { OpenSegment, type Lookup } from "./open-segment.ts";
import { compareBytes } from "./segment.ts";

/** Words that follow each other; the last may be only how a word begins. */
export interface Phrase {
  words: readonly string[];
  isPrefix: boolean;
}

/** What a text must contain: of each of these lists, one phrase. */
export type Wanted = readonly (readonly Phrase[])[];

/** How much a word counts that occurs often in a text, and how much the length of the text: as usual for BM25. */
const REPEATED = 1.2;
const LENGTH = 0.75;
/** A word that is in most texts still counts a little. */
const LEAST_RARITY = 1e-6;

/** What rarity and usual length are measured against. `holders`: how many texts match each list of what is wanted. */
export interface TextCounts {
  texts: number;
  words: number;
  holders: readonly number[];
}

/** What one segment has of it. */
interface Part {
  segment: OpenSegment;
  texts: readonly number[];
  hits: readonly Hits[];
}

/** The texts of an index that contain what is wanted. */
export class Matches {
  readonly #parts: readonly Part[];
  readonly #segments: readonly OpenSegment[];
  /** In how many texts each list has a match. */
  readonly #spread: readonly number[];

  constructor(parts: readonly Part[], segments: readonly OpenSegment[], spread: readonly number[]) {
    this.#parts = parts;
    this.#segments = segments;
    this.#spread = spread;
  }

  get count(): number {
    return this.#parts.reduce((sum, { texts }) => sum + texts.length, 0);
  }

  /** Row ids of the texts of these kinds, in order. */
  ids(kinds: ReadonlySet<number>): number[] {
    const ids: number[] = [];
    for (const { segment, texts } of this.#parts)
      for (const text of texts) if (kinds.has(segment.kinds[text] ?? -1)) ids.push(segment.idOf(text));
    return ids;
  }

  /**
   * BM25 of a text with this many words: the less, the better. `among`: all texts, if the index has only those that
   * match.
   */
  scorer(among: TextCounts | null = null): (id: number, words: number) => number {
    const isKnown = among !== null && among.holders.length === this.#spread.length;
    const total = isKnown ? among.texts : this.#segments.reduce((sum, { living }) => sum + living, 0);
    const words = isKnown ? among.words : this.#segments.reduce((sum, segment) => sum + segment.words, 0);
    const usual = words / total;
    const rarity = (isKnown ? among.holders : this.#spread).map((texts) => {
      const found = Math.log((total - texts + 0.5) / (texts + 0.5));
      return found <= 0 ? LEAST_RARITY : found;
    });
    const parts = new Map(this.#parts.flatMap((part) => part.texts.map((text) => [part.segment.idOf(text), part])));
    return (id, length) => {
      const part = parts.get(id);
      const text = part?.segment.textOf(id) ?? 0;
      let score = 0;
      for (const [n, rare] of rarity.entries()) {
        const often = part?.hits[n]?.count(text) ?? 0;
        score += rare * ((often * (REPEATED + 1)) / (often + REPEATED * (1 - LENGTH + (LENGTH * length) / usual)));
      }
      return -score;
    };
  }
}

/** The segments of an index as long as nothing is written. */
interface KnownSegments {
  state: string;
  segments: readonly OpenSegment[];
}

const known = new WeakMap<IndexStore, KnownSegments>();

/** Those that have texts of the index. */
export function segmentsOf(store: IndexStore): readonly OpenSegment[] {
  const state = `${store.version()} ${Number(store.get("SELECT total_changes() AS n")?.["n"])}`;
  let found = known.get(store);
  if (found?.state !== state) {
    const rows = store.all(
      "SELECT id, kinds, alive, held, living, words, firsts FROM segment WHERE living > 0 ORDER BY id",
    );
    known.set(store, (found = { state, segments: rows.map((row) => new OpenSegment(store, row)) }));
  }
  return found.segments;
}

export function findMatches(store: IndexStore, wanted: Wanted): Matches {
  const segments = segmentsOf(store);
  const lookups = new Lookups(wanted);
  const spread = wanted.map(() => 0);
  const parts = segments.flatMap((segment): Part[] => {
    const hitsOf = lookups.in(segment);
    const hits = wanted.map((ways) => anyPhrase(ways.map((phrase) => inOrder(hitsOf(phrase)))));
    for (const [i, { texts }] of hits.entries()) spread[i] = (spread[i] ?? 0) + texts.length;
    const texts = textsWithAll(hits);
    return texts.length === 0 ? [] : [{ segment, texts, hits }];
  });
  return new Matches(parts, segments, spread);
}

/** Unlike spellings of one word, phrases may share a place; nobody asks where or how often one of them is. */
function anyPhrase(ways: readonly Hits[]): Hits {
  return anyOf(ways.filter(({ texts }) => texts.length > 0));
}

/** All words that are looked for, each once, in the order of segments. */
class Lookups {
  readonly #sorted: Lookup[];
  readonly #places = new Map<string, number>();

  constructor(wanted: Wanted) {
    const all = new Map<string, Lookup>();
    for (const { words, isPrefix } of wanted.flat())
      for (const [i, word] of words.entries()) {
        const isOpen = isPrefix && i === words.length - 1;
        all.set(nameOf(word, isOpen), { word: Buffer.from(word), isPrefix: isOpen });
      }
    const sorted = [...all].toSorted(([, a], [, b]) => compareBytes(a.word, b.word));
    this.#sorted = sorted.map(([, lookup]) => lookup);
    for (const [i, [name]] of sorted.entries()) this.#places.set(name, i);
  }

  in(segment: OpenSegment): (phrase: Phrase) => Hits[] {
    const found = segment.find(this.#sorted);
    return ({ words, isPrefix }) =>
      words.map(
        (word, i) => found[this.#places.get(nameOf(word, isPrefix && i === words.length - 1)) ?? -1] ?? NO_HITS,
      );
  }
}

function nameOf(word: string, isPrefix: boolean): string {
  return isPrefix ? `${word}*` : word;
}
