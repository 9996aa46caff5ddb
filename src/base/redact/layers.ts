import type { Span } from "./named.ts";

/**
 * An encoding of text within text: percent escapes, JSON escapes, HTML entities, Base64. A secret found in the decoded
 * text is hidden at the position of its encoded characters.
 */
export interface Layer {
  /** Literal texts, one of which is in every run that is worth decoding. */
  signs: readonly string[];
  /** True for the code of a character that ends a run of text in this encoding. */
  isBorder: (code: number) => boolean;
  /** A cheap filter: false when the decoded run certainly has no secret that the run itself does not show. */
  isWorth?: (run: string) => boolean;
  /** Decodes a run; null when it does not contain text. */
  decode: (run: string) => Decoded | null;
}

interface Decoded {
  text: string;
  /** The place in the run of a place in the decoded text; null when it cannot be told (Base64). */
  placeOf: ((at: number) => number) | null;
}

/** Prefixes of secrets as they appear in Base64, at each of the three possible alignments. */
const ENCODED = [
  "-----BEGIN ",
  "ghp_",
  "gho_",
  "ghs_",
  "github_pat_",
  "glpat-",
  "sk-ant-",
  "sk-proj-",
  "AKIA",
  "xoxb-",
  "xoxp-",
  "AIza",
  "npm_",
  "sk_live_",
  "hf_",
  "dckr_pat_",
]
  .flatMap((sign) => [0, 1, 2].map((shift) => encodedAt(sign, shift)))
  .filter((sign) => sign.length >= 4);

function encodedAt(sign: string, shift: number): string {
  const bytes = Buffer.from(`${"\0".repeat(shift)}${sign}`);
  const text = bytes.toString("base64");
  // Characters that share bits with neighbouring bytes are unknown and left out.
  const first = Math.ceil((shift * 8) / 6);
  return text.slice(first, Math.floor((bytes.length * 8) / 6));
}

