import { readSync } from "node:fs";

export const HEAD = 8;

/** Where a frame stands: in the file, and in the text. */
export interface FramePlace {
  position: number;
  packed: number;
  text: number;
  length: number;
}

/**
 * Where the frames of a log begin, as far as somebody had to know. A search opens a log at twenty places, and to walk over the
 * thousand frames before each would take longer than to find them.
 */
export class FrameMap {
  readonly #frames: FramePlace[] = [];

  /** The frame that holds a place of the text; null behind the last. */
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
    const position = last ? last.position + HEAD + last.packed : 0;
    const head = readHead(fd, position);
    // No frame is empty: zeros are what a crash leaves of a file.
    if (!head || head.packed === 0) return null;
    return { position, packed: head.packed, text: last ? last.text + last.length : 0, length: head.text };
  }
}

export function readHead(fd: number, position: number): { packed: number; text: number } | null {
  const head = Buffer.alloc(HEAD);
  if (readSync(fd, head, 0, HEAD, position) < HEAD) return null;
  return { packed: head.readUInt32LE(0), text: head.readUInt32LE(4) };
}

const MOST = 64;
const known = new Map<string, FrameMap>();

/** Of one log, kept for the next who asks while its file is the same one or has only grown. */
export function frameMapOf(file: string): FrameMap {
  let map = known.get(file);
  if (map) known.delete(file);
  else if (known.size >= MOST) known.delete(known.keys().next().value ?? "");
  known.set(file, (map ??= new FrameMap()));
  return map;
}

export function forgetFrames(file: string): void {
  known.delete(file);
}
