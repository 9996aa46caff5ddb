/**
 * Lines of tens of megabytes exist (inline images, dumped output). Holding such a line whole, decoded and parsed, costs
 * several times its size, so it is copied with its long string literals cut: the result is valid JSON, and memory use
 * stays flat. Readable text is kept while there is room, so that it can be searched; images and other encoded data are
 * not.
 */
export interface ShrinkLimits {
  /** Bytes of each string that are always kept. */
  string: number;
  /** Text is kept whole while the line is no longer than this. */
  text: number;
}

/** A log line must be shorter than 4 MiB: this leaves room for the rest of the record. */
const LIMITS: ShrinkLimits = { string: 64 * 1024, text: 3.5 * 1024 * 1024 };
const OUTPUT_LIMIT = 8 * 1024 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

/** Bytes used by Base64 and the data URLs in front of it. A string with any other byte is taken for text. */
const ENCODED = new Uint8Array(256);
for (const c of Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-.,:;")) ENCODED[c] = 1;

/** Position of the next byte within a character of a JSON string. */
const PLAIN = 0;
const ESCAPE = 1;
/** Plus the number of `\uXXXX` digits still to come. */
const DIGITS = 2;

export class LineShrinker {
  readonly #limits: ShrinkLimits;
  #out: Buffer = Buffer.allocUnsafe(1024 * 1024);
  #used = 0;
  #inString = false;
  #at = PLAIN;
  /** Value of the current `\u` escape so far, and whether the previous character was a high surrogate. */
  #spelled = 0;
  #half = false;
  #length = 0;
  #isText = false;
  #dropped = 0;
  #overflow = false;

  constructor(limits: ShrinkLimits = LIMITS) {
    this.#limits = limits;
  }

  push(bytes: Buffer): void {
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i] as number;
      if (!this.#inString) {
        if (byte === QUOTE) this.#begin();
        this.#emit(byte);
        continue;
      }
      if (byte === QUOTE && this.#at !== ESCAPE) {
        if (this.#dropped > 0) for (const c of Buffer.from(` …[${this.#dropped} bytes left out]`)) this.#emit(c);
        this.#inString = false;
        this.#emit(byte);
        continue;
      }
      if (this.#dropped === 0 && this.#length >= this.#limits.string && !this.#mayStay() && this.#isBoundary(byte))
        this.#dropped = 1;
      else if (this.#dropped > 0) this.#dropped++;
      if (this.#dropped === 0) this.#emit(byte);
      if (ENCODED[byte] === 0) this.#isText = true;
      this.#length++;
      this.#step(byte);
    }
  }

  /** The shrunk line; null when even its structure is too large. */
  finish(): string | null {
    return this.#overflow ? null : this.#out.toString("utf8", 0, this.#used);
  }

  #begin(): void {
    this.#inString = true;
    this.#at = PLAIN;
    this.#half = false;
    this.#isText = false;
    this.#length = 0;
    this.#dropped = 0;
  }

  #mayStay(): boolean {
    return this.#isText && this.#used < this.#limits.text;
  }

  /** True when no escape, UTF-8 sequence or surrogate pair (`\uD83D\uDE00`) is open before this byte. */
  #isBoundary(byte: number): boolean {
    return this.#at === PLAIN && (byte & 0xc0) !== 0x80 && !(this.#half && byte === BACKSLASH);
  }

  #step(byte: number): void {
    if (this.#at === PLAIN) {
      if (byte === BACKSLASH) this.#at = ESCAPE;
      else this.#half = false;
    } else if (this.#at === ESCAPE) {
      this.#at = byte === LETTER_U ? DIGITS + 4 : PLAIN;
      this.#spelled = 0;
      if (byte !== LETTER_U) this.#half = false;
    } else {
      this.#spelled = this.#spelled * 16 + digit(byte);
      this.#at = this.#at - 1 === DIGITS ? PLAIN : this.#at - 1;
      // The character after a high surrogate always ends the pair, otherwise a run of high surrogates would never end.
      if (this.#at === PLAIN) this.#half = !this.#half && this.#spelled >= 0xd800 && this.#spelled < 0xdc00;
    }
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

/** Value of a hexadecimal digit. Any other byte gives a wrong value, but then the line is not valid JSON anyway. */
function digit(byte: number): number {
  if (byte <= 0x39) return byte - 0x30;
  return (byte | 0x20) - 0x57;
}