const COLOUR = String.raw`(?:\u001b|\\e|\\033|\^\[)?\[[0-9;]{0,12}[mK]`;
const COLOURS = new RegExp(`(?:${COLOUR})+`, "g");
/** Ends where a colour changes between the sign of a secret and the secret. */
const BEFORE_SECRET =
  /(?<=(?:[:=@/]|\b(?:is|are|ist|est|es|[a-z]{0,8}login|user)|(?:pass|secret|token|key|pwd?|cred|auth)\w{0,20}|--?\w{1,20}|[^\u0000-\u007f])["'\])]{0,2}[ \t]{0,4})/iy;

/** 1: part of a token; 2: an operator; 3: what no secret begins with. */
const codes = new Uint8Array(128);
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+/-") codes[char.charCodeAt(0)] = 1;
for (const char of ":=") codes[char.charCodeAt(0)] = 2;
for (const char of " \t\n)]") codes[char.charCodeAt(0)] = 3;

/** True when a colour changes within a word, or between a name, or another sign of a secret, and what follows it. */
function changesColour(run: string): boolean {
  for (const { index, 0: colour } of run.matchAll(COLOURS)) {
    const end = index + colour.length;
    const after = end === run.length ? 3 : codes[run.charCodeAt(end)];
    if (after === 2 || (after === 1 && codes[run.charCodeAt(index - 1)] === 1)) return true;
    if (after === 3 && codes[run.charCodeAt(end + 1)] !== 2) continue;
    BEFORE_SECRET.lastIndex = index;
    if (after === 3 || BEFORE_SECRET.test(run)) return true;
  }
  return false;
}

function oneOf(chars: string): (code: number) => boolean {
  const isOne = tableOf(chars);
  return (code) => isOne[code] === 1;
}

function noneOf(chars: string): (code: number) => boolean {
  const isOne = tableOf(chars);
  return (code) => isOne[code] !== 1;
}

function tableOf(chars: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const char of chars) table[char.charCodeAt(0)] = 1;
  return table;
}

export const LAYERS: readonly Layer[] = [
  {
    signs: [
      "%3A",
      "%3a",
      "%3D",
      "%3d",
      "%2F",
      "%2f",
      "%40",
      "%22",
      "%20",
      "%2B",
      "%2b",
      "%26",
      "%5F",
      "%5f",
      "%2D",
      "%2d",
    ],
    isBorder: oneOf(" \t\n\r\f\v\u00a0\"'<>\\"),
    decode: unescaped(/%[0-9A-Fa-f]{2}/g, (code) => Number.parseInt(code.slice(1), 16)),
  },
  // Escaped quotes and line breaks need no decoding: the rules handle them.
  {
    signs: ["u00", "x2", "x3", "x4", "x5", "x6", "x7"].map((code) => `\\${code}`).concat(String.raw`:\/\/`),
    isBorder: oneOf("\n"),
    decode: unescaped(/\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[\\"'/nrtbf])/g, slashed),
  },
  {
    signs: ["&lt;/", "&amp;", "&quot;", "&apos;", "&#x", "&#3", "&#4", "&#5", "&#6"],
    isBorder: oneOf("\n"),
    decode: unescaped(/&(?:amp|quot|apos|lt|gt|#\d{2,3}|#x[0-9A-Fa-f]{2});/g, entity),
  },
  // Colours, which may begin in the middle of a token; the escape before them may be lost.
  {
    signs: [..."0123456789"]
      .map((digit) => `\u001b[${digit}`)
      .concat("\u001b[m", "\u001b[K", "[0m", "[1m", "[2m", "[22m", "[39m", "[3", "[9")
      .filter((sign) => sign.length > 2),
    isBorder: oneOf("\n"),
    isWorth: changesColour,
    decode: unescaped(new RegExp(COLOUR, "g"), null),
  },
  {
    signs: ENCODED,
    isBorder: noneOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_=-"),
    decode: base64,
  },
];

/** How far a run extends before and after its sign; longer runs are examined in pieces. */
const [BACK, ON] = [4000, 20_000];

/** Secrets found in the decoded text around a sign. `end` is where the run ends. */
export function layerSecrets(
  text: string,
  { isBorder, isWorth, decode }: Layer,
  sign: number,
  find: (decoded: string) => readonly Span[],
): { found: Span[]; end: number } {
  let start = sign;
  while (start > 0 && sign - start < BACK && !isBorder(text.charCodeAt(start - 1))) start--;
  let end = sign + 1;
  while (end < text.length && end - sign < ON && !isBorder(text.charCodeAt(end))) end++;
  const run = text.slice(start, end);
  const decoded = isWorth?.(run) === false ? null : decode(run);
  const spans = decoded ? find(decoded.text) : [];
  const found = spans.map(({ start: from, end: to, kind }) => {
    const placeOf = decoded?.placeOf;
    if (!placeOf) return { start, end, kind };
    return { start: start + placeOf(from), end: start + placeOf(to), kind };
  });
  return { found, end };
}

/** A piece of a run that is not escaped, or one escaped character: where it begins, in the decoded text and in the run. */
interface Piece {
  decoded: number;
  run: number;
}

/** Null instead of a code: the escape stands for nothing. */
function unescaped(pattern: RegExp, codeOf: ((escape: string) => number) | null): (run: string) => Decoded {
  return (run) => {
    let text = "";
    let done = 0;
    const pieces: Piece[] = [];
    for (const { index, 0: escape } of run.matchAll(pattern)) {
      if (index > done) {
        pieces.push({ decoded: text.length, run: done });
        text += run.slice(done, index);
      }
      if (codeOf) {
        pieces.push({ decoded: text.length, run: index });
        text += String.fromCodePoint(codeOf(escape));
      }
      done = index + escape.length;
    }
    pieces.push({ decoded: text.length, run: done });
    return { text: text + run.slice(done), placeOf: (at) => placeIn(pieces, at) };
  };
}

/** The place in the run of a decoded character: in the last piece that begins before it or there. */
function placeIn(pieces: readonly Piece[], at: number): number {
  let [low, high] = [0, pieces.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((pieces[middle]?.decoded ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  const piece = pieces[low] ?? { decoded: 0, run: 0 };
  return piece.run + at - piece.decoded;
}

const SHORT: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

function slashed(escape: string): number {
  const [, letter = ""] = escape;
  if (letter === "u" || letter === "x") return Number.parseInt(escape.slice(2), 16);
  return (SHORT[letter] ?? letter).codePointAt(0) ?? 0;
}

const NAMES: Readonly<Record<string, string>> = { amp: "&", quot: '"', apos: "'", lt: "<", gt: ">" };

function entity(escape: string): number {
  const name = escape.slice(1, -1);
  if (name.startsWith("#x")) return Number.parseInt(name.slice(2), 16);
  if (name.startsWith("#")) return Number(name.slice(1));
  return (NAMES[name] ?? "").codePointAt(0) ?? 0;
}

/** A run that contains a secret is hidden as a whole. */
function base64(run: string): Decoded | null {
  const text = Buffer.from(run, "base64").toString("latin1");
  return /[\n\u0020-\u007e]{12}/.test(text) ? { text, placeOf: null } : null;
}
