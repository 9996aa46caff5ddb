import { closeSync, fstatSync, readSync, readFileSync } from "node:fs";
import { Decompress } from "fzstd";
import { openFile } from "./regular-file.ts";

/** Sequential bytes of a session file, whatever its container. Opened read-only, always closed by the reader. */
export interface ByteStream {
  /** Fills `into` from `start`; returns the number of bytes, 0 at the end. */
  read(into: Buffer, start: number): number;
  close(): void;
}

/** How much was read from disk, so that tests and benchmarks can count work instead of timing it. */
export interface ReadMeter {
  bytes: number;
  opens: number;
}

export function openPlain(path: string, offset: number, meter?: ReadMeter): ByteStream {
  const fd = openFile(path);
  if (meter) meter.opens++;
  let position = offset;
  return {
    read(into, start) {
      const got = readSync(fd, into, start, into.length - start, position);
      position += got;
      if (meter) meter.bytes += got;
      return got;
    },
    close() {
      closeSync(fd);
    },
  };
}

const ZSTD_CHUNK = 128 * 1024;

/**
 * A zstd file read as the plain bytes it holds. Offsets mean plain bytes, so a cursor taken before compression stays
 * valid after it. fzstd is used on every Node: the built-in zlib zstd returns only the first frame.
 */
export function openZstd(path: string, offset: number, meter?: ReadMeter): ByteStream {
  const fd = openFile(path);
  if (meter) meter.opens++;
  const queue: Uint8Array[] = [];
  let skip = offset;
  let position = 0;
  let ended = false;
  let damage: Error | null = null;
  const total = fstatSync(fd).size;
  const inflate = new Decompress((chunk) => {
    if (skip >= chunk.length) {
      skip -= chunk.length;
      return;
    }
    queue.push(skip > 0 ? chunk.subarray(skip) : chunk);
    skip = 0;
  });
  const pump = (): void => {
    const input = new Uint8Array(ZSTD_CHUNK);
    const got = readSync(fd, input, 0, ZSTD_CHUNK, position);
    position += got;
    if (meter) meter.bytes += got;
    ended = got === 0 || position >= total;
    try {
      inflate.push(input.slice(0, got), ended);
    } catch (error) {
      // Hand out what was decompressed before the damage first.
      damage = error as Error;
    }
  };
  return {
    read(into, start) {
      while (queue.length === 0) {
        if (damage) throw damage;
        if (ended) return 0;
        pump();
      }
      const head = queue[0];
      if (!head) return 0;
      const room = into.length - start;
      const taken = Math.min(room, head.length);
      into.set(head.subarray(0, taken), start);
      if (taken === head.length) queue.shift();
      else queue[0] = head.subarray(taken);
      return taken;
    },
    close() {
      closeSync(fd);
    },
  };
}

/** For small side files only. */
export function readWhole(path: string, meter?: ReadMeter): Buffer {
  const fd = openFile(path);
  let bytes: Buffer;
  try {
    bytes = readFileSync(fd);
  } finally {
    closeSync(fd);
  }
  if (meter) {
    meter.opens++;
    meter.bytes += bytes.length;
  }
  return bytes;
}
