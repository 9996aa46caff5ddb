/** A part of a snippet: a match, or the text between two matches. */
export interface SnippetPart {
  text: string;
  isHit: boolean;
}

/** Splits a snippet at its matches, given as offsets in ascending order. */
export function snippetParts(
  snippet: string,
  matches: readonly (readonly [start: number, end: number])[],
): SnippetPart[] {
  const parts: SnippetPart[] = [];
  let at = 0;
  for (const [start, end] of matches) {
    if (start < at || end <= start) continue;
    if (start > at) parts.push({ text: snippet.slice(at, start), isHit: false });
    parts.push({ text: snippet.slice(start, end), isHit: true });
    at = end;
  }
  if (at < snippet.length) parts.push({ text: snippet.slice(at), isHit: false });
  return parts;
}
