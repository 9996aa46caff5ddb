import { existsSync } from "node:fs";
import { openPlain, type ByteStream } from "../../base/io/bytes.ts";
import { openFrames, type SyncPoint } from "./frames.ts";
import { pagePaths } from "./page-format.ts";

const CHUNK = 256 * 1024;
const NEWLINE = 0x0a;

/** The text of a page's log, read once from the beginning: pieces must be asked for in ascending order. */
export class LogText {
  readonly #stream: ByteStream;
  #buffer: Buffer = Buffer.allocUnsafe(CHUNK);
  /** Text offset where the buffer begins, and how much of it is filled. */
  #start = 0;
  #filled = 0;

  /** `points`: matching offsets of file and text, from commits; reading resumes at the next one after damage. */
  constructor(base: string, points: () => readonly SyncPoint[]) {
    const { packed, log } = pagePaths(base);
    if (existsSync(packed)) this.#stream = openFrames(packed, points);
    else this.#stream = existsSync(log) ? openPlain(log, 0) : { read: () => 0, close: () => undefined };
  }

  /** The piece at an offset; null when the text ends earlier. Valid until the next call. */
  piece(at: number, bytes: number): Buffer | null {
    if (at < this.#start || !this.#reach(at, at + bytes)) return null;
    return this.#buffer.subarray(at - this.#start, at - this.#start + bytes);
  }

  /** The line that begins at an offset, including its newline; null when there is none. */
  line(at: number): Buffer | null {
    for (let room = 4096; ; room *= 2) {
      const whole = this.#reach(at, at + room);
      const end = this.#buffer.subarray(0, this.#filled).indexOf(NEWLINE, at - this.#start);
      if (at >= this.#start && end !== -1) return this.#buffer.subarray(at - this.#start, end + 1);
      if (!whole) return null;
    }
  }

  close(): void {
    this.#stream.close();
  }

  /** Fills the buffer so that it holds the text from `at` to `end`, dropping earlier text if it needs room. */
  #reach(at: number, end: number): boolean {
    const drop = Math.min(Math.max(0, at - this.#start), this.#filled);
    if (drop > 0 && end - this.#start > this.#buffer.length) {
      this.#buffer.copyWithin(0, drop, this.#filled);
      this.#start += drop;
      this.#filled -= drop;
    }
    // Skip a gap instead of buffering it.
    while (this.#filled === 0 && this.#start < at) {
      const got = this.#stream.read(this.#buffer, 0);
      if (got === 0) return false;
      const passed = Math.min(got, at - this.#start);
      this.#buffer.copyWithin(0, passed, got);
      this.#start += passed;
      this.#filled = got - passed;
    }
    if (end - this.#start > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(end - this.#start, this.#buffer.length * 2));
      this.#buffer.copy(larger, 0, 0, this.#filled);
      this.#buffer = larger;
    }
    while (this.#start + this.#filled < end) {
      const got = this.#stream.read(this.#buffer, this.#filled);
      if (got === 0) return false;
      this.#filled += got;
    }
    return true;
  }
}
