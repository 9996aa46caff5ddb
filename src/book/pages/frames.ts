import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import type { ByteStream } from "../../base/io/bytes.ts";
import { forgetFrameMap, frameMapOf, FRAME_HEADER_BYTES, readFrameHeader, type FrameMap } from "./frame-map.ts";

/**
 * A compressed log that can be appended to: frames of `[packed bytes, text bytes]` (both 32-bit, little-endian) and a
 * Brotli stream. Quality 1 takes half as long again as 0 and a tenth less space; 2 takes twice as long for another
 * twentieth.
 */
const LARGEST = 1024 * 1024 * 1024;

/** A window larger than a frame would only have to be cleared for each frame. */
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 18 } };

export function packFrame(text: Buffer): Buffer {
  const packed = brotliCompressSync(text, FAST);
  const head = Buffer.alloc(FRAME_HEADER_BYTES);
  head.writeUInt32LE(packed.length, 0);
  head.writeUInt32LE(text.length, 4);
  return Buffer.concat([head, packed]);
}

/** Matching offsets in the file and in the text, known from a commit. */
export interface SyncPoint {
  log: number;
  text: number;
}

/**
 * The text of a framed log, in order. A damaged frame is replaced by zeros of the same length; if its length is damaged
 * too, by zeros up to the next sync point.
 */
export function openFrames(path: string, points: () => readonly SyncPoint[] = () => []): ByteStream {
  const fd = openSync(path, "r");
  let position = 0;
  /** Text offset of the next frame. */
  let place = 0;
  let frame: Buffer = Buffer.alloc(0);
  let used = 0;
  let zeros = 0;
  const next = (): boolean => {
    const found = readFrame(fd, position);
    if (found?.text) {
      frame = found.text;
      used = 0;
      position = found.end;
      place += frame.length;
      return true;
    }
    const after = points().find(({ log, text }) => log > position && text > place);
    if (!after) return false;
    // The header of a damaged frame may be wrong: ignore it if it would reach beyond the sync point.
    const believed = found && found.end <= after.log && place + found.length <= after.text;
    zeros = believed ? found.length : after.text - place;
    position = believed ? found.end : after.log;
    place += zeros;
    return true;
  };
  const isEmpty = (): boolean => used === frame.length && zeros === 0;
  return {
    read(into, start) {
      while (isEmpty()) if (!next()) return 0;
      const room = into.length - start;
      if (zeros > 0) {
        const filled = Math.min(zeros, room);
        into.fill(0, start, start + filled);
        zeros -= filled;
        return filled;
      }
      const taken = frame.copy(into, start, used, Math.min(frame.length, used + room));
      used += taken;
      return taken;
    },
    close() {
      closeSync(fd);
    },
  };
}

/** A piece of the text, without unpacking what comes before it. */
export function readPiece(path: string, at: number, bytes: number): Buffer {
  const fd = openSync(path, "r");
  try {
    const { dev, ino, birthtimeMs } = fstatSync(fd);
    const file = `${dev} ${ino} ${birthtimeMs}`;
    const piece = pieceOf(fd, frameMapOf(file), at, bytes);
    if (piece) return piece;
    // The log was truncated and extended since its frames were mapped: map them again.
    forgetFrameMap(file);
    return pieceOf(fd, frameMapOf(file), at, bytes) ?? Buffer.alloc(0);
  } finally {
    closeSync(fd);
  }
}

/** Null when a frame is not where the map says. */
function pieceOf(fd: number, frames: FrameMap, at: number, bytes: number): Buffer | null {
  const pieces: Buffer[] = [];
  for (let got = 0; got < bytes;) {
    const place = frames.at(fd, at + got);
    if (!place) break;
    const frame = readFrame(fd, place.position);
    if (frame?.text?.length !== place.length) return null;
    const from = at + got - place.text;
    const piece = frame.text.subarray(from, from + bytes - got);
    pieces.push(piece);
    got += piece.length;
  }
  return Buffer.concat(pieces);
}

interface Frame {
  /** Null when it cannot be unpacked. */
  text: Buffer | null;
  /** Length of the text and end of the frame according to its header. */
  length: number;
  end: number;
}

function readFrame(fd: number, position: number): Frame | null {
  const head = readFrameHeader(fd, position);
  if (!head) return null;
  // A damaged header may contain anything; a real frame holds one flush or one huge record.
  if (head.packed > LARGEST) return null;
  const said = { length: head.text, end: position + FRAME_HEADER_BYTES + head.packed };
  const packed = Buffer.alloc(head.packed);
  if (readSync(fd, packed, 0, head.packed, position + FRAME_HEADER_BYTES) < head.packed) return null;
  try {
    const text = brotliDecompressSync(packed);
    return { ...said, text: text.length === head.text ? text : null };
  } catch {
    return { ...said, text: null };
  }
}
