import { letterOf, MARK, NONE } from "./letters.ts";
import { Bytes, SegmentWriter, type Segment } from "./segment.ts";

/** Bytes of text in one segment: more take more memory, fewer make more segments to search. */
const FULL = 10 * 1024 * 1024;
/** No query is that long, so that words may be cut here. */
const LONGEST = 4096;
/** Different words of a segment: with four letters they fit into one number. */
const MOST_WORDS = 2 ** 21;
/** A word in the table: its number plus one, its hash, where it starts and ends. */
const SLOT = 4;
const PRIME = 0x01000193;
const SEED = 0x811c9dc5;
/** A byte of a character that is not ASCII. */
const LONG = -2;
/** The letter that a byte of UTF-8 stands for. */
const LETTERS: Int16Array = Int16Array.from({ length: 256 }, (_, byte) => (byte < 0x80 ? letterOf(byte) : LONG));

/** Collects the words of texts, each read once, byte by byte. */
export class SegmentBuilder {
  /** Filled by `finish`; until then a name for what is being collected. */
  segment: Segment = emptySegment();
  #kinds: number[] = [];
  /** Number of words up to the end of each text. */
  #ends: number[] = [];
  #bytes = 0;
  #text: Buffer = Buffer.allocUnsafe(64 * 1024);
  /** All different words, one after the other. */
  #letters: Uint8Array = new Uint8Array(64 * 1024);
  #used = 0;
  #starts: Int32Array = new Int32Array(8 * 1024);
  #different = 0;
  /** Words by their hashes. */
  #table: Int32Array = new Int32Array(32 * 1024 * SLOT);
  /** The words of all texts in order. */
  #words: Int32Array = new Int32Array(64 * 1024);
  #count = 0;

  get isFull(): boolean {
    return this.#bytes >= FULL;
  }

  get texts(): number {
    return this.#kinds.length;
  }

