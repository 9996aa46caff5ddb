/**
 * Lines of tens of megabytes exist (inline images, dumped outputs). Holding one whole, decoded and parsed, costs several
 * times its size, so such a line is copied with long string literals cut: the structure stays valid JSON, memory stays flat.
 * What reads like text is kept as long as there is room, so that it can be searched; pictures and the like are not.
 */
export interface ShrinkLimits {
  /** Bytes of a string that always stay. */
  string: number;
  /** Texts stay whole while the line is not longer than this. */
  text: number;
}

/** A line of a log should be shorter than 4 MiB: there is room for the rest of the record. */
const LIMITS: ShrinkLimits = { string: 64 * 1024, text: 3.5 * 1024 * 1024 };
const OUTPUT_LIMIT = 8 * 1024 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

/** Bytes that Base64 and the addresses in front of it are made of. A string with any other is taken for text. */
const ENCODED = new Uint8Array(256);
for (const c of Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-.,:;")) ENCODED[c] = 1;

/** Where in a character of a JSON string the next byte stands. */
const PLAIN = 0;
const ESCAPE = 1;
/** Digits of `\uXXXX` to come, added to this. */
const DIGITS = 2;

export class LineShrinker {
  readonly #limits: ShrinkLimits;
  #out: Buffer = Buffer.allocUnsafe(1024 * 1024);
  #used = 0;
  #inString = false;
  #at = PLAIN;
  /** The number an escape has spelled so far, and whether the character before was the first half of a pair. */
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

  /** The shrunk line, or null when even its skeleton is too large to hold. */
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

  /** Before this byte no escape, no UTF-8 sequence and no pair of `\uD83D\uDE00` is open. */
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
      // A second half ends its pair, whatever it is: a row of first halves must not go on for ever.
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

/** Of a hexadecimal digit; what is none makes the line no JSON anyway. */
function digit(byte: number): number {
  if (byte <= 0x39) return byte - 0x30;
  return (byte | 0x20) - 0x57;
}
