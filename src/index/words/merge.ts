import { isSet } from "./open-segment.ts";
import {
  Bytes,
  compareBytes,
  PostingCursor,
  SegmentWriter,
  wordsOfBlock,
  type WordCursor,
  type Segment,
} from "./segment.ts";

/** One of the segments that become one. */
export interface MergePart {
  /** Number of its first text. */
  first: number;
  kinds: Uint8Array;
  alive: Uint8Array;
  blocks: readonly Uint8Array[];
}

/** One segment of several, in the order of their texts. Words of texts that are no longer there are left out. */
export function mergeSegments(parts: readonly MergePart[]): Segment & { blocks: Uint8Array } {
  const first = parts[0]?.first ?? 0;
  const last = parts.at(-1);
  const kinds = new Uint8Array(last === undefined ? 0 : last.first + last.kinds.length - first);
  for (const part of parts) kinds.set(part.kinds, part.first - first);
  const writer = new SegmentWriter();
  const words = parts.map((part) => new PartWords(part, part.first - first));
  const postings = new Bytes();
  for (;;) {
    let least: Uint8Array | null = null;
    for (const { word } of words) if (word !== null && (least === null || compareBytes(word, least) < 0)) least = word;
    if (least === null) break;
    const word = least.slice();
    postings.used = 0;
    let before = -1;
    for (const one of words)
      if (one.word !== null && compareBytes(one.word, word) === 0) {
        before = one.copy(postings, before);
        one.advance();
      }
    if (postings.used > 0) writer.add(word, 0, word.length, postings);
  }
  const { blocks, ...rest } = writer.finish();
  return { ...rest, kinds, blocks: blocks instanceof Uint8Array ? blocks : new Uint8Array() };
}

/** The words of a part, one after the other. */
class PartWords {
  /** Null after the last one. */
  word: Uint8Array | null = null;
  readonly #part: MergePart;
  /** What to add to the number of a text. */
  readonly #shift: number;
  #block = 0;
  #cursor: WordCursor | null = null;
  #postings: Uint8Array = new Uint8Array();

  constructor(part: MergePart, shift: number) {
    this.#part = part;
    this.#shift = shift;
    this.advance();
  }

  advance(): void {
    this.word = null;
    while (this.#cursor === null || this.#cursor.isAtEnd) {
      const block = this.#part.blocks[this.#block++];
      if (block === undefined) return;
      this.#cursor = wordsOfBlock(block);
    }
    this.#cursor.next();
    this.word = this.#cursor.word;
    this.#postings = this.#cursor.postings();
  }

  /** Copies the postings of the word. `before`: the last text that has it already; returns the new one. */
  copy(into: Bytes, before: number): number {
    let last = before;
    for (const cursor = new PostingCursor(this.#postings); cursor.next();) {
      if (!isSet(this.#part.alive, cursor.text)) continue;
      const text = cursor.text + this.#shift;
      into.number((text - last - 1) * 2 + Number(cursor.isOnly));
      if (!cursor.isOnly) into.number(cursor.to - cursor.from);
      into.bytes(this.#postings, cursor.from, cursor.to);
      last = text;
    }
    return last;
  }
}
