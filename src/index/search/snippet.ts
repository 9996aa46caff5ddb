import { fold, termPatterns } from "./terms.ts";

export interface Snippet {
  /** The text around the first match; `matches` are offsets into it. */
  snippet: string;
  matches: [number, number][];
}

const BEFORE = 60;
const WIDTH = 240;
/** Longer words may be cut. */
const A_WORD = 24;
const MAX_MATCHES = 50;
/** No secret near a match reaches farther than this. */
const REACH = 32 * 1024;

/** Cuts out the text around the first match. `hide` masks secrets before the cut: half a secret is not recognised. */
export function snippetOf(whole: string, query: string, hide: (text: string) => string): Snippet {
  const wanted = termPatterns(query);
  const text = textNearMatch(whole, wanted, hide);
  const folded = fold(text);
  const start = snippetStart(text, firstMatch(folded, wanted) ?? 0);
  // Cuts must not fall inside a surrogate pair.
  const from = isTrailing(text, start) ? start + 1 : start;
  const end = Math.min(text.length, from + WIDTH);
  const to = isTrailing(text, end) ? end - 1 : end;
  const matches: [number, number][] = [];
  for (const pattern of wanted) {
    for (const match of folded.slice(from, to).matchAll(pattern)) {
      if (matches.length < MAX_MATCHES && match[0] !== "") matches.push([match.index, match.index + match[0].length]);
    }
  }
  return { snippet: text.slice(from, to), matches: withoutOverlaps(matches) };
}

/** A little before the match, at the beginning of a word if one is near. */
function snippetStart(text: string, match: number): number {
  const start = Math.max(0, match - BEFORE);
  if (start === 0 || /\s/.test(text.charAt(start - 1))) return start;
  const gap = text.slice(start, Math.min(match, start + A_WORD)).search(/\s/);
  return gap === -1 ? start : start + gap + 1;
}

/** For a long text, the part around the first match: masking all of it would take longer than the search. */
function textNearMatch(text: string, wanted: readonly RegExp[], hide: (text: string) => string): string {
  if (text.length <= 2 * REACH) return hide(text);
  const at = firstMatch(fold(text), wanted) ?? 0;
  const part = hide(text.slice(Math.max(0, at - REACH), at + REACH));
  // The match was inside a secret. Show the text from its beginning, because the part may begin inside another secret.
  return firstMatch(fold(part), wanted) === null ? hide(text.slice(0, 2 * REACH)) : part;
}

function firstMatch(folded: string, wanted: readonly RegExp[]): number | null {
  const places = wanted.map((pattern) => folded.search(pattern)).filter((at) => at !== -1);
  return places.length === 0 ? null : Math.min(...places);
}

/** Sorted, without overlaps. */
function withoutOverlaps(matches: [number, number][]): [number, number][] {
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
