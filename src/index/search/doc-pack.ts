import { closeSync, openSync, readSync, rmSync } from "node:fs";
import { writeAll } from "../../base/io/disk.ts";
import type { Entry, SharedText } from "../../agents/contract.ts";
import type { Segment } from "../words/segment.ts";
import type { SegmentBuilder } from "../words/segment-builder.ts";
import { instructionUsesOf, type InstructionUse } from "./instructions.ts";
import { toIndexText } from "./terms.ts";
import { DOC_KINDS, kindAt, textOf, type DocKind } from "./text-kinds.ts";

/**
 * A text to find: line, kind, time, place in the log, number of words. A tentative text is in no log yet: `at` is
 * negative, and `bytes` is the index of its record within the line.
 */
export interface Doc {
  line: number;
  kind: DocKind;
  time: number | null;
  at: number;
  bytes: number;
  words: number;
}

/** Texts of a session whose words are in one segment, which may hold those of other sessions too. */
interface DocPack {
  /** Six numbers per text, as in `Doc`; NaN for no time. */
  rows: Float64Array;
  /** Number of the first in the segment. */
  first: number;
  segment: Segment;
}

/** The texts of a session. Can be read once: reading deletes the scratch file. */
export interface DocPacks {
  packs: DocPack[];
  /** Instructions that came into force, and the texts that were read. */
  forces: InstructionUse[];
  instructions: SharedText[];
  /** File with the words of the later packs, in order. */
  scratch: string | null;
}

const WIDTH = 6;
/** The words of further packs of a session go to disk: those of a large session would not fit in memory. */
const IN_MEMORY = 4;

/** Suffix of the scratch file. A killed process leaves it behind. */
export const SCRATCH = ".words";

/** Collects the texts of a session as it is read. */
export class DocPacker {
  readonly #page: string;
  readonly #words: SegmentBuilder;
  readonly #packs: DocPack[] = [];
  #scratch: number | null = null;
  readonly #forces: InstructionUse[] = [];
  readonly #instructions = new Map<string, SharedText>();
  #rows: number[] = [];
  #first = 0;

  /** `page`: path of the session's page; the scratch file is created beside it. `words`: also of other sessions. */
  constructor(page: string, words: SegmentBuilder) {
    this.#page = page;
    this.#words = words;
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
      const [kind, text] = [DOC_KINDS.indexOf(found[0]), found[1]];
      if (this.#rows.length === 0) this.#first = this.#words.texts;
      const words = this.#words.add(toIndexText(text), kind);
      this.#rows.push(entry.line, kind, entry.time ?? Number.NaN, at, bytes, words);
      if (this.#words.isFull) this.#endSegment();
    }
  }

  /** Everything collected, including the tentative entries. The words of the last texts are in what is being collected. */
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

  #endSegment(): void {
    // A later segment of a session is its own.
    const isLater = this.#packs.length >= IN_MEMORY;
    this.#pack();
    const segment = this.#words.finish();
    if (!isLater || !(segment.blocks instanceof Uint8Array)) return;
    const path = this.#page + SCRATCH;
    this.#scratch ??= openSync(path, "w", 0o600);
    writeAll(this.#scratch, Buffer.from(segment.blocks.buffer, 0, segment.blocks.length), path);
    segment.blocks = segment.blocks.length;
  }

  #pack(): void {
    if (this.#rows.length === 0) return;
    const { segment } = this.#words;
    this.#packs.push({ rows: Float64Array.from(this.#rows), first: this.#first, segment });
    this.#rows = [];
  }
}

/** Texts of a session, with the blocks of their segment. */
export interface UnpackedDocs {
  docs: Doc[];
  first: number;
  segment: Segment;
  blocks: Uint8Array;
}

export function* unpackDocs({ packs, scratch }: DocPacks): Generator<UnpackedDocs, void, undefined> {
  const file = scratch === null ? null : openSync(scratch, "r");
  try {
    for (const { rows, first, segment } of packs) {
      const { blocks } = segment;
      yield {
        docs: docsIn(rows),
        first,
        segment,
        blocks: typeof blocks === "number" ? readNext(file ?? -1, blocks) : blocks,
      };
    }
  } finally {
    if (file !== null) closeSync(file);
    if (scratch !== null) rmSync(scratch, { force: true });
  }
}

function docsIn(rows: Float64Array): Doc[] {
  const docs: Doc[] = [];
  for (let i = 0; i + WIDTH <= rows.length; i += WIDTH) {
    const [line = 0, kind = 0, time = Number.NaN, at = 0, bytes = 0, words = 0] = rows.subarray(i, i + WIDTH);
    docs.push({ line, kind: kindAt(kind), time: Number.isNaN(time) ? null : time, at, bytes, words });
  }
  return docs;
}

function readNext(file: number, bytes: number): Uint8Array {
  const words = Buffer.allocUnsafe(bytes);
  let got = 0;
  for (let more = 1; got < bytes && more > 0; got += more) more = readSync(file, words, got, bytes - got, null);
  return words.subarray(0, got);
}
