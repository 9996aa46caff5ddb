import { hash64 } from "../../io/hash.ts";
import type { BuilderAtRest, DraftBuilder, SavedBuilder } from "../../turns/builder.ts";
import { SLICE, type AllSlices, type ListName, type Lists } from "../../turns/lists.ts";
import type { Sleeping } from "../../turns/slices.ts";
import { packText, unpackText } from "./packed-text.ts";
import { DamagedIndex, parseRow } from "./damaged-index.ts";

/** A full slice of one of a builder's lists. */
export interface Piece {
  list: ListName;
  n: number;
  /** What its elements are called, as 32-bit hashes: tells whether it must be unpacked to find one. */
  names: Uint8Array;
  body: Uint8Array;
}

/** A builder at rest. What is known of a session of a gigabyte is never one string, and most of it stays as it is. */
export interface PackedState {
  head: Uint8Array;
  pieces: Piece[];
}

/** Packs what changed since the builder was woken: the head always, of the pieces only those that are new or not the same. */
export function packState(builder: DraftBuilder): PackedState {
  return { head: packText(JSON.stringify(builder.save())), pieces: [...piecesOf(builder.lists)] };
}

/** Null when pieces are missing or cannot be read: the index is not what was written there. */
export function wakeState(packed: PackedState): BuilderAtRest | null {
  try {
    return wake(packed);
  } catch (error) {
    if (error instanceof DamagedIndex) return null;
    throw error;
  }
}

function wake({ head, pieces }: PackedState): BuilderAtRest | null {
  const saved = parseRow(unpackText(head)) as SavedBuilder;
  const of = (list: ListName): Piece[] => pieces.filter((piece) => piece.list === list);
  if (LISTS.some((list) => of(list).length !== saved.lists[list].full)) return null;
  const asleep = <K extends ListName>(list: K): Sleeping<Lists[K]> => sleeping(of(list), SLICE[list]);
  return {
    saved,
    sleeping: {
      ...{ turns: asleep("turns"), tools: asleep("tools"), usage: asleep("usage") },
      ...{ questions: asleep("questions"), contexts: asleep("contexts") },
    },
  };
}

function* piecesOf(lists: AllSlices): Generator<Piece, void, undefined> {
  for (const list of LISTS) {
    for (const { n, items, names } of lists[list].renewed())
      yield { list, n, names: bytesOf(Uint32Array.from(names, nameHash)), body: packText(JSON.stringify(items)) };
  }
}

const LISTS: readonly ListName[] = ["turns", "tools", "usage", "questions", "contexts"];

/** `pieces`: all of one list, each with as many elements as a slice has. */
function sleeping<T>(pieces: readonly Piece[], size: number): Sleeping<T> {
  const byPlace = new Map(pieces.map((piece) => [piece.n, piece]));
  const names = new Uint32Array(pieces.length * size);
  for (const piece of pieces) bytesOf(names).set(piece.names, piece.n * size * 4);
  return {
    wake: (slice) => parseRow(unpackText(byPlace.get(slice)?.body)) as T[],
    *holding(name) {
      const hash = nameHash(name);
      for (let at = names.indexOf(hash); at !== -1; at = names.indexOf(hash, at + 1)) yield Math.floor(at / size);
    },
  };
}

/** Zero is no name. */
function nameHash(name: string | null): number {
  return name === null ? 0 : hash64(name)[0] || 1;
}

function bytesOf(numbers: Uint32Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}
