import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { openPlain, openZstd, type ReadMeter } from "../../base/io/bytes.ts";
import type { SourceRef } from "../../agents/contract.ts";

/**
 * Recognises a file that was read up to an offset, by its first bytes and those before the offset. Two short reads
 * distinguish a file that grew, moved or was compressed from one that was rewritten.
 */
export interface Fingerprint {
  inode: number;
  offset: number;
  head: string;
  tail: string;
}

const WINDOW = 4096;

/** Null for databases, which are compared row by row. */
export function fingerprintOf(ref: SourceRef, offset: number, meter: ReadMeter): Fingerprint | null {
  if (!isStream(ref)) return null;
  const bytes = Math.min(WINDOW, offset);
  return {
    inode: statSync(ref.path).ino,
    offset,
    head: hashAt(ref, 0, bytes, meter),
    // Reading the end of a compressed file means unpacking all of it, and it is not written to any more.
    tail: ref.container === "jsonl.zst" ? "" : hashAt(ref, offset - bytes, bytes, meter),
  };
}

/** True when the file still begins with everything that was read of it. */
export function isContinued(ref: SourceRef, fingerprint: Fingerprint, moved: boolean, meter: ReadMeter): boolean {
  if (!isStream(ref)) return false;
  try {
    // A new file was put in its place: it is compared from its start.
    if (!moved && statSync(ref.path).ino !== fingerprint.inode) return false;
    const bytes = Math.min(WINDOW, fingerprint.offset);
    if (hashAt(ref, 0, bytes, meter) !== fingerprint.head) return false;
    return fingerprint.tail === "" ? moved : hashAt(ref, fingerprint.offset - bytes, bytes, meter) === fingerprint.tail;
  } catch {
    return false;
  }
}

export function isStream(ref: SourceRef): boolean {
  return ref.container.startsWith("jsonl") || ref.container === "text";
}

function hashAt(ref: SourceRef, offset: number, bytes: number, meter: ReadMeter): string {
  if (bytes === 0) return "";
  const open = ref.container === "jsonl.zst" ? openZstd : openPlain;
  const stream = open(ref.path, offset, meter);
  try {
    const window = Buffer.alloc(bytes);
    let got = 0;
    for (let more = 1; got < bytes && more > 0; got += more) more = stream.read(window, got);
    return createHash("sha256").update(window.subarray(0, got)).digest("base64url").slice(0, 22);
  } finally {
    stream.close();
  }
}
