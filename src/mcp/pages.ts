import { createHash, type Hash } from "node:crypto";
import { DaybookError } from "../errors.ts";
import { quoted } from "./quote.ts";

/**
 * Bytes of a reply, fences included. Clients cut longer ones without a word: the strictest that is known at 25,000 characters, others
 * at 10,000 tokens.
 */
const MOST_BYTES = 20 * 1024;
/** Left for what is said outside the fences. */
const HEAD_BYTES = 1024;
/** Another client cuts at 2,000. */
const MOST_LINES = 1500;

export interface Page {
  /** A part of the text, and all that quotes it. */
  quote: string;
  first: boolean;
  /** Leads to the next page; null at the end. */
  next: string | null;
}

/**
 * A text given in pages that joined together are the text. A cursor says how much was given, with a hash of it: whoever goes on in a
 * text that has changed before that place is told so, and never misses or meets a part twice.
 */
export class PagedText {
  readonly #text: string;
  /** Hash of the text up to a place: pages are asked for in order, so each part is hashed once. */
  #hash: Hash = createHash("sha256");
  #hashed = 0;

  constructor(text: string) {
    this.#text = text;
  }

  page(cursor: string | undefined): Page {
    const start = cursor === undefined ? 0 : this.#place(cursor);
    const end = this.#end(start);
    return {
      quote: quoted(this.#text.slice(start, end)),
      first: start === 0,
      next: end < this.#text.length ? this.#cursor(end) : null,
    };
  }

  /** Where the page ends that begins here: behind a line where that is not far back, never inside a character. */
  #end(start: number): number {
    const room = MOST_BYTES - HEAD_BYTES;
    let end = start + fitting(this.#text, start, room);
    // A text of nothing but the fences' own sign needs fences as long as itself.
    if (Buffer.byteLength(quoted(this.#text.slice(start, end))) > MOST_BYTES)
      end = start + fitting(this.#text, start, Math.floor(room / 3));
    if (end === this.#text.length) return end;
    const line = this.#text.lastIndexOf("\n", end - 1) + 1;
    return line > start + (end - start) / 2 ? line : end;
  }

  #cursor(place: number): string {
    return `${place.toString(36)}-${this.#hashTo(place)}`;
  }

  #place(cursor: string): number {
    const [, digits, hash] = /^([0-9a-z]{1,9})-([0-9a-f]{16})$/.exec(cursor) ?? [];
    if (digits === undefined)
      throw new DaybookError("this cursor is none of Daybook's", {
        ...{ code: "usage", op: "read cursor", hint: "leave it out to begin at the start" },
      });
    const place = Number.parseInt(digits, 36);
    if (place < this.#text.length && this.#hashTo(place) === hash) return place;
    throw new DaybookError("the answer has changed since that page was given", {
      ...{ code: "usage", op: "read cursor", hint: "ask without the cursor to begin again" },
    });
  }

  #hashTo(place: number): string {
    if (place < this.#hashed) {
      this.#hash = createHash("sha256");
      this.#hashed = 0;
    }
    this.#hash.update(this.#text.slice(this.#hashed, place));
    this.#hashed = place;
    return this.#hash.copy().digest("hex").slice(0, 16);
  }
}

/** How much of the text from a place on fits into so many bytes and lines. */
function fitting(text: string, start: number, bytes: number): number {
  const part = text.slice(start, start + bytes);
  const { read } = new TextEncoder().encodeInto(part, new Uint8Array(bytes));
  let lines = 0;
  for (let at = part.indexOf("\n"); at !== -1 && at < read; at = part.indexOf("\n", at + 1))
    if (++lines === MOST_LINES) return at + 1;
  return read;
}
