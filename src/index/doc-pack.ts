import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import type { Entry } from "../sources/source.ts";
import { DOC_KINDS, kindAt, textsOf, type DocKind } from "./words.ts";

/**
 * A text to be found again: line, kind, time, place in the log, words in UTF-8. What is not certain yet is in no log: its
 * place is below zero, and the number of its record among those of its line.
 */
export type Doc = [line: number, kind: DocKind, time: number | null, at: number, bytes: number, text: Uint8Array];

/** Some texts on their way to the index, as the bytes the engine wants: nobody on the way has to decode them. */
export interface DocPack {
  /** Six numbers each: line, kind, time (NaN for none), place, bytes, bytes of the text. */
  rows: Float64Array;
  text: Uint8Array;
  compressed: boolean;
}

const WIDTH = 6;
/** Bytes of a pack. */
const FULL = 512 * 1024;
/** Packs of one session beyond these are compressed: all the words of a large one would not fit beside everything else. */
const PLAIN = 8;

/** Collects the texts of a session as it is read. */
export class DocPacker {
  readonly #packs: DocPack[] = [];
  #rows: number[] = [];
  #text: Buffer = Buffer.allocUnsafe(8 * 1024);
  #used = 0;

  /** `places`: where the entry's records stand in the log. */
  take(entry: Entry, places: readonly [number, number][]): void {
    for (const [i, [at, bytes]] of places.entries()) {
      const body = entry.records[i];
      const found = body ? textsOf(body) : null;
      if (!found) continue;
      const [kind, text] = found;
      const length = this.#write(text);
      this.#rows.push(entry.line, DOC_KINDS.indexOf(kind), entry.time ?? Number.NaN, at, bytes, length);
      if (this.#used > FULL) this.#pack();
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

  #write(text: string): number {
    // Three bytes per unit of a string is the most UTF-8 can take.
    const room = this.#used + text.length * 3;
    if (room > this.#text.length) {
      const larger = Buffer.allocUnsafe(Math.max(room, Math.min(this.#text.length * 4, 2 * FULL)));
      this.#text.copy(larger, 0, 0, this.#used);
      this.#text = larger;
    }
    const length = this.#text.write(text, this.#used, "utf8");
    this.#used += length;
    return length;
  }

  #pack(): void {
    if (this.#rows.length === 0) return;
    const used = this.#text.subarray(0, this.#used);
    const compressed = this.#packs.length >= PLAIN;
    this.#packs.push({
      rows: Float64Array.from(this.#rows),
      text: compressed ? brotliCompressSync(used, FAST) : Uint8Array.from(used),
      compressed,
    });
    this.#rows = [];
    this.#used = 0;
  }
}

const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 0 } };

export function* unpackDocs(packs: Iterable<DocPack>): Generator<Doc, void, undefined> {
  for (const { rows, text, compressed } of packs) {
    const words = compressed ? brotliDecompressSync(text) : text;
    let from = 0;
    for (let at = 0; at + WIDTH <= rows.length; at += WIDTH) {
      const [line = 0, kind = 0, time = Number.NaN, place = 0, bytes = 0, length = 0] = rows.subarray(at, at + WIDTH);
      yield [line, kindAt(kind), Number.isNaN(time) ? null : time, place, bytes, words.subarray(from, from + length)];
      from += length;
    }
  }
}
