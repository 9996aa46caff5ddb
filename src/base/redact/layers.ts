import type { Span } from "./named.ts";

/**
 * An encoding of text within text: percent escapes, JSON escapes, HTML entities, Base64. A secret found in the decoded
 * text is hidden at the position of its encoded characters.
 */
export interface Layer {
  /** Literal texts, one of which is in every run that is worth decoding. */
  signs: readonly string[];
  /** Characters that end a run of text in this encoding. */
  border: RegExp;
  /** Decodes a run; null when it does not contain text. */
  decode: (run: string) => Decoded | null;
}

interface Decoded {
  text: string;
  /** Start of each decoded character in the run, then the end of the run; null when they cannot be mapped (Base64). */
  places: readonly number[] | null;
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
    border: /[\s"'<>\\]/,
    decode: unescaped(/%[0-9A-Fa-f]{2}/g, (code) => Number.parseInt(code.slice(1), 16)),
  },
  // Escaped quotes and line breaks need no decoding: the rules handle them.
  {
    signs: ["u00", "x2", "x3", "x4", "x5", "x6", "x7"].map((code) => `\\${code}`).concat(String.raw`:\/\/`),
    border: /\n/,
    decode: unescaped(/\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[\\"'/nrtbf])/g, slashed),
  },
  {
    signs: ["&lt;/", "&amp;", "&quot;", "&apos;", "&#x", "&#3", "&#4", "&#5", "&#6"],
    border: /\n/,
    decode: unescaped(/&(?:amp|quot|apos|lt|gt|#\d{2,3}|#x[0-9A-Fa-f]{2});/g, entity),
  },
  // Colours, which may begin in the middle of a token; the escape before them may be lost.
  {
    signs: [..."0123456789"]
      .map((digit) => `\u001b[${digit}`)
      .concat("\u001b[m", "\u001b[K", "[0m", "[1m", "[2m", "[22m", "[39m", "[3", "[9")
      .filter((sign) => sign.length > 2),
    border: /\n/,
    decode: unescaped(/(?:\u001b|\\e|\\033|\^\[)?\[[0-9;]{0,12}[mK]/g, null),
  },
  { signs: ENCODED, border: /[^A-Za-z0-9+/_=-]/, decode: base64 },
];

/** How far a run extends before and after its sign; longer runs are examined in pieces. */
const [BACK, ON] = [4000, 20_000];

/** Secrets found in the decoded text around a sign. `end` is where the run ends. */
export function layerSecrets(
  text: string,
  { border, decode }: Layer,
  sign: number,
  find: (decoded: string) => readonly Span[],
): { found: Span[]; end: number } {
  let start = sign;
  while (start > 0 && sign - start < BACK && !border.test(text.charAt(start - 1))) start--;
  let end = sign + 1;
  while (end < text.length && end - sign < ON && !border.test(text.charAt(end))) end++;
  const decoded = decode(text.slice(start, end));
  const spans = decoded ? find(decoded.text) : [];
  const found = spans.map(({ start: from, end: to, kind }) => {
    const places = decoded?.places;
    if (!places) return { start, end, kind };
    return { start: start + (places[from] ?? 0), end: start + (places[to] ?? end - start), kind };
  });
  return { found, end };
}

/** Null instead of a code: the escape stands for nothing. */
function unescaped(pattern: RegExp, codeOf: ((escape: string) => number) | null): (run: string) => Decoded {
  return (run) => {
    let text = "";
    let done = 0;
    const places: number[] = [];
    const plain = (to: number): void => {
      for (let i = done; i < to; i++) places.push(i);
      text += run.slice(done, to);
    };
    for (const { index, 0: escape } of run.matchAll(pattern)) {
      plain(index);
      if (codeOf) {
        places.push(index);
        text += String.fromCodePoint(codeOf(escape));
      }
      done = index + escape.length;
    }
    plain(run.length);
    places.push(run.length);
    return { text, places };
  };
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
  return /[\n\u0020-\u007e]{12}/.test(text) ? { text, places: null } : null;
}
