import { createHash, type Hash } from "node:crypto";
import { DaybookError } from "../../base/errors.ts";
import { quoted } from "../../base/text/quote.ts";

/**
 * Maximum size of a reply in bytes, fences included. Clients silently truncate longer ones: the strictest known at
 * 25,000 characters, others at 10,000 tokens.
 */
const MOST_BYTES = 20 * 1024;
/** Reserved for the text outside the fences. */
const HEAD_BYTES = 1024;
/** Another client truncates at 2,000 lines. */
const MOST_LINES = 1500;

export interface Page {
  /** The quoted part of the text. */
  quote: string;
  first: boolean;
  /** The cursor of the next page; null at the end. */
  next: string | null;
}

/**
 * A text in pages that, joined together, are the text. A cursor contains the position and a hash of the text before
 * it: if that part has changed, continuing fails, so that nothing is missed or repeated.
 */
export class PagedText {
  readonly #text: string;
  /** Hash of the text up to a position: pages are requested in order, so each part is hashed once. */
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

  /** The end of the page that starts here: after a line break if one is near, never inside a character. */
  #end(start: number): number {
    const room = MOST_BYTES - HEAD_BYTES;
    let end = start + fitting(this.#text, start, room);
    // A text that consists of fence characters needs fences as long as itself.
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
      throw new DaybookError("this is not a cursor of Daybook", {
        code: "usage",
        op: "read cursor",
        hint: "leave it out to start at the beginning",
      });
    const place = Number.parseInt(digits, 36);
    if (place < this.#text.length && this.#hashTo(place) === hash) return place;
    throw new DaybookError("the answer has changed since that page", {
      code: "usage",
      op: "read cursor",
      hint: "ask without the cursor to start again",
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

/** How much of the text from this position fits into so many bytes and lines. */
function fitting(text: string, start: number, bytes: number): number {
  const part = text.slice(start, start + bytes);
  const { read } = new TextEncoder().encodeInto(part, new Uint8Array(bytes));
  let lines = 0;
  for (let at = part.indexOf("\n"); at !== -1 && at < read; at = part.indexOf("\n", at + 1))
    if (++lines === MOST_LINES) return at + 1;
  return read;
}
