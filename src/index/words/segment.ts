import { DamagedIndex } from "../tables/damaged-index.ts";

/**
 * The words of a number of texts, in sorted blocks: for each word the texts that contain it and its places in them. A
 * block holds, for each word, what it shares with the word before, the rest of it, and its postings. A posting is the
 * distance from the text before, then the only place of the word, or the length and distances of several. At its end a
 * block says where to enter it: the places of every sixteenth word, which is written in full, and how many these are.
 */
export interface Segment {
  /** Kind of each text. */
  kinds: Uint8Array;
  /** The first word of each block. */
  firsts: Uint8Array;
  /** All blocks; only their length while they are in a scratch file. */
  blocks: Uint8Array | number;
  /** Where each block ends. */
  ends: Uint32Array;
}

/** A block fills one page of SQLite, unless a single word takes more. */
const BLOCK = 16_300;
const ENTER_EVERY = 16;

/** Bytes that grow. */
export class Bytes {
  data: Uint8Array<ArrayBuffer> = new Uint8Array(4096);
  used = 0;

  room(bytes: number): void {
    if (this.used + bytes <= this.data.length) return;
    const larger = new Uint8Array(Math.max(this.used + bytes, this.data.length * 2));
    larger.set(this.data.subarray(0, this.used));
    this.data = larger;
  }

  /** In seven bits per byte; below 2^31. */
  number(value: number): void {
    this.room(5);
    this.put(value);
  }

  /** The same where there is room for it. */
  put(value: number): void {
    const { data } = this;
    let { used } = this;
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) data[used++] = (rest & 0x7f) | 0x80;
    data[used++] = rest;
    this.used = used;
  }

  /** Writes at `start` how much follows the one byte that was left there. */
  stateLength(start: number): void {
    const length = this.used - start - 1;
    if (length < 0x80) {
      this.data[start] = length;
      return;
    }
    const more = length < 0x4000 ? 1 : length < 0x200000 ? 2 : 3;
    this.room(more);
    this.data.copyWithin(start + 1 + more, start + 1, this.used);
    this.used = start;
    this.put(length);
    this.used += length;
  }

  /** In two bytes. */
  pair(value: number): void {
    this.room(2);
    this.data[this.used++] = value & 0xff;
    this.data[this.used++] = value >> 8;
  }

  /** Some bytes of a list. Views of few bytes would take longer to make than to copy. */
  bytes(from: Uint8Array, start = 0, end: number = from.length): void {
    this.room(end - start);
    const { data } = this;
    let to = this.used;
    if (end - start > 64) data.set(from.subarray(start, end), to);
    else for (let i = start; i < end; i++) data[to++] = from[i] ?? 0;
    this.used += end - start;
  }

  written(): Uint8Array<ArrayBuffer> {
    return this.data.slice(0, this.used);
  }
}

/** Words, each with what it shares with the one before left out. */
class WordList extends Bytes {
  #letters: Uint8Array = new Uint8Array();
  #start = 0;
  #end = 0;

