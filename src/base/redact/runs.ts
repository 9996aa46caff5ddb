import { inChunks, writeChunk } from "./chunks.ts";
import { isLetterSoup } from "./letters.ts";
import type { Span } from "./named.ts";
import { isStriking } from "./near.ts";
import { isRandom } from "./values.ts";

/**
 * Tokens without fixed text, recognised by their structure alone. Each has a part of at least this many letters, digits,
 * `_` and `-`, which ordinary text rarely has, so that looking at every such position finds all.
 */
const SHORTEST_PART = 16;

/** `lengths`: how long the part may be at which the token begins. */
const TOKENS: readonly { kind: string; lengths: readonly number[]; pattern: RegExp }[] = [
  { kind: "discord-token", lengths: [24, 25, 26], pattern: /[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,45}/y },
  { kind: "mailgun-key", lengths: [50], pattern: /[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}/y },
  // Personal access tokens of Azure DevOps: base 32 in lower case.
  { kind: "azure-token", lengths: [52], pattern: /(?=[a-z]*[2-7])[a-z2-7]{52}/y },
];

/** By character, of others by their low byte, which then is checked again. */
const isPart = new Uint8Array(256);
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") isPart[char.charCodeAt(0)] = 1;

export function runSecrets(text: string): Span[] {
  const found: Span[] = [];
  const take = (start: number, end: number): void => {
    const span = secretIn(text, start, end);
    if (span) found.push(span);
  };
  inChunks((bytes) => {
    for (let from = 0; from < text.length;) from = chunkRuns(text, from, bytes, take);
  });
  return found;
}

/** Takes the parts that begin in one piece of the text; returns where the next piece begins. */
function chunkRuns(text: string, from: number, bytes: Buffer, take: (start: number, end: number) => void): number {
  const length = writeChunk(bytes, text, from);
  const isLast = from + length >= text.length;
  // Each part of this length contains a position that is looked at: of a shorter one, the next place where a longer one
  // may end is known.
  for (let at = SHORTEST_PART - 1; at < length;) {
    let start = at + 1;
    while (start > 0 && isPart[bytes[start - 1] ?? 0] === 1) start--;
    if (at + 1 - start < SHORTEST_PART) {
      at = start - 1 + SHORTEST_PART;
      continue;
    }
    let end = at + 1;
    while (end < length && isPart[bytes[end] ?? 0] === 1) end++;
    // Cut by the end of the piece.
    if (end === length && !isLast && start > 0) return from + start;
    if (end === length) while (from + end < text.length && isAsciiPart(text, from + end)) end++;
    if (mayBeSecret(bytes, start, Math.min(end, length)) || end > length)
      takeAscii(text, from + start, from + end, take);
    at = end + SHORTEST_PART;
  }
  if (isLast) return text.length;
  let tail = length;
  while (length - tail < SHORTEST_PART && isPart[bytes[tail - 1] ?? 0] === 1) tail--;
  return from + tail;
}

/** The shortest token that has a digit, and the fewest changes of case of letters in no order. */
const [SHORTEST_TOKEN, FEWEST_CHANGES] = [24, 5];

/** A cheap filter: most long runs are names of small letters, or of a few joined words. */
function mayBeSecret(bytes: Buffer, start: number, end: number): boolean {
  let changes = 0;
  let before = 32;
  for (let at = start; at < end; at++) {
    const code = bytes[at] ?? 0;
    if (code < 58 && code > 47) {
      if (end - start >= SHORTEST_TOKEN) return true;
      continue;
    }
    const bit = code & 32;
    if (bit !== before && ++changes >= FEWEST_CHANGES) return true;
    before = bit;
  }
  return false;
}

function isAsciiPart(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 128 && isPart[code] === 1;
}

/** The parts of what may also contain other characters with the same low bytes. */
function takeAscii(text: string, from: number, to: number, take: (start: number, end: number) => void): void {
  let start = from;
  for (let at = from; at <= to; at++) {
    if (at < to && text.charCodeAt(at) < 128) continue;
    if (at - start >= SHORTEST_PART) take(start, at);
    start = at + 1;
  }
}

function secretIn(text: string, start: number, end: number): Span | null {
  const from = start + escapeLength(text, start);
  for (const { kind, lengths, pattern } of TOKENS) {
    if (!lengths.includes(end - from)) continue;
    pattern.lastIndex = from;
    const token = pattern.exec(text)?.[0];
    if (token !== undefined && (isRandom(token) || kind !== "discord-token"))
      return { start: from, end: from + token.length, kind };
  }
  if (isKeyOfVendor(text, from, end)) return { start: from, end, kind: "secret" };
  return isLetters(text, from, end) ? { start: from, end, kind: "secret" } : null;
}

/**
 * A short prefix in small letters, then more random letters and digits than the names of messages, calls and customers
 * have: the key of a vendor that is not known here.
 */
const OF_VENDOR = /(?:[a-z]{2,12}[_-]){1,3}[A-Za-z0-9]{36,120}/y;

function isKeyOfVendor(text: string, start: number, end: number): boolean {
  if (end - start < 40 || end - start > 160) return false;
  OF_VENDOR.lastIndex = start;
  const token = OF_VENDOR.exec(text)?.[0];
  if (token?.length !== end - start || token.startsWith("sha")) return false;
  const body = token.slice(token.search(/[A-Za-z0-9]+$/));
  return isRandom(body) && /[a-z]/.test(body) && /[A-Z]/.test(body) && isApart(text, start, end);
}

/** Not a part of an address, a path, code or Base64. */
function isApart(text: string, start: number, end: number): boolean {
  const [before, after] = [text.charAt(start - 1), text.charAt(end)];
  return !/[.$#%&+~[*]/.test(before) && !/[([.{/\\+=*%\]]/.test(after) && (before !== "/" || after === "@");
}

/** Letters of random case in no order, as generators of passwords make them, and a word of their own. */
function isLetters(text: string, start: number, end: number): boolean {
  let [changes, pairs] = [0, 0];
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i) | 32;
    if (code < 97 || code > 122) return false;
    if (i === start) continue;
    const [isLower, wasLower] = [text.charCodeAt(i) > 96, text.charCodeAt(i - 1) > 96];
    if (isLower !== wasLower) changes++;
    if (isLower && wasLower) pairs++;
  }
  // Joined words have many small letters in a row.
  if (changes < FEWEST_CHANGES || pairs * 10 > (end - start) * 3 || end - start > 40) return false;
  if (!isApart(text, start, end)) return false;
  return isLetterSoup(text.slice(start, end)) && isStriking(text.slice(start, end));
}

/** The letters of an escape before the token: `\\n`, `%3D`, the end of a terminal's colour. */
function escapeLength(text: string, start: number): number {
  const before = text.charAt(start - 1);
  if (before === "\\" && /[nrtbf]/.test(text.charAt(start))) return 1;
  if (before === "[" || before === ";") return /^\d{0,3}m/.exec(text.slice(start, start + 4))?.[0].length ?? 0;
  return before === "%" && /^[0-9A-Fa-f]{2}/.test(text.slice(start, start + 2)) ? 2 : 0;
}
