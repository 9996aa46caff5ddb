/**
 * Lines of tens of megabytes exist (inline images, dumped outputs). Holding one whole, decoded and parsed, costs several
 * times its size, so such a line is copied with every long string literal cut: the structure stays valid JSON, memory stays flat.
 */
const STRING_LIMIT = 64 * 1024;
const OUTPUT_LIMIT = 8 * 1024 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

export class LineShrinker {
  #out: Buffer = Buffer.allocUnsafe(1024 * 1024);
  #used = 0;
  #inString = false;
  #escaped = false;
  #length = 0;
  #dropped = 0;
  #overflow = false;

  push(bytes: Buffer): void {
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i] as number;
      if (!this.#inString) {
        if (byte === QUOTE) {
          this.#inString = true;
          this.#length = 0;
          this.#dropped = 0;
        }
        this.#emit(byte);
        continue;
      }
      if (byte === QUOTE && !this.#escaped) {
        if (this.#dropped > 0) for (const c of Buffer.from(` …[${this.#dropped} bytes left out]`)) this.#emit(c);
        this.#inString = false;
        this.#emit(byte);
        continue;
      }
      // A cut may only begin where neither an escape nor a UTF-8 sequence is open.
      const boundary = !this.#escaped && (byte & 0xc0) !== 0x80;
      const cutting = this.#dropped > 0 || (this.#length >= STRING_LIMIT && boundary);
      this.#escaped = byte === BACKSLASH && !this.#escaped;
      this.#length++;
      if (cutting) this.#dropped++;
      else this.#emit(byte);
    }
  }

  /** The shrunk line, or null when even its skeleton is too large to hold. */
  finish(): string | null {
    return this.#overflow ? null : this.#out.toString("utf8", 0, this.#used);
  }

  #emit(byte: number): void {
    if (this.#used === this.#out.length) {
      if (this.#used >= OUTPUT_LIMIT) {
        this.#overflow = true;
        return;
      }
      const larger = Buffer.allocUnsafe(this.#out.length * 2);
      this.#out.copy(larger, 0, 0, this.#used);
      this.#out = larger;
    }
    this.#out[this.#used++] = byte;
  }
}
