import type { Span } from "./named.ts";

/**
 * Text inside text: percent escapes, escapes of JSON, entities of HTML, Base64. What is hidden in a layer is hidden where its
 * characters stand in the text outside.
 */
export interface Layer {
  /** Literal texts, one of which is in every run worth decoding. */
  signs: readonly string[];
  /** What ends a run of text that may be of this layer. */
  border: RegExp;
  /** The text inside; null when it is none. */
  decode: (run: string) => Decoded | null;
}

interface Decoded {
  text: string;
  /** Where each character begins outside, and where the run ends; null where characters have no places of their own. */
  places: readonly number[] | null;
}

/** Beginnings that are worth looking for in Base64, at each of the three places they can have there. */
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
  // Characters that hold bits of a neighbour are not known.
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
  // Quotes and line breaks need no decoding: rules know them escaped.
  {
    signs: ["u00", "x2", "x3", "x4", "x5", "x6", "x7"].map((code) => `\\${code}`).concat(String.raw`:\/\/`),
    border: /\n/,
    decode: unescaped(/\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[\\"'/nrtbf])/g, slashed),
  },
  {
    signs: ["&amp;", "&quot;", "&apos;", "&#x", "&#3", "&#4", "&#5", "&#6"],
    border: /\n/,
    decode: unescaped(/&(?:amp|quot|apos|lt|gt|#\d{2,3}|#x[0-9A-Fa-f]{2});/g, entity),
  },
  { signs: ENCODED, border: /[^A-Za-z0-9+/_=-]/, decode: base64 },
];

/** How far a run is followed from its sign; what is longer is looked at in pieces. */
const [BACK, ON] = [4000, 20_000];

/** Secrets that are seen only in what the text around a sign stands for. `done` is where the run before it ended. */
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

function unescaped(pattern: RegExp, codeOf: (escape: string) => number): (run: string) => Decoded {
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
      places.push(index);
      text += String.fromCodePoint(codeOf(escape));
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

/** With a secret in it, the whole run goes. */
function base64(run: string): Decoded | null {
  const text = Buffer.from(run, "base64").toString("latin1");
  return /[\n\u0020-\u007e]{12}/.test(text) ? { text, places: null } : null;
}
