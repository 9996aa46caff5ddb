import type { Entry } from "../sources/source.ts";
import { packText, unpackText } from "./packed-text.ts";
import { DOC_KINDS, kindAt, textsOf, type DocKind } from "./words.ts";

/**
 * A text to be found again: line, kind, time, place in the log, words. What is not certain yet is in no log: its place is
 * below zero, and the number of its record among those of its line.
 */
export type Doc = [line: number, kind: DocKind, time: number | null, at: number, bytes: number, text: string];

/** Some texts on their way to the index, packed: all the words of a large session would not fit beside everything else. */
export interface DocPack {
  /** Six numbers each: line, kind, time (NaN for none), place, bytes, length of the text. */
  rows: Float64Array;
  text: Uint8Array;
}

const WIDTH = 6;
/** Characters of a pack. */
const FULL = 512 * 1024;

/** Collects the texts of a session as it is read. */
export class DocPacker {
  readonly #packs: DocPack[] = [];
  #rows: number[] = [];
  #texts: string[] = [];
  #length = 0;

  /** `places`: where the entry's records stand in the log. */
  take(entry: Entry, places: readonly [number, number][]): void {
    for (const [i, [at, bytes]] of places.entries()) {
      const body = entry.records[i];
      const found = body ? textsOf(body) : null;
      if (!found) continue;
      const [kind, text] = found;
      this.#rows.push(entry.line, DOC_KINDS.indexOf(kind), entry.time ?? Number.NaN, at, bytes, text.length);
      this.#texts.push(text);
      this.#length += text.length;
      if (this.#length > FULL) this.#pack();
    }
  }

  /** All that was taken, and what is not certain yet. */
  finish(tail: readonly Entry[]): DocPack[] {
    for (const entry of tail)
      this.take(
        entry,
        entry.records.map((_, i) => [-1, i]),
      );
    this.#pack();
    return this.#packs;
  }

  #pack(): void {
    if (this.#texts.length === 0) return;
    this.#packs.push({ rows: Float64Array.from(this.#rows), text: packText(this.#texts.join("")) });
    this.#rows = [];
    this.#texts = [];
    this.#length = 0;
  }
}

export function* unpackDocs(packs: Iterable<DocPack>): Generator<Doc, void, undefined> {
  for (const { rows, text } of packs) {
    const words = unpackText(text);
    let from = 0;
    for (let at = 0; at + WIDTH <= rows.length; at += WIDTH) {
      const [line = 0, kind = 0, time = Number.NaN, place = 0, bytes = 0, length = 0] = rows.subarray(at, at + WIDTH);
      yield [line, kindAt(kind), Number.isNaN(time) ? null : time, place, bytes, words.slice(from, from + length)];
      from += length;
    }
  }
}
