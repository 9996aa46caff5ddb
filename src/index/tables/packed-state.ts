import { hash64 } from "../../base/io/hash.ts";
import type { StoredBuilder, DraftBuilder, SavedBuilder } from "../../turns/builder.ts";
import { SLICE_SIZES, type AllSlices, type ListName, type Lists } from "../../turns/lists.ts";
import type { StoredSlices } from "../../turns/slices.ts";
import { packText, unpackText } from "./packed-text.ts";
import { DamagedIndex, parseRow } from "./damaged-index.ts";

/** A full slice of one of a builder's lists. */
export interface Piece {
  list: ListName;
  n: number;
  /** Names of its elements as 32-bit hashes: tells whether it must be unpacked to find one. */
  names: Uint8Array;
  body: Uint8Array;
}

/**
 * A builder's saved state. In pieces, so that a session of a gigabyte is never one string, and most of it stays
 * unchanged.
 */
export interface PackedState {
  head: Uint8Array;
  pieces: Piece[];
}

/** Packs what changed since the builder was restored: always the head, and only pieces that are new or changed. */
export function packState(builder: DraftBuilder): PackedState {
  return { head: packText(JSON.stringify(builder.save())), pieces: [...piecesOf(builder.lists)] };
}

/** Null when pieces are missing or cannot be read: the index is damaged. */
export function wakeState(packed: PackedState): StoredBuilder | null {
  try {
    return wake(packed);
  } catch (error) {
    if (error instanceof DamagedIndex) return null;
    throw error;
  }
}

function wake({ head, pieces }: PackedState): StoredBuilder | null {
  const saved = parseRow(unpackText(head)) as SavedBuilder;
  const of = (list: ListName): Piece[] => pieces.filter((piece) => piece.list === list);
  if (LISTS.some((list) => of(list).length !== saved.lists[list].full)) return null;
  const asleep = <K extends ListName>(list: K): StoredSlices<Lists[K]> => sleeping(of(list), SLICE_SIZES[list]);
  return {
    saved,
    slices: {
      turns: asleep("turns"),
      tools: asleep("tools"),
      usage: asleep("usage"),
      questions: asleep("questions"),
      contexts: asleep("contexts"),
    },
  };
}

function* piecesOf(lists: AllSlices): Generator<Piece, void, undefined> {
  for (const list of LISTS) {
    for (const { n, items, names } of lists[list].changedSlices())
      yield { list, n, names: bytesOf(Uint32Array.from(names, nameHash)), body: packText(JSON.stringify(items)) };
  }
}

const LISTS: readonly ListName[] = ["turns", "tools", "usage", "questions", "contexts"];

/** `pieces`: all pieces of one list, each with `size` elements. */
function sleeping<T>(pieces: readonly Piece[], size: number): StoredSlices<T> {
  const byPlace = new Map(pieces.map((piece) => [piece.n, piece]));
  const names = new Uint32Array(pieces.length * size);
  for (const piece of pieces) bytesOf(names).set(piece.names, piece.n * size * 4);
  return {
    load: (slice) => parseRow(unpackText(byPlace.get(slice)?.body)) as T[],
    *slicesWith(name) {
      const hash = nameHash(name);
      for (let at = names.indexOf(hash); at !== -1; at = names.indexOf(hash, at + 1)) yield Math.floor(at / size);
    },
  };
}

/** Zero means no name. */
function nameHash(name: string | null): number {
  return name === null ? 0 : hash64(name)[0] || 1;
}

function bytesOf(numbers: Uint32Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}
