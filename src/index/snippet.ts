import { fold, patterns } from "./terms.ts";

export interface Snippet {
  /** The words around the first match; `matches` are offsets into it. */
  snippet: string;
  matches: [number, number][];
}

const BEFORE = 60;
const WIDTH = 240;
const MOST = 50;
/** Farther from a place than this no secret reaches that has to do with it. */
const REACH = 32 * 1024;

/** Of a long text the part around the first match: to hide the secrets of the rest would take longer than finding it. */
export function around(text: string, query: string): string {
  if (text.length <= 2 * REACH) return text;
  const at = firstMatch(fold(text), patterns(query));
  return text.slice(Math.max(0, at - REACH), at + REACH);
}

/** Cuts out the place a person wants to see. */
export function snippetOf(text: string, query: string): Snippet {
  const folded = fold(text);
  const wanted = patterns(query);
  const start = Math.max(0, firstMatch(folded, wanted) - BEFORE);
  // Cuts must not fall inside a surrogate pair.
  const from = isTrailing(text, start) ? start + 1 : start;
  const end = Math.min(text.length, from + WIDTH);
  const to = isTrailing(text, end) ? end - 1 : end;
  const matches: [number, number][] = [];
  for (const pattern of wanted) {
    for (const match of folded.slice(from, to).matchAll(pattern)) {
      if (matches.length < MOST && match[0] !== "") matches.push([match.index, match.index + match[0].length]);
    }
  }
  return { snippet: text.slice(from, to), matches: apart(matches) };
}

function firstMatch(folded: string, wanted: readonly RegExp[]): number {
  const places = wanted.map((pattern) => folded.search(pattern)).filter((at) => at !== -1);
  return places.length === 0 ? 0 : Math.min(...places);
}

/** In order, and none over another. */
function apart(matches: [number, number][]): [number, number][] {
  const out: [number, number][] = [];
  for (const match of matches.toSorted((a, b) => a[0] - b[0] || b[1] - a[1])) {
    if (match[0] >= (out.at(-1)?.[1] ?? 0)) out.push(match);
  }
  return out;
}

function isTrailing(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff;
}
