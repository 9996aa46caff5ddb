import { DamagedIndex } from "../tables/damaged-index.ts";
import type { IndexStore } from "../tables/index-store.ts";
import { DOC_KINDS } from "../search/text-kinds.ts";
import { bytesOf, isSet, MOST_BLOCKS } from "./open-segment.ts";
import { mergeSegments, type MergePart } from "./merge.ts";
import type { Segment } from "./segment.ts";

/** Stores a segment whose texts are not in the index yet. Returns the number of its first text. */
export function addSegment(store: IndexStore, segment: Segment, blocks: Uint8Array): number {
  const last = store.get("SELECT id, length(kinds) AS texts FROM segment ORDER BY id DESC LIMIT 1");
  const first = last === undefined ? 1 : Number(last["id"]) + Number(last["texts"]);
  const alive = new Uint8Array((segment.kinds.length + 7) >> 3);
  writeSegment(store, { ...segment, first, blocks, alive, held: segment.kinds.length, living: 0, words: 0 });
  return first;
}

interface StoredSegment extends Segment {
  first: number;
  blocks: Uint8Array;
  alive: Uint8Array;
  held: number;
  living: number;
  words: number;
}

function writeSegment(store: IndexStore, segment: StoredSegment): void {
  const { first, kinds, alive, held, living, words, blocks, firsts, ends } = segment;
  store.run(
    "INSERT INTO segment (id, kinds, alive, held, living, words, bytes, firsts) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    first,
    kinds,
    alive,
    held,
    living,
    words,
    blocks.length,
    firsts,
  );
  let from = 0;
  for (const [i, end] of ends.entries()) {
    store.run(
      "INSERT INTO segment_block (id, body) VALUES (?, ?)",
      first * MOST_BLOCKS + i,
      blocks.subarray(from, end),
    );
    from = end;
  }
}

/** Texts that are now in the index, or no longer: their row ids, with the number of their words. */
export function markTexts(
  store: IndexStore,
  texts: readonly (readonly [id: number, words: number])[],
  isThere: boolean,
): void {
  const sorted = texts.toSorted(([a], [b]) => a - b);
  for (let i = 0; i < sorted.length;) {
    const number = textNumber(sorted[i]?.[0] ?? 0);
    const row = store.get(
      "SELECT id, length(kinds) AS texts, alive, living, words FROM segment WHERE id <= ? ORDER BY id DESC LIMIT 1",
      number,
    );
    if (row === undefined) return;
    const first = Number(row["id"]);
    const end = first + Number(row["texts"]);
    const alive = bytesOf(row["alive"]).slice();
    let [living, words] = [Number(row["living"]), Number(row["words"])];
    const before = i;
    for (; i < sorted.length && textNumber(sorted[i]?.[0] ?? 0) < end; i++) {
      const [id = 0, length = 0] = sorted[i] ?? [];
      const at = textNumber(id) - first;
      if (isSet(alive, at) === isThere) continue;
      alive[at >> 3] = (alive[at >> 3] ?? 0) ^ (1 << (at & 7));
      living += isThere ? 1 : -1;
      words += isThere ? length : -length;
    }
    // A text that no segment has.
    if (i === before) i++;
    store.run("UPDATE segment SET alive = ?, living = ?, words = ? WHERE id = ?", alive, living, words, first);
  }
}

function textNumber(id: number): number {
  return Math.floor(id / DOC_KINDS.length);
}

/** Bytes of the words of segments of about the same size; larger ones stay as they are. */
const SIZES = [64 * 1024, 512 * 1024];
/** So many neighbours of one size become one segment. */
const MANY = 8;

interface Listed {
  first: number;
  held: number;
  living: number;
  bytes: number;
}

/** Removes segments without texts, and makes one of many small neighbours: every search looks into each. */
export function tidySegments(store: IndexStore): void {
  const all = (): Listed[] =>
    store.list("SELECT id, held, living, bytes FROM segment ORDER BY id").map((row) => {
      const [first = 0, held = 0, living = 0, bytes = 0] = row.map(Number);
      return { first, held, living, bytes };
    });
  for (const { first, living } of all()) if (living === 0) dropSegment(store, first);
  for (const { first, held, living } of all()) if (living * 2 < held) rewrite(store, [first]);
  for (const size of SIZES) {
    let run: number[] = [];
    for (const { first, bytes } of [...all(), { first: 0, bytes: Infinity }]) {
      if (bytes < size) run.push(first);
      if (bytes < size && run.length < MANY * MANY) continue;
      if (run.length >= MANY) rewrite(store, run);
      run = [];
    }
  }
}

/** Leaves no trace of texts that are no longer in the index. */
export function scrubSegments(store: IndexStore): void {
  const stale = store.list("SELECT id, living FROM segment WHERE living < held ORDER BY id");
  for (const [first, living] of stale)
    if (Number(living) === 0) dropSegment(store, Number(first));
    else rewrite(store, [Number(first)]);
}

function dropSegment(store: IndexStore, first: number): void {
  const from = first * MOST_BLOCKS;
  store.run("DELETE FROM segment_block WHERE id >= ? AND id < ?", from, from + MOST_BLOCKS);
  store.run("DELETE FROM segment WHERE id = ?", first);
}

function rewrite(store: IndexStore, firsts: readonly number[]): void {
  const parts = firsts.map((first) => readSegment(store, first));
  const [{ first } = { first: 0 }] = parts;
  const merged = mergeSegments(parts);
  for (const one of firsts) dropSegment(store, one);
  const sum = (of: (part: StoredPart) => number): number => parts.reduce((total, part) => total + of(part), 0);
  const alive = new Uint8Array((merged.kinds.length + 7) >> 3);
  for (const part of parts)
    for (let text = 0; text < part.kinds.length; text++) {
      const at = part.first + text - first;
      if (isSet(part.alive, text)) alive[at >> 3] = (alive[at >> 3] ?? 0) | (1 << (at & 7));
    }
  const living = sum((one) => one.living);
  writeSegment(store, { ...merged, first, alive, held: living, living, words: sum((one) => one.words) });
}

interface StoredPart extends MergePart {
  living: number;
  words: number;
}

function readSegment(store: IndexStore, first: number): StoredPart {
  const row = store.get("SELECT kinds, alive, living, words FROM segment WHERE id = ?", first) ?? {};
  const from = first * MOST_BLOCKS;
  const blocks = store.list(
    "SELECT body FROM segment_block WHERE id >= ? AND id < ? ORDER BY id",
    from,
    from + MOST_BLOCKS,
  );
  return {
    first,
    kinds: bytesOf(row["kinds"]),
    alive: bytesOf(row["alive"]),
    living: Number(row["living"]),
    words: Number(row["words"]),
    blocks: blocks.map(([body]) => bytesOf(body)),
  };
}

/** Whether all segments can be read and fit together; throws if not. */
export function checkSegments(store: IndexStore): void {
  for (const [first, living, bytes] of store.list("SELECT id, living, bytes FROM segment ORDER BY id")) {
    const part = readSegment(store, Number(first));
    const size = part.blocks.reduce((sum, block) => sum + block.length, 0);
    let alive = 0;
    for (let text = 0; text < part.kinds.length; text++) if (isSet(part.alive, text)) alive++;
    if (size !== Number(bytes) || alive !== Number(living))
      throw new DamagedIndex(new Error("a segment of words is damaged"));
    mergeSegments([part]);
  }
}
