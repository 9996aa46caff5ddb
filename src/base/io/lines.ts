import { isAscii, isUtf8, transcode } from "node:buffer";
import type { ByteStream } from "./bytes.ts";
import { LineShrinker } from "./shrink.ts";

/**
 * One physical line. Only `
 * ` ends a line: JavaScript agents write U+2028 and similar characters unescaped in JSON strings.
 */
export interface RawLine {
  /** 1-based. */
  line: number;
  /** Byte offset of the first byte in the plain file. */
  offset: number;
  /** Length without the newline. */
  bytes: number;
  /** Decoded text; null when the line is too large to hold even without its long strings. */
  text: string | null;
  /** False for the bytes after the last newline: the agent may still be writing them. */
  terminated: boolean;
  /** Long string literals were cut out of `text`. */
  shrunk: boolean;
  /** `text` contains U+FFFD: the bytes could not be decoded, or the character itself was there. */
  replaced: boolean;
  /** The name the skimmer gave the line; `text` is not decoded then. */
  skimmed: string | null;
  /** What the skimmer found in a line that it named. */
  mark?: string;
}

/**
 * Looks at the first bytes of a line and names it when the caller does not need the rest, else returns null. Decoding
 * and parsing are nine tenths of the cost of reading, so a question about tokens alone leaves most lines undecoded.
 */
export interface Skimmer {
  /** How many bytes of a line the skimmer needs to see. */
  head: number;
  name(head: string, bytes: number): string | null;
  /** Skip named lines instead of yielding them. */
  drop?: boolean;
  /** A line with this name is decoded anyway if it contains these bytes. */
  unless?: { name: string; holds: Buffer };
  /** Finds what the caller needs of a named line all the same; null when it is not there. */
  mark?(line: Buffer): string | null;
}

export interface LineStart {
  line: number;
  offset: number;
}

/** Node's fast slice methods, missing from its type definitions: a third faster than `toString` on short lines. */
type Bytes = Buffer & {
  latin1Slice(start: number, end: number): string;
  utf8Slice(start: number, end: number): string;
  ucs2Slice(start: number, end: number): string;
};

/** Small enough to stay in a core's own cache between reading and scanning. */
const CHUNK = 256 * 1024;
/** Longer lines are shrunk while they stream by. */
const LINE_LIMIT = 4 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * Buffers of finished readers, for reuse: allocating one for each of a thousand small files would cost more than
 * reading them.
 */
const spareBuffers: Bytes[] = [];

/** Reads lines in order with flat memory. Synchronous on purpose: per-line promises cost more than the parsing. */
export function* readLines(
  stream: ByteStream,
  from: LineStart,
  skim?: Skimmer,
  limit: number = LINE_LIMIT,
): Generator<RawLine, void, undefined> {
  const own = spareBuffers.pop() ?? (Buffer.allocUnsafe(CHUNK) as Bytes);
  try {
    yield* linesIn(own, stream, from, skim, limit);
  } finally {
    spareBuffers.push(own);
  }
}

