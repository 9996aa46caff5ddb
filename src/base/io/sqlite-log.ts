import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const HEADER = 32;
const FRAME_HEADER = 24;
/** The lowest bit tells the byte order of the words that are summed. */
const MAGIC = 0x377f0682;

/**
 * Whether the write-ahead log of a database is damaged in the middle. SQLite uses the frames before the first one with
 * a wrong checksum and silently ignores the rest: right for the torn end that a killed process leaves, wrong for
 * anything else.
 */
export function isLogDamaged(path: string): boolean {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch {
    return false;
  }
  try {
    return isDamaged(fd, fstatSync(fd).size);
  } finally {
    closeSync(fd);
  }
}

/**
 * The numbers of the pages in a write-ahead log, at least of those that a checkpoint would copy into the database; null
 * if that cannot be told.
 */
export function loggedPages(path: string): Set<number> | null {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch {
    return null;
  }
  try {
    const header = Buffer.alloc(HEADER);
    const { size } = fstatSync(fd);
    if (readSync(fd, header, 0, HEADER, 0) < HEADER || !isLogHeader(header)) return null;
    const pages = new Set<number>();
    const frame = Buffer.alloc(FRAME_HEADER);
    const step = FRAME_HEADER + header.readUInt32BE(8);
    for (let at = HEADER; at + step <= size; at += step) {
      readSync(fd, frame, 0, FRAME_HEADER, at);
      // Frames left from an earlier use of the file have other salts.
      if (!frame.subarray(8, 16).equals(header.subarray(16, 24))) break;
      pages.add(frame.readUInt32BE(0));
    }
    return pages;
  } finally {
    closeSync(fd);
  }
}

function isLogHeader(header: Buffer): boolean {
  const page = header.readUInt32BE(8);
  return (header.readUInt32BE(0) & ~1) === MAGIC && page >= 512 && page <= 65536 && (page & (page - 1)) === 0;
}

function isDamaged(fd: number, size: number): boolean {
  const header = Buffer.alloc(HEADER);
  if (size < HEADER + FRAME_HEADER) return false;
  readSync(fd, header, 0, HEADER, 0);
  const magic = header.readUInt32BE(0);
  const page = header.readUInt32BE(8);
  const sum = new Checksum((magic & 1) === 1);
  if (!isLogHeader(header) || !sum.take(header.subarray(0, 24)).is(header, 24)) return true;
  const salts = header.subarray(16, 24);
  const frame = Buffer.alloc(FRAME_HEADER + page);
  let isBroken = false;
  for (let at = HEADER; at + frame.length <= size; at += frame.length) {
    readSync(fd, frame, 0, frame.length, at);
    // Frames left from an earlier use of the file have other salts.
    const isOurs = frame.subarray(8, 16).equals(salts);
    // A rolled-back transaction leaves frames after the valid ones, but never a commit frame.
    const isEnd = frame.readUInt32BE(4) !== 0;
    if (isBroken && isOurs && isEnd) return true;
    isBroken ||= !isOurs || !sum.take(frame.subarray(0, 8)).take(frame.subarray(FRAME_HEADER)).is(frame, 16);
  }
  return false;
}

/** The running checksum of the log, as defined by the file format. */
class Checksum {
  readonly #isBig: boolean;
  #a = 0;
  #b = 0;

  constructor(isBig: boolean) {
    this.#isBig = isBig;
  }

  take(bytes: Buffer): this {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let [a, b] = [this.#a, this.#b];
    for (let i = 0; i < bytes.length; i += 8) {
      a = (a + view.getUint32(i, !this.#isBig) + b) | 0;
      b = (b + view.getUint32(i + 4, !this.#isBig) + a) | 0;
    }
    [this.#a, this.#b] = [a, b];
    return this;
  }

  is(bytes: Buffer, at: number): boolean {
    return bytes.readInt32BE(at) === this.#a && bytes.readInt32BE(at + 4) === this.#b;
  }
}
