import type { IndexStore } from "../../tables/index-store.ts";
import { quotedTerm } from "../terms.ts";

/** More words than these with one beginning are asked of the engine by their beginning. */
const MOST = 40;
const PLAIN = /^[\p{L}\p{N}]+$/u;

/** Words that no word of one index stands between: `after` itself or the next above it is `word`; null where there is none above. */
interface Gap {
  after: Buffer;
  word: Buffer | null;
}

/**
 * Which words the index has. To ask it for all that begins in some way reads through the texts of the word before, however common
 * that is; what was learnt on the way tells of most other beginnings too.
 */
export class Vocabulary {
  readonly #store: IndexStore;
  /** In order, none overlapping another. */
  readonly #gaps: Gap[] = [];

  private constructor(store: IndexStore) {
    this.#store = store;
  }

  /** What was learnt is good until anything is written, by this connection or another. */
  static of(store: IndexStore): Vocabulary {
    const written = Number(store.get("SELECT total_changes() AS n")?.["n"]);
    const state = `${store.version()} ${written}`;
    let known = learnt.get(store);
    if (known?.state !== state) learnt.set(store, (known = { state, vocabulary: new Vocabulary(store) }));
    return known.vocabulary;
  }

  /** What begins so, as an expression of the engine; null where nothing does. */
  beginning(text: string): string | null {
    // Several words, or signs that the engine cuts words at.
    if (!PLAIN.test(text)) return quotedTerm(text, true);
    const begin = Buffer.from(text);
    const words: string[] = [];
    let next = this.#next(begin);
    while (next?.subarray(0, begin.length).equals(begin) === true) {
      if (words.length === MOST) return quotedTerm(text, true);
      words.push(quotedTerm(next.toString(), false));
      next = this.#next(Buffer.concat([next, LEAST]));
    }
    return words.length === 0 ? null : words.join(" OR ");
  }

  /** The first word that does not stand before this one. */
  #next(from: Buffer): Buffer | null {
    const at = this.#placeOf(from);
    const known = this.#gaps[at];
    if (known && known.after.compare(from) <= 0) return known.word;
    const term = this.#store.get("SELECT term FROM word WHERE term >= ? LIMIT 1", from.toString())?.["term"];
    const word = term === undefined ? null : Buffer.from(String(term));
    if (known && isSame(known.word, word)) known.after = from;
    else this.#gaps.splice(at, 0, { after: from, word });
    return word;
  }

  /** The first gap that does not end before a word. */
  #placeOf(from: Buffer): number {
    let [low, high] = [0, this.#gaps.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const word = this.#gaps[middle]?.word;
      if (word && word.compare(from) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** No word holds it: behind a word it makes the least that comes after. */
const LEAST = Buffer.from("\u0001");

const learnt = new WeakMap<IndexStore, { state: string; vocabulary: Vocabulary }>();

function isSame(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b);
}
