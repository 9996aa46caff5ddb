import { closeSync, fstatSync, openSync, readFileSync, readvSync } from "node:fs";
import { crc32 } from "node:zlib";

/** Bytes of a page of the index. */
export const PAGE_SIZE = 16_384;
/** Most pages read at a time. */
const STRIDE = 64;

/**
 * A checksum of every page of the index, in the order of the file. It tells a copy, which has another modification time,
 * from a file that something has written to. Kept per page because a checkpoint changes a few pages of a file that may
 * have hundreds of megabytes.
 */
export type PageSums = Uint32Array;

/** The sums of the pages as they are on disk. */
export function pageSumsOf(index: string): PageSums {
  return summed(index, (count) => Array.from({ length: count }, (_, i) => i + 1), null);
}

/** The same, if of all pages that `before` has only these have changed. Pages are numbered from 1, as SQLite does. */
export function updatedSums(index: string, before: PageSums, changed: ReadonlySet<number>): PageSums {
  return summed(index, (count) => [...changed].filter((page) => page <= count).toSorted((a, b) => a - b), before);
}

/** Reads these pages, of as many as the file has, and takes the sums of the others from `before`. */
function summed(index: string, pagesOf: (count: number) => readonly number[], before: PageSums | null): PageSums {
  const file = openSync(index, "r");
  try {
    const sums = new Uint32Array(Math.ceil(fstatSync(file).size / PAGE_SIZE));
    if (before) sums.set(before.subarray(0, sums.length));
    const room = Array.from({ length: STRIDE }, () => Buffer.alloc(PAGE_SIZE));
    for (const { first, length } of stretchesOf(pagesOf(sums.length))) {
      const pages = room.slice(0, length);
      let left = readvSync(file, pages, (first - 1) * PAGE_SIZE);
      for (const [i, page] of pages.entries()) {
        sums[first - 1 + i] = crc32(page.subarray(0, Math.max(0, left)));
        left -= PAGE_SIZE;
      }
    }
    return sums;
  } finally {
    closeSync(file);
  }
}

/** Pages that lie side by side and are read at once, from ascending numbers. */
function* stretchesOf(pages: Iterable<number>): Generator<{ first: number; length: number }> {
  let [first, length] = [0, 0];
  for (const page of pages) {
    if (length > 0 && (page !== first + length || length === STRIDE)) {
      yield { first, length };
      length = 0;
    }
    if (length === 0) first = page;
    length++;
  }
  if (length > 0) yield { first, length };
}

/** A file of sums. `state` names the state of the index they belong to. */
export function encodeSums(state: string, sums: PageSums): Buffer {
  const bytes = Buffer.from(sums.buffer, sums.byteOffset, sums.byteLength);
  return Buffer.concat([Buffer.from(`${state} ${crc32(bytes)}\n`), bytes]);
}

/** The sums in a file, if they belong to that state of the index; null if not, or if they are damaged themselves. */
export function readSums(path: string, state: string): PageSums | null {
  let file: Buffer;
  try {
    file = readFileSync(path);
  } catch {
    return null;
  }
  const end = file.indexOf("\n");
  const bytes = file.subarray(end + 1);
  if (end === -1 || bytes.length % 4 !== 0 || file.toString("latin1", 0, end) !== `${state} ${crc32(bytes)}`)
    return null;
  // A copy, because the sums begin at any byte of the file.
  return new Uint32Array(Uint8Array.from(bytes).buffer);
}
