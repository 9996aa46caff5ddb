import { readSync } from "node:fs";

export const FRAME_HEADER_BYTES = 8;

/** Where a frame begins, in the file and in the text. */
export interface FramePlace {
  position: number;
  packed: number;
  text: number;
  length: number;
}

/**
 * Where the frames of a log begin, as far as needed so far. A search opens a log in twenty places, and scanning the
 * thousand frames before each would take longer than the search.
 */
export class FrameMap {
  readonly #frames: FramePlace[] = [];

  /** The frame that contains an offset of the text; null past the last frame. */
  at(fd: number, text: number): FramePlace | null {
    for (let last = this.#frames.at(-1); !last || last.text + last.length <= text; last = this.#frames.at(-1)) {
      const next = this.#next(fd, last);
      if (!next) return null;
      this.#frames.push(next);
    }
    let [low, high] = [0, this.#frames.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#frames[middle]?.text ?? 0) <= text) low = middle;
      else high = middle - 1;
    }
    return this.#frames[low] ?? null;
  }

  #next(fd: number, last: FramePlace | undefined): FramePlace | null {
    const position = last ? last.position + FRAME_HEADER_BYTES + last.packed : 0;
    const head = readFrameHeader(fd, position);
    // Frames are never empty: zeros are left by a crash.
    if (!head || head.packed === 0) return null;
    return { position, packed: head.packed, text: last ? last.text + last.length : 0, length: head.text };
  }
}

export function readFrameHeader(fd: number, position: number): { packed: number; text: number } | null {
  const head = Buffer.alloc(FRAME_HEADER_BYTES);
  if (readSync(fd, head, 0, FRAME_HEADER_BYTES, position) < FRAME_HEADER_BYTES) return null;
  return { packed: head.readUInt32LE(0), text: head.readUInt32LE(4) };
}

const MAX_MAPS = 64;
const known = new Map<string, FrameMap>();

/** The frame map of a log, cached as long as the file is the same or has only grown. */
export function frameMapOf(file: string): FrameMap {
  let map = known.get(file);
  if (map) known.delete(file);
  else if (known.size >= MAX_MAPS) known.delete(known.keys().next().value ?? "");
  known.set(file, (map ??= new FrameMap()));
  return map;
}

export function forgetFrameMap(file: string): void {
  known.delete(file);
}
