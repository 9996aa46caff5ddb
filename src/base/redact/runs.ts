import type { Span } from "./named.ts";
import { isRandom } from "./values.ts";

/**
 * Tokens without fixed text, recognised by their structure alone. Each has a part of at least this many letters, digits,
 * `_` and `-`, which ordinary text rarely has, so that looking at every such position finds all.
 */
const SHORTEST_PART = 24;
const LONG_PART = 50;

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
    // Discord's tokens begin with one of three letters; the parts of all others are twice as long.
    if (end - from >= LONG_PART || "MNO".includes(text.charAt(from))) found.push(...tokenAt(text, from));
    at = end + SHORTEST_PART;
  }
  return found;
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
