import { closeSync, openSync, readSync, rmSync } from "node:fs";
import { writeAll } from "../../base/io/disk.ts";
import type { Entry, SharedText } from "../../agents/contract.ts";
import { instructionUsesOf, type InstructionUse } from "./instructions.ts";
import { toIndexText } from "./terms.ts";
import { DOC_KINDS, kindAt, textOf, type DocKind } from "./text-kinds.ts";

/**
 * A text to index: line, kind, time, place in the log, words (as UTF-8 if they come from another thread). A tentative
 * text is in no log yet: `at` is negative, and `bytes` is the index of its record within the line.
 */
export type Doc = [
  line: number,
  kind: DocKind,
  time: number | null,
  at: number,
  bytes: number,
  text: Uint8Array | string,
];

/** A batch of texts for the index, as the bytes SQLite stores, so that they are never decoded on the way. */
interface DocPack {
  /** Six numbers per text: line, kind, time (NaN for none), place, bytes, bytes of the text. */
  rows: Float64Array;
  /** The concatenated texts; only their length when they are in the scratch file. */
  text: Uint8Array | number;
}

/** The texts of a session. Can be read once: reading deletes the scratch file. */
export interface DocPacks {
  packs: DocPack[];
  /** Instructions that came into force, and the texts that were read. */
  forces: InstructionUse[];
  instructions: SharedText[];
  /** File with the texts of the later packs, in order. */
  scratch: string | null;
}

const WIDTH = 6;
/** Bytes per pack. */
const FULL = 512 * 1024;
/** Further packs of a session go to disk: all texts of a large session would not fit in memory. */
const IN_MEMORY = 8;

/** Suffix of the scratch file. A killed process leaves it behind. */
export const SCRATCH = ".words";

/** Collects the texts of a session as it is read. */
export class DocPacker {
  readonly #page: string;
  readonly #packs: DocPack[] = [];
  #scratch: number | null = null;
  readonly #forces: InstructionUse[] = [];
  readonly #instructions = new Map<string, SharedText>();
  #rows: number[] = [];
  #text: Buffer = Buffer.allocUnsafe(8 * 1024);
  #used = 0;

  /** `page`: path of the session's page; the scratch file is created beside it. */
  constructor(page: string) {
    this.#page = page;
  }

  /** Removes the instruction texts from an entry: the book stores each text once, not with every session. */
  stripInstructions(entry: Entry): Entry {
    if (entry.texts === undefined) return entry;
    const { texts, ...light } = entry;
    for (const shared of texts) this.#instructions.set(shared.hash, shared);
    return light;
  }

  /** `places`: where the entry's records are in the log. */
  take(entry: Entry, places: readonly [number, number][]): void {
    for (const [i, [at, bytes]] of places.entries()) {
      const body = entry.records[i];
      if (body?.type === "context" && body.sources !== undefined)
        this.#forces.push(...instructionUsesOf(entry, body.sources, at));
      const found = body ? textOf(body) : null;
      if (!found) continue;
      const [kind, text] = found;
      const length = this.#write(toIndexText(text));
      this.#rows.push(entry.line, DOC_KINDS.indexOf(kind), entry.time ?? Number.NaN, at, bytes, length);
      if (this.#used > FULL) this.#pack();
    }
  }

  /** Everything collected, including the tentative entries. */
  finish(tail: readonly Entry[]): DocPacks {
    for (const entry of tail)
      this.take(
        entry,
        entry.records.map((_, i) => [-1, i]),
      );
    this.#pack();
    const scratch = this.#scratch === null ? null : this.#page + SCRATCH;
    if (this.#scratch !== null) closeSync(this.#scratch);
    this.#scratch = null;
    return { packs: this.#packs, forces: this.#forces, instructions: [...this.#instructions.values()], scratch };
  }

  /** Deletes the scratch file if `finish` was not called. */
  close(): void {
    if (this.#scratch === null) return;
    closeSync(this.#scratch);
    this.#scratch = null;
    rmSync(this.#page + SCRATCH, { force: true });
  }

  #write(text: string): number {
    // UTF-8 needs at most three bytes per UTF-16 code unit.
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
    const isLater = this.#packs.length >= IN_MEMORY;
    if (isLater) this.#lay(used);
    this.#packs.push({ rows: Float64Array.from(this.#rows), text: isLater ? used.length : Uint8Array.from(used) });
    this.#rows = [];
    this.#used = 0;
  }

  #lay(text: Buffer): void {
    const path = this.#page + SCRATCH;
    this.#scratch ??= openSync(path, "w", 0o600);
    writeAll(this.#scratch, text, path);
  }
}

export function* unpackDocs({ packs, scratch }: DocPacks): Generator<Doc, void, undefined> {
  const file = scratch === null ? null : openSync(scratch, "r");
  try {
    for (const { rows, text } of packs) {
      const words = typeof text === "number" ? readNext(file ?? -1, text) : text;
      let from = 0;
      for (let at = 0; at + WIDTH <= rows.length; at += WIDTH) {
        const [line = 0, kind = 0, time = Number.NaN, place = 0, bytes = 0, length = 0] = rows.subarray(at, at + WIDTH);
        yield [line, kindAt(kind), Number.isNaN(time) ? null : time, place, bytes, words.subarray(from, from + length)];
        from += length;
      }
    }
  } finally {
    if (file !== null) closeSync(file);
    if (scratch !== null) rmSync(scratch, { force: true });
  }
}

function readNext(file: number, bytes: number): Uint8Array {
  const words = Buffer.allocUnsafe(bytes);
  let got = 0;
  for (let more = 1; got < bytes && more > 0; got += more) more = readSync(file, words, got, bytes - got, null);
  return words.subarray(0, got);
}
