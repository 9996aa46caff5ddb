import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** Placeholder for a pre-built text in a record; the sink replaces it with the bytes of the block. */
export const MARK = "@@BLOCK@@";

const BUFFER_BYTES = 1 << 18;
/** Buffers are reused from file to file: ten thousand small sessions must not allocate ten thousand of them. */
const free = /** @type {Buffer[]} */ ([]);

/** A JSONL file written through one fixed buffer, so memory stays flat however large the file. */
export class FileSink {
  /** Bytes written to this file so far. */
  bytes = 0;
  lines = 0;
  #fd;
  #buffer;
  #used = 0;

  /** @param {string} path */
  constructor(path) {
    mkdirSync(dirname(path), { recursive: true });
    this.path = path;
    this.#fd = openSync(path, "w");
    this.#buffer = free.pop() ?? Buffer.allocUnsafe(BUFFER_BYTES);
  }

  /**
   * @param {unknown} record
   * @param {readonly Buffer[]} [block] JSON-escaped text to put wherever the record says MARK
   */
  line(record, block) {
    const text = `${JSON.stringify(record)}\n`;
    this.lines += 1;
    if (block === undefined) return this.#string(text);
    const parts = text.split(MARK);
    this.#string(parts[0]);
    for (let i = 1; i < parts.length; i += 1) {
      for (const piece of block) this.#raw(piece);
      this.#string(parts[i]);
    }
  }

  close() {
    this.#flush();
    closeSync(this.#fd);
    free.push(this.#buffer);
  }

  /** @param {string} text */
  #string(text) {
    // UTF-8 needs at most three bytes for one UTF-16 unit.
    if (text.length * 3 > BUFFER_BYTES) return this.#raw(Buffer.from(text));
    if (this.#used + text.length * 3 > BUFFER_BYTES) this.#flush();
    const written = this.#buffer.write(text, this.#used);
    this.#used += written;
    this.bytes += written;
  }

  /** @param {Buffer} piece */
  #raw(piece) {
    this.bytes += piece.length;
    if (this.#used + piece.length > BUFFER_BYTES) this.#flush();
    if (piece.length > BUFFER_BYTES) return this.#write(piece, piece.length);
    piece.copy(this.#buffer, this.#used);
    this.#used += piece.length;
  }

  #flush() {
    this.#write(this.#buffer, this.#used);
    this.#used = 0;
  }

  /**
   * @param {Buffer} data
   * @param {number} length
   */
  #write(data, length) {
    let offset = 0;
    while (offset < length) offset += writeSync(this.#fd, data, offset, length - offset);
  }
}
