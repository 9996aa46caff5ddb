import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { openPlain, openZstd, type ReadMeter } from "../../io/bytes.ts";
import type { SourceRef } from "../../sources/contract.ts";

/**
 * How a file that was read to some offset is known again: by the first bytes and those before the offset. Two short reads
 * tell a file that grew, moved or was compressed from one that was written anew.
 */
export interface Fingerprint {
  inode: number;
  offset: number;
  head: string;
  tail: string;
}

const WINDOW = 4096;

/** Null for stores: what stands in them is compared row by row. */
export function fingerprintOf(ref: SourceRef, offset: number, meter: ReadMeter): Fingerprint | null {
  if (!isStream(ref)) return null;
  const bytes = Math.min(WINDOW, offset);
  return {
    inode: statSync(ref.path).ino,
    offset,
    head: hashAt(ref, 0, bytes, meter),
    // What a compressed file says at its end can only be known by unpacking all of it, and it is not written to any more.
    tail: ref.container === "jsonl.zst" ? "" : hashAt(ref, offset - bytes, bytes, meter),
  };
}

/** True when the file still begins with everything that was read of it. */
export function isContinued(ref: SourceRef, print: Fingerprint, moved: boolean, meter: ReadMeter): boolean {
  if (!isStream(ref)) return false;
  try {
    // Another file under the same name was put there whole; only its content can tell what it is.
    if (!moved && statSync(ref.path).ino !== print.inode) return false;
    const bytes = Math.min(WINDOW, print.offset);
    if (hashAt(ref, 0, bytes, meter) !== print.head) return false;
    return print.tail === "" ? moved : hashAt(ref, print.offset - bytes, bytes, meter) === print.tail;
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
