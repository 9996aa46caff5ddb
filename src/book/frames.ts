import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import type { ByteStream } from "../io/bytes.ts";
import { forgetFrames, frameMapOf, HEAD, readHead, type FrameMap } from "./frame-map.ts";

/**
 * A compressed log that can be appended to: frames of `[bytes packed, bytes of text]` (both 32-bit, little-endian) and a
 * Brotli stream. Quality 0 packs session text to a quarter faster than the disk would take it plain.
 */
const LARGEST = 1024 * 1024 * 1024;

/** A window larger than a frame would only have to be cleared for each. */
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 0, [constants.BROTLI_PARAM_LGWIN]: 17 } };

export function packFrame(text: Buffer): Buffer {
  const packed = brotliCompressSync(text, FAST);
  const head = Buffer.alloc(HEAD);
  head.writeUInt32LE(packed.length, 0);
  head.writeUInt32LE(text.length, 4);
  return Buffer.concat([head, packed]);
}

/** The text of a framed log, in order. A cut or damaged frame is the end. */
export function openFrames(path: string): ByteStream {
  const fd = openSync(path, "r");
  let position = 0;
  let frame: Buffer = Buffer.alloc(0);
  let used = 0;
  return {
    read(into, start) {
      if (used === frame.length) {
        const next = readFrame(fd, position);
        if (!next) return 0;
        frame = next.text;
        used = 0;
        position = next.end;
      }
      const taken = frame.copy(into, start, used, Math.min(frame.length, used + into.length - start));
      used += taken;
      return taken;
    },
    close() {
      closeSync(fd);
    },
  };
}

/** A piece of the text without unpacking what stands before it. */
export function readPiece(path: string, at: number, bytes: number): string {
  const fd = openSync(path, "r");
  try {
    const { dev, ino, birthtimeMs } = fstatSync(fd);
    const file = `${dev} ${ino} ${birthtimeMs}`;
    const piece = pieceOf(fd, frameMapOf(file), at, bytes);
    if (piece) return piece.toString("utf8");
    // The log was cut back and written on since somebody looked: its frames stand elsewhere.
    forgetFrames(file);
    return (pieceOf(fd, frameMapOf(file), at, bytes) ?? Buffer.alloc(0)).toString("utf8");
  } finally {
    closeSync(fd);
  }
}

/** Null when a frame is not where it was. */
function pieceOf(fd: number, frames: FrameMap, at: number, bytes: number): Buffer | null {
  const pieces: Buffer[] = [];
  for (let got = 0; got < bytes;) {
    const place = frames.at(fd, at + got);
    if (!place) break;
    const frame = readFrame(fd, place.position);
    if (frame?.text.length !== place.length) return null;
    const from = at + got - place.text;
    const piece = frame.text.subarray(from, from + bytes - got);
    pieces.push(piece);
    got += piece.length;
  }
  return Buffer.concat(pieces);
}

function readFrame(fd: number, position: number): { text: Buffer; end: number } | null {
  const head = readHead(fd, position);
  if (!head) return null;
  // A damaged head may claim anything; frames are a flush or one huge record long.
  if (head.packed > LARGEST) return null;
  const packed = Buffer.alloc(head.packed);
  if (readSync(fd, packed, 0, head.packed, position + HEAD) < head.packed) return null;
  try {
    return { text: brotliDecompressSync(packed), end: position + HEAD + head.packed };
  } catch {
    return null;
  }
}
