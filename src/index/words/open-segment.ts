import type { Row } from "../../base/io/sqlite.ts";
import { DamagedIndex } from "../tables/damaged-index.ts";
import type { IndexStore } from "../tables/index-store.ts";
import { DOC_KINDS } from "../search/text-kinds.ts";
import { anyOf, hitsOf, type Hits } from "./hits.ts";
import { BlockSearch, compareBytes, WordCursor } from "./segment.ts";

/** Blocks of one segment; their numbers follow that of the segment. */
export const MOST_BLOCKS: number = 2 ** 16;

/** Blocks of one segment that are kept in memory. */
const MOST_KEPT = 8;

/** A word to look for, or how it begins. */
export interface Lookup {
  word: Uint8Array;
  isPrefix: boolean;
}

/** A segment as it is stored. */
export class OpenSegment {
  /** Number of its first text. */
  readonly first: number;
  readonly kinds: Uint8Array;
  /** How many of its texts are in the index, and how many words they have. */
  readonly living: number;
  readonly words: number;
  readonly #held: number;
  readonly #alive: Uint8Array;
  readonly #store: IndexStore;
  readonly #firsts: Uint8Array[] = [];
  /** Blocks read lately: one question looks for many words. */
  readonly #read = new Map<number, Uint8Array>();

  constructor(store: IndexStore, row: Row) {
    this.#store = store;
    this.first = Number(row["id"]);
    this.kinds = bytesOf(row["kinds"]);
    this.#alive = bytesOf(row["alive"]);
    this.living = Number(row["living"]);
    this.words = Number(row["words"]);
    this.#held = Number(row["held"]);
    for (const cursor = new WordCursor(bytesOf(row["firsts"])); !cursor.isAtEnd;) {
      cursor.next();
      this.#firsts.push(cursor.word.slice());
    }
  }

  get blocks(): number {
    return this.#firsts.length;
  }

  /** Null if all texts whose words it holds are in the index. */
  get isAlive(): ((text: number) => boolean) | null {
    if (this.living === this.#held) return null;
    return (text) => isSet(this.#alive, text);
  }

  /** The row id of a text, which encodes its kind. */
  idOf(text: number): number {
    return (this.first + text) * DOC_KINDS.length + (this.kinds[text] ?? 0);
  }

  textOf(id: number): number {
    return Math.floor(id / DOC_KINDS.length) - this.first;
  }

  block(at: number): Uint8Array {
    let body = this.#read.get(at);
    if (body === undefined) {
      if (this.#read.size >= MOST_KEPT) this.#read.clear();
      this.#read.set(at, (body = this.#load(at)));
    }
    return body;
  }

  #load(at: number): Uint8Array {
    const body = this.#store.get("SELECT body FROM segment_block WHERE id = ?", this.first * MOST_BLOCKS + at)?.[
      "body"
    ];
    if (!(body instanceof Uint8Array)) throw new DamagedIndex(new Error("a block of words is missing"));
    return body;
  }

  /** The texts with each of these, which are in order: so every block is read once. */
  find(lookups: readonly Lookup[]): Hits[] {
    let [at, block] = [-1, new BlockSearch(new Uint8Array())];
    const open = (next: number): void => {
      if (next !== at) [at, block] = [next, new BlockSearch(this.block(next))];
    };
    return lookups.map(({ word, isPrefix }) => {
      const found: Uint8Array[] = [];
      open(this.#blockOf(word));
      block.seek(word);
      while (block.isFound(isPrefix)) {
        found.push(block.postings());
        if (!isPrefix) break;
        block.next(word);
        if (!block.isAtEnd || at + 1 === this.blocks) continue;
        open(at + 1);
        block.seek(word);
      }
      return anyOf(found.map((postings) => hitsOf(postings, this.isAlive)));
    });
  }

  /** The last block that begins with this word or one before it. */
  #blockOf(word: Uint8Array): number {
    let [low, high] = [0, this.#firsts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareBytes(this.#firsts[middle] ?? word, word) <= 0) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }
}

export function isSet(bits: Uint8Array, at: number): boolean {
  return ((bits[at >> 3] ?? 0) & (1 << (at & 7))) !== 0;
}

export function bytesOf(value: Row[string] | undefined): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array();
}