  word(letters: Uint8Array, start: number, end: number, isFirst: boolean): void {
    const most = isFirst ? 0 : Math.min(this.#end - this.#start, end - start);
    let shared = 0;
    while (shared < most && this.#letters[this.#start + shared] === letters[start + shared]) shared++;
    this.number(shared);
    this.number(end - start - shared);
    this.bytes(letters, start + shared, end);
    [this.#letters, this.#start, this.#end] = [letters, start, end];
  }
}

/** Writes a segment word by word, in the order of their bytes. */
export class SegmentWriter {
  readonly #blocks = new WordList();
  readonly #ends: number[] = [];
  readonly #firsts = new WordList();
  #start = 0;
  /** Words in the block, and where to enter it. */
  #words = 0;
  #entries: number[] = [];

  /** The letters of the word must not change afterwards. */
  add(letters: Uint8Array, start: number, end: number, postings: Bytes): void {
    const size = this.#blocks.used - this.#start;
    const room = end - start + postings.used + 12 + this.#entries.length * 2;
    if (size > 0 && size + room > BLOCK) this.#end();
    const isFirst = this.#words === 0;
    const isEntry = this.#words++ % ENTER_EVERY === 0;
    if (isEntry) this.#entries.push(this.#blocks.used - this.#start);
    this.#blocks.word(letters, start, end, isEntry);
    this.#blocks.number(postings.used);
    this.#blocks.bytes(postings.data, 0, postings.used);
    if (isFirst) this.#firsts.word(letters, start, end, this.#ends.length === 0);
  }

  finish(): Omit<Segment, "kinds"> {
    if (this.#words > 0) this.#end();
    return {
      firsts: this.#firsts.written(),
      blocks: this.#blocks.written(),
      ends: Uint32Array.from(this.#ends),
    };
  }

  #end(): void {
    for (const place of [...this.#entries, this.#entries.length]) this.#blocks.pair(place);
    this.#entries = [];
    this.#words = 0;
    this.#ends.push(this.#blocks.used);
    this.#start = this.#blocks.used;
  }
}

/** Reads numbers and bytes one after the other. */
export class ByteReader {
  readonly data: Uint8Array;
  at = 0;

  constructor(data: Uint8Array) {
    this.data = data;
  }

  number(): number {
    const { data } = this;
    let byte = data[this.at++] ?? 0;
    let value = byte & 0x7f;
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = data[this.at++] ?? 0;
      value |= (byte & 0x7f) << shift;
    }
    return value;
  }
}

/** The words of a list in which each states what it shares with the one before, such as a block. */
export class WordCursor extends ByteReader {
  #word: Uint8Array = new Uint8Array(64);
  #length = 0;

  /** `end`: where the list ends, if something follows it. */
  constructor(data: Uint8Array, end: number = data.length) {
    super(data.subarray(0, end));
  }

  get isAtEnd(): boolean {
    return this.at >= this.data.length;
  }

  /** Valid until the next one is read. */
  get word(): Uint8Array {
    return this.#word.subarray(0, this.#length);
  }

  next(): void {
    const shared = this.number();
    const rest = this.number();
    if (shared > this.#length || this.at + rest > this.data.length)
      throw new DamagedIndex(new Error("a block of words is damaged"));
    if (shared + rest > this.#word.length) {
      const larger = new Uint8Array((shared + rest) * 2);
      larger.set(this.#word.subarray(0, shared));
      this.#word = larger;
    }
    for (let i = 0; i < rest; i++) this.#word[shared + i] = this.data[this.at + i] ?? 0;
    this.at += rest;
    this.#length = shared + rest;
  }

  /** The postings of the word, in a block. */
  postings(): Uint8Array {
    const bytes = this.number();
    const from = this.at;
    this.at += bytes;
    if (this.at > this.data.length) throw new DamagedIndex(new Error("a block of words is damaged"));
    return this.data.subarray(from, this.at);
  }
}

/** The words of a block, one after the other. */
export function wordsOfBlock(block: Uint8Array): WordCursor {
  return new WordCursor(block, endOfWords(block));
}

function endOfWords(block: Uint8Array): number {
  const end = block.length - 2 - 2 * pairAt(block, block.length - 2);
  if (end < 0) throw new DamagedIndex(new Error("a block of words is damaged"));
  return end;
}

function pairAt(data: Uint8Array, at: number): number {
  return (data[at] ?? 0) | ((data[at + 1] ?? 0) << 8);
}

/** Looks for words in a block without reading all of them. */
export class BlockSearch extends ByteReader {
  readonly #end: number;
  /** How many letters of the word that is looked for the current word begins with. */
  #same = 0;
  /** Below zero: the current word comes before it. */
  #order = 1;
  /** It begins with the word that is looked for. */
  #isLonger = false;
  #length = 0;
  #from = 0;
  isAtEnd = true;

  constructor(block: Uint8Array) {
    super(block);
    this.#end = block.length === 0 ? 0 : endOfWords(block);
  }

  /** Goes to the first word that is not less than this one. */
  seek(word: Uint8Array): void {
    this.at = this.#entryBefore(word);
    this.#same = 0;
    this.isAtEnd = false;
    do this.next(word);
    while (!this.isAtEnd && this.#order < 0);
  }

  next(word: Uint8Array): void {
    if (this.at >= this.#end) {
      this.isAtEnd = true;
      return;
    }
    const shared = this.number();
    const rest = this.number();
    // A word that shares more with the one before than that does with the one looked for is as far from it.
    if (shared <= this.#same) this.#compare(word, shared, rest);
    this.at += rest;
    this.#length = this.number();
    this.#from = this.at;
    this.at += this.#length;
    if (this.at > this.#end) throw new DamagedIndex(new Error("a block of words is damaged"));
  }

  /** Whether the current word is the one looked for, or begins with it. */
  isFound(isPrefix: boolean): boolean {
    return !this.isAtEnd && (this.#order === 0 || (isPrefix && this.#isLonger));
  }

  postings(): Uint8Array {
    return this.data.subarray(this.#from, this.#from + this.#length);
  }

  #compare(word: Uint8Array, shared: number, rest: number): void {
    const { data, at } = this;
    let same = shared;
    while (same < word.length && same - shared < rest && word[same] === data[at + same - shared]) same++;
    this.#same = same;
    this.#isLonger = same === word.length && same - shared < rest;
    if (same === word.length) this.#order = this.#isLonger ? 1 : 0;
    else this.#order = same - shared === rest || (data[at + same - shared] ?? 0) < (word[same] ?? 0) ? -1 : 1;
  }

  /** The last place to enter the block at whose word is not greater. */
  #entryBefore(word: Uint8Array): number {
    let [low, high] = [0, (this.data.length - 2 - this.#end) / 2];
    const placeOf = (entry: number): number => pairAt(this.data, this.#end + 2 * entry);
    while (low < high) {
      const middle = (low + high) >> 1;
      this.at = placeOf(middle);
      this.#compare(word, this.number(), this.number());
      if (this.#order <= 0) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? 0 : placeOf(low - 1);
  }
}

/** Goes through the postings of a word. */
export class PostingCursor extends ByteReader {
  text = -1;
  /** Where the places of the word in this text are. */
  from = 0;
  to = 0;
  /** There is one place, and its length is not stated. */
  isOnly = false;

  next(): boolean {
    if (this.at >= this.data.length) return false;
    const step = this.number();
    this.text += (step >>> 1) + 1;
    this.isOnly = step % 2 === 1;
    const bytes = this.isOnly ? 0 : this.number();
    this.from = this.at;
    if (this.isOnly) this.number();
    else this.at += bytes;
    this.to = this.at;
    return true;
  }
}

/** Compares as SQLite and UTF-8 do. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const most = Math.min(a.length, b.length);
  for (let i = 0; i < most; i++) {
    const more = (a[i] ?? 0) - (b[i] ?? 0);
    if (more !== 0) return more;
  }
  return a.length - b.length;
}