function* linesIn(
  own: Bytes,
  stream: ByteStream,
  from: LineStart,
  skim: Skimmer | undefined,
  limit: number,
): Generator<RawLine, void, undefined> {
  let buffer = own;
  let start = 0; // first byte of the current line
  let end = 0; // end of valid bytes
  let scan = 0; // bytes before this hold no newline
  let line = from.line;
  let offset = from.offset;
  let ascii = true; // all bytes now in the buffer are ASCII: decode them the fast way

  for (;;) {
    const newline = scan < end ? buffer.indexOf(NEWLINE, scan) : -1;
    if (newline !== -1 && newline < end) {
      line++;
      const bytes = newline - start;
      const skimmed = skim ? nameOf(buffer, start, newline, skim) : null;
      if (skimmed !== null && skim?.drop === true) {
        offset += bytes + 1;
        start = newline + 1;
        scan = start;
        continue;
      }
      let text = "";
      let replaced = false;
      if (skimmed === null) {
        // Most lines are ASCII even next to lines that are not, and ASCII decodes several times faster.
        const plain = ascii || isAscii(buffer.subarray(start, newline));
        text = plain ? buffer.latin1Slice(start, newline) : decode(buffer, start, newline);
        replaced = !plain && text.includes("\uFFFD");
      }
      const raw: RawLine = { line, offset, bytes, text, terminated: true, shrunk: false, replaced, skimmed };
      const mark = skimmed === null ? null : (skim?.mark?.(buffer.subarray(start, newline)) ?? null);
      if (mark !== null) raw.mark = mark;
      yield raw;
      offset += bytes + 1;
      start = newline + 1;
      scan = start;
      continue;
    }
    scan = end;
    if (end - start > limit) {
      const rest = yield* streamHuge(stream, buffer, start, end, line + 1, offset);
      line++;
      offset += rest.consumed;
      start = rest.start;
      end = rest.end;
      scan = start;
      ascii = isAscii(buffer.subarray(start, end));
      if (rest.done) return;
      continue;
    }
    if (start > 0) {
      buffer.copy(buffer, 0, start, end);
      end -= start;
      scan -= start;
      start = 0;
    }
    if (buffer.length - end < CHUNK / 2) {
      const larger = Buffer.allocUnsafe(buffer.length * 2) as Bytes;
      buffer.copy(larger, 0, 0, end);
      buffer = larger;
    }
    const got = stream.read(buffer, end);
    if (got === 0) break;
    end += got;
    ascii = isAscii(buffer.subarray(0, end));
  }
  if (end > start) {
    const text = buffer.toString("utf8", start, end);
    line++;
    yield {
      line,
      offset,
      bytes: end - start,
      text,
      terminated: false,
      shrunk: false,
      replaced: text.includes("\uFFFD"),
      skimmed: null,
    };
  }
}

/** Below this length the direct decoder is faster. */
const LONG = 1024;

/** V8 decodes UTF-8 byte by byte; going through UTF-16 is three times as fast, but only works for valid bytes. */
function decode(buffer: Bytes, start: number, end: number): string {
  const bytes = buffer.subarray(start, end);
  if (bytes.length < LONG || !isUtf8(bytes)) return buffer.utf8Slice(start, end);
  const wide = transcode(bytes, "utf8", "utf16le") as Bytes;
  return wide.ucs2Slice(0, wide.length);
}

function nameOf(buffer: Bytes, start: number, end: number, skim: Skimmer): string | null {
  const named = skim.name(buffer.latin1Slice(start, Math.min(end, start + skim.head)), end - start);
  if (named === null || named !== skim.unless?.name) return named;
  return buffer.subarray(start, end).includes(skim.unless.holds) ? null : named;
}

/** Reads one oversized line from the buffer and the stream; leaves the bytes after its newline in the buffer. */
function* streamHuge(
  stream: ByteStream,
  buffer: Buffer,
  start: number,
  end: number,
  line: number,
  offset: number,
): Generator<RawLine, { consumed: number; start: number; end: number; done: boolean }, undefined> {
  const shrinker = new LineShrinker();
  let bytes = end - start;
  shrinker.push(buffer.subarray(start, end));
  for (;;) {
    const got = stream.read(buffer, 0);
    const newline = got === 0 ? -1 : buffer.subarray(0, got).indexOf(NEWLINE);
    const upto = newline === -1 ? got : newline;
    shrinker.push(buffer.subarray(0, upto));
    bytes += upto;
    if (got !== 0 && newline === -1) continue;
    const text = shrinker.finish();
    yield {
      line,
      offset,
      bytes,
      text,
      terminated: got !== 0,
      shrunk: true,
      replaced: text?.includes("\uFFFD") ?? false,
      skimmed: null,
    };
    return { consumed: bytes + (got === 0 ? 0 : 1), start: newline + 1, end: got, done: got === 0 };
  }
}
