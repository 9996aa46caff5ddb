import { fold, patterns } from "./terms.ts";

export interface Snippet {
  /** The words around the first match; `matches` are offsets into it. */
  snippet: string;
  matches: [number, number][];
}

const BEFORE = 60;
const WIDTH = 240;
const MOST = 50;
/** Longer texts are looked at in part; what was indexed of them is their beginning and end. */
const LOOKED_AT = 64 * 1024;

/** Cuts out the place a person wants to see. */
export function snippetOf(text: string, query: string): Snippet {
  const looked =
    text.length <= 2 * LOOKED_AT ? text : `${text.slice(0, LOOKED_AT)}\n…\n${text.slice(text.length - LOOKED_AT)}`;
  const folded = fold(looked);
  const wanted = patterns(query);
  const places = wanted.map((pattern) => folded.search(pattern)).filter((at) => at !== -1);
  const start = Math.max(0, (places.length === 0 ? 0 : Math.min(...places)) - BEFORE);
  // Cuts must not fall inside a surrogate pair.
  const from = isTrailing(looked, start) ? start + 1 : start;
  const end = Math.min(looked.length, from + WIDTH);
  const to = isTrailing(looked, end) ? end - 1 : end;
  const matches: [number, number][] = [];
  for (const pattern of wanted) {
    for (const match of folded.slice(from, to).matchAll(pattern)) {
      if (matches.length < MOST && match[0] !== "") matches.push([match.index, match.index + match[0].length]);
    }
  }
  return { snippet: looked.slice(from, to), matches: apart(matches) };
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
