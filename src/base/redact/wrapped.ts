import { isLetterSoup, isOddCase } from "./letters.ts";

/** Tokens that a terminal, an editor or a letter has broken over two or more lines. */

/** A line break, real or escaped, with what a program may have put around it: a backslash, spaces, the border of a box. */
export const BREAK: RegExp = /[ \t]{0,4}\\?(?:\r?\n|\\{1,3}r?\\{0,3}n)[ \t]{0,12}(?:[│|>][ \t]{0,4})?/g;
const RUN = /[\w+/=.~-]{1,400}/y;
const BREAK_HERE = new RegExp(BREAK.source, "y");
const MOST_LINES = 6;
/** The first piece of a broken token. */
const SHORTEST = 4;

/**
 * Where a token ends that begins at `at` and is broken before its end; null for one that is not broken. `end` is where
 * the pattern has matched without looking behind a break, null when it has not.
 */
export function wrappedEnd(text: string, at: number, end: number | null, pattern: RegExp): number | null {
  const stop = runEnd(text, at);
  if (stop - at < SHORTEST || (end !== null && end !== stop) || !mayBreak(text, stop)) return null;
  const first = text.slice(at, stop);
  let joined = first;
  // The places in the text at which the pieces of the joined text end.
  const ends: { joined: number; text: number }[] = [];
  let next = at + first.length;
  for (let n = 0; n < MOST_LINES; n++) {
    BREAK_HERE.lastIndex = next;
    if (!BREAK_HERE.test(text)) break;
    const from = BREAK_HERE.lastIndex;
    RUN.lastIndex = from;
    const piece = RUN.exec(text)?.[0];
    if (piece === undefined || !isPiece(piece, text.charAt(RUN.lastIndex))) break;
    joined += piece;
    next = from + piece.length;
    ends.push({ joined: joined.length, text: next });
  }
  if (ends.length === 0) return null;
  pattern.lastIndex = 0;
  const match = pattern.exec(joined);
  const length = match ? pattern.lastIndex : 0;
  const last = ends.findLast((one) => one.joined - length <= 0 || length > one.joined - 4);
  return length > first.length && last ? last.text - Math.max(0, last.joined - length) : null;
}

/** The run that was last looked at: a text may have many signs in one. */
let last = { text: "", start: 0, end: 0 };

/** Where the characters of a token end that begin at `at`. */
function runEnd(text: string, at: number): number {
  if (last.text === text && at >= last.start && at < last.end) return last.end;
  RUN.lastIndex = at;
  const end = at + (RUN.exec(text)?.[0].length ?? 0);
  last = { text, start: at, end };
  return end;
}

/** A cheap filter: a line break may only follow spaces and a backslash. */
function mayBreak(text: string, at: number): boolean {
  return /[ \t\r\n\\]/.test(text.charAt(at));
}

/** The rest of a token, not the first word of the next line: letters and digits mixed, or no word at all. */
function isPiece(piece: string, next: string): boolean {
  if (/[:(=]/.test(next) || piece.length < 2) return false;
  const plain = piece.replaceAll(/[^A-Za-z0-9]/g, "");
  return (
    (/\d/.test(plain) && /[A-Za-z]/.test(plain) && !/^[A-Za-z]+\d{1,2}$/.test(plain)) ||
    isLetterSoup(plain) ||
    isOddCase(plain)
  );
}