  /** Returns the number of words in the text. */
  add(text: string, kind: number): number {
    const end = this.#load(text);
    const before = this.#count;
    // A text has at most one word for two bytes.
    this.#words = grown(this.#words, before + end / 2 + 2);
    if (this.#letters.length < this.#used + 2 * end + 16) {
      const larger = new Uint8Array(Math.max(this.#used + 2 * end + 16, this.#letters.length * 2));
      larger.set(this.#letters.subarray(0, this.#used));
      this.#letters = larger;
    }
    const [bytes, letters, words] = [this.#text, this.#letters, this.#words];
    let count = before;
    let start = this.#used;
    let to = start;
    let hash = SEED;
    for (let at = 0; at <= end;) {
      let letter = LETTERS[bytes[at] ?? 0] ?? NONE;
      while (letter > 0) {
        letters[to++] = letter;
        hash = Math.imul(hash ^ letter, PRIME);
        letter = LETTERS[bytes[++at] ?? 0] ?? NONE;
      }
      if (letter === LONG) {
        const length = lengthAt(bytes, at);
        letter = letterOf(codeAt(bytes, at, length));
        at += length;
        const from = to;
        if (letter > 0) to = writeCode(letters, to, letter);
        for (let i = from; i < to; i++) hash = Math.imul(hash ^ (letters[i] ?? 0), PRIME);
        if (letter > 0 || (letter === MARK && to > start)) continue;
      } else at++;
      if (to === start) continue;
      if (to - start > LONGEST) {
        to = start + LONGEST;
        hash = SEED;
        for (let i = start; i < to; i++) hash = Math.imul(hash ^ (letters[i] ?? 0), PRIME);
      }
      words[count++] = this.#numberOf(start, to, hash ^ (hash >>> 15));
      start = to = this.#used;
      hash = SEED;
    }
    this.#count = count;
    this.#kinds.push(kind);
    this.#ends.push(count);
    this.#bytes += end;
    return count - before;
  }

  /** Fills `segment`, and begins another one. */
  finish(): Segment {
    const { segment } = this;
    Object.assign(segment, this.#write(), { kinds: Uint8Array.from(this.#kinds) });
    this.segment = emptySegment();
    this.#kinds = [];
    this.#ends = [];
    this.#table.fill(0);
    this.#bytes = this.#used = this.#different = this.#count = 0;
    return segment;
  }

  #load(text: string): number {
    // UTF-8 needs at most three bytes per UTF-16 code unit; one more ends the last word.
    const room = text.length * 3 + 1;
    if (this.#text.length < room) this.#text = Buffer.allocUnsafe(room * 2);
    const end = this.#text.write(text, "utf8");
    this.#text[end] = 0x20;
    return end;
  }

  /** The number of the word with these letters, which are the last ones. */
  #numberOf(start: number, end: number, hash: number): number {
    const [table, letters] = [this.#table, this.#letters];
    const mask = table.length - 1;
    let slot = (hash * SLOT) & mask;
    for (; table[slot] !== 0; slot = (slot + SLOT) & mask) {
      if (table[slot + 1] !== hash) continue;
      const from = table[slot + 2] ?? 0;
      if ((table[slot + 3] ?? 0) - from !== end - start) continue;
      let i = 0;
      while (start + i < end && letters[from + i] === letters[start + i]) i++;
      if (start + i === end) return (table[slot] ?? 0) - 1;
    }
    const word = this.#different++;
    table[slot] = word + 1;
    table[slot + 1] = hash;
    table[slot + 2] = start;
    table[slot + 3] = end;
    this.#starts = grown(this.#starts, word + 2);
    this.#starts[word] = start;
    this.#starts[word + 1] = end;
    this.#used = end;
    if (this.#different * 2 * SLOT > table.length) this.#enlargeTable();
    return word;
  }

  #enlargeTable(): void {
    const [before, table] = [this.#table, new Int32Array(this.#table.length * 4)];
    const mask = table.length - 1;
    for (let at = 0; at < before.length; at += SLOT) {
      if (before[at] === 0) continue;
      let slot = ((before[at + 1] ?? 0) * SLOT) & mask;
      while (table[slot] !== 0) slot = (slot + SLOT) & mask;
      for (let i = 0; i < SLOT; i++) table[slot + i] = before[at + i] ?? 0;
    }
    this.#table = table;
  }

  #write(): Omit<Segment, "kinds"> {
    const { from, found } = this.#byWord();
    const writer = new SegmentWriter();
    const postings = new Bytes();
    for (const word of this.#sorted()) {
      const [first, last] = [from[word] ?? 0, from[word + 1] ?? 0];
      postings.used = 0;
      // A place takes at most five bytes, a text ten more.
      postings.room((last - first) * 15);
      let before = -1;
      for (let i = first; i < last;) {
        const text = found[i * 2] ?? 0;
        const step = (text - before - 1) * 2;
        before = text;
        if (i + 1 === last || found[i * 2 + 2] !== text) {
          postings.put(step + 1);
          postings.put(found[i++ * 2 + 1] ?? 0);
          continue;
        }
        postings.put(step);
        // The length comes first: it takes one byte in most cases, and is moved in the others.
        const start = postings.used++;
        let place = 0;
        for (; i < last && found[i * 2] === text; i++) {
          const next = found[i * 2 + 1] ?? 0;
          postings.put(next - place);
          place = next;
        }
        postings.stateLength(start);
      }
      writer.add(this.#letters, this.#starts[word] ?? 0, this.#starts[word + 1] ?? 0, postings);
    }
    return writer.finish();
  }

  /** Texts and places in them, those of each word together: of word `n` those from `from[n]` to `from[n + 1]`. */
  #byWord(): { from: Int32Array; found: Int32Array } {
    const words = this.#words;
    const from = new Int32Array(this.#different + 2);
    for (let i = 0; i < this.#count; i++) {
      const at = (words[i] ?? 0) + 2;
      from[at] = (from[at] ?? 0) + 1;
    }
    for (let i = 2; i < from.length; i++) from[i] = (from[i] ?? 0) + (from[i - 1] ?? 0);
    const found = new Int32Array(this.#count * 2);
    let start = 0;
    for (let text = 0; text < this.#ends.length; text++) {
      const end = this.#ends[text] ?? 0;
      for (let i = start; i < end; i++) {
        const at = (words[i] ?? 0) + 1;
        const to = from[at] ?? 0;
        from[at] = to + 1;
        found[to * 2] = text;
        found[to * 2 + 1] = i - start;
      }
      start = end;
    }
    return { from, found };
  }

  /** By their first four letters, with the word, as one number, which is fast; those that are equal by all letters. */
  #sorted(): Float64Array {
    const keys = new Float64Array(this.#different);
    for (let word = 0; word < this.#different; word++) {
      const [start, end] = [this.#starts[word] ?? 0, this.#starts[word + 1] ?? 0];
      let key = 0;
      for (let i = 0; i < 4; i++) key = key * 256 + (start + i < end ? (this.#letters[start + i] ?? 0) : 0);
      keys[word] = key * MOST_WORDS + word;
    }
    keys.sort();
    for (let from = 0; from < keys.length;) {
      const key = Math.floor((keys[from] ?? 0) / MOST_WORDS);
      let to = from;
      for (; to < keys.length && Math.floor((keys[to] ?? 0) / MOST_WORDS) === key; to++)
        keys[to] = (keys[to] ?? 0) % MOST_WORDS;
      if (to - from > 1) keys.subarray(from, to).sort((a, b) => this.#compare(a, b));
      from = to;
    }
    return keys;
  }

  /** Two words with the same first four letters. */
  #compare(a: number, b: number): number {
    const [letters, starts] = [this.#letters, this.#starts];
    const [endA, endB] = [starts[a + 1] ?? 0, starts[b + 1] ?? 0];
    let [i, j] = [(starts[a] ?? 0) + 4, (starts[b] ?? 0) + 4];
    for (; i < endA && j < endB; i++, j++) if (letters[i] !== letters[j]) return (letters[i] ?? 0) - (letters[j] ?? 0);
    return endA - i - (endB - j);
  }
}

function emptySegment(): Segment {
  return { kinds: new Uint8Array(), firsts: new Uint8Array(), blocks: 0, ends: new Uint32Array() };
}

function grown(list: Int32Array, room: number): Int32Array {
  if (list.length >= room) return list;
  const larger = new Int32Array(Math.max(Math.ceil(room), list.length * 2));
  larger.set(list);
  return larger;
}

function lengthAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

function codeAt(bytes: Uint8Array, at: number, length: number): number {
  const next = (i: number): number => (bytes[at + i] ?? 0) & 0x3f;
  const first = bytes[at] ?? 0;
  if (length === 2) return ((first & 0x1f) << 6) | next(1);
  if (length === 3) return ((first & 0xf) << 12) | (next(1) << 6) | next(2);
  return ((first & 0x7) << 18) | (next(1) << 12) | (next(2) << 6) | next(3);
}

function writeCode(into: Uint8Array, at: number, code: number): number {
  if (code < 0x80) {
    into[at] = code;
    return at + 1;
  }
  if (code < 0x800) {
    into[at] = 0xc0 | (code >> 6);
    into[at + 1] = 0x80 | (code & 0x3f);
    return at + 2;
  }
  if (code < 0x10000) {
    into[at] = 0xe0 | (code >> 12);
    into[at + 1] = 0x80 | ((code >> 6) & 0x3f);
    into[at + 2] = 0x80 | (code & 0x3f);
    return at + 3;
  }
  into[at] = 0xf0 | (code >> 18);
  into[at + 1] = 0x80 | ((code >> 12) & 0x3f);
  into[at + 2] = 0x80 | ((code >> 6) & 0x3f);
  into[at + 3] = 0x80 | (code & 0x3f);
  return at + 4;
}
