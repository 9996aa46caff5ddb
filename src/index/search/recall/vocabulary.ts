import type { IndexStore } from "../../tables/index-store.ts";
import { quotedTerm } from "../terms.ts";

/** If more words than this share a prefix, the prefix query is left to SQLite. */
const MAX_WORDS = 40;
const PLAIN = /^[\p{L}\p{N}]+$/u;

/** A range without words of the index: the next word at or after `after` is `word`; null where none follows. */
interface Gap {
  after: Buffer;
  word: Buffer | null;
}

/**
 * The words in the index. A prefix query makes SQLite read through all texts of the word before the prefix, however
 * common that is; the gaps found on the way answer most other prefixes without a query.
 */
export class Vocabulary {
  readonly #store: IndexStore;
  /** Sorted, not overlapping. */
  readonly #gaps: Gap[] = [];

  private constructor(store: IndexStore) {
    this.#store = store;
  }

  /** The cached gaps are valid until anything is written, by this connection or another. */
  static of(store: IndexStore): Vocabulary {
    const written = Number(store.get("SELECT total_changes() AS n")?.["n"]);
    const state = `${store.version()} ${written}`;
    let known = vocabularies.get(store);
    if (known?.state !== state) vocabularies.set(store, (known = { state, vocabulary: new Vocabulary(store) }));
    return known.vocabulary;
  }

  /** An FTS expression for all words with this prefix; null if there are none. */
  prefixExpression(text: string): string | null {
    // Several words, or characters that SQLite splits words at.
    if (!PLAIN.test(text)) return quotedTerm(text, true);
    const begin = Buffer.from(text);
    const words: string[] = [];
    let next = this.#next(begin);
    while (next?.subarray(0, begin.length).equals(begin) === true) {
      if (words.length === MAX_WORDS) return quotedTerm(text, true);
      words.push(quotedTerm(next.toString(), false));
      next = this.#next(Buffer.concat([next, LEAST]));
    }
    return words.length === 0 ? null : words.join(" OR ");
  }

  /** The first word that is not less than `from`. */
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

/** Occurs in no word: appended to a word, it sorts directly after it. */
const LEAST = Buffer.from("\u0001");

const vocabularies = new WeakMap<IndexStore, { state: string; vocabulary: Vocabulary }>();

function isSame(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b);
}
