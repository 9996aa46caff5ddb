import { isLetterSoup } from "./letters.ts";
import type { Span } from "./named.ts";
import { isStriking } from "./near.ts";
import { isRandom } from "./values.ts";

/**
 * Tokens without fixed text, recognised by their structure alone. Each has a part of at least this many letters, digits,
 * `_` and `-`, which ordinary text rarely has, so that looking at every such position finds all.
 */
const SHORTEST_PART = 16;
/** Discord's tokens begin with one of three letters; the parts of the others are longer. */
const [SHORT_TOKEN, LONG_PART] = [24, 50];

const TOKENS: readonly { kind: string; pattern: RegExp }[] = [
  { kind: "discord-token", pattern: /[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,45}/y },
  { kind: "mailgun-key", pattern: /[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}(?![\w-])/y },
  // Personal access tokens of Azure DevOps: base 32 in lower case.
  { kind: "azure-token", pattern: /(?=[a-z]*[2-7])[a-z2-7]{52}(?![\w-])/y },
];

const isPart = new Uint8Array(128);
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") isPart[char.charCodeAt(0)] = 1;

export function runSecrets(text: string): Span[] {
  const found: Span[] = [];
  // Each part of this length contains a position that is looked at: of a shorter one, the next place where a longer one
  // may end is known.
  for (let at = SHORTEST_PART - 1; at < text.length;) {
    let start = at + 1;
    while (start > 0 && isPart[text.charCodeAt(start - 1)] === 1) start--;
    if (at + 1 - start < SHORTEST_PART) {
      at = start - 1 + SHORTEST_PART;
      continue;
    }
    let end = at + 1;
    while (end < text.length && isPart[text.charCodeAt(end)] === 1) end++;
    const from = start + escapeLength(text, start);
    if (end - from >= LONG_PART || (end - from >= SHORT_TOKEN && "MNO".includes(text.charAt(from))))
      found.push(...tokenAt(text, from));
    else if (isLetters(text, from, end)) found.push({ start: from, end, kind: "secret" });
    at = end + SHORTEST_PART;
  }
  return found;
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
  if (changes < 5 || pairs * 10 > (end - start) * 3 || end - start > 40) return false;
  // A part of an address, a path, code or Base64.
  const [before, after] = [text.charAt(start - 1), text.charAt(end)];
  if (/[.$#%&+~[*]/.test(before) || /[([.{/\\+=*%\]]/.test(after) || (before === "/" && after !== "@")) return false;
  return isLetterSoup(text.slice(start, end)) && isStriking(text.slice(start, end));
}

/** The letters of an escape before the token: `\\n`, `%3D`. */
function escapeLength(text: string, start: number): number {
  const before = text.charAt(start - 1);
  if (before === "\\" && /[nrtbf]/.test(text.charAt(start))) return 1;
  return before === "%" && /^[0-9A-Fa-f]{2}/.test(text.slice(start, start + 2)) ? 2 : 0;
}

function tokenAt(text: string, start: number): Span[] {
  for (const { kind, pattern } of TOKENS) {
    pattern.lastIndex = start;
    const token = pattern.exec(text)?.[0];
    if (token !== undefined && (isRandom(token) || kind !== "discord-token"))
      return [{ start, end: start + token.length, kind }];
  }
  return [];
}
