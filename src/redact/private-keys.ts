import type { Span } from "./named.ts";

/** The text that a private key block begins with. */
export const KEY_BLOCK = "-----BEGIN ";

/** Finds key blocks without a regular expression: a missing end must not be searched for again at every beginning. */
export function privateKeys(text: string): Span[] {
  const found: Span[] = [];
  let done = 0;
  let endsLeft = true;
  for (
    let at = text.indexOf(KEY_BLOCK);
    at !== -1;
    at = text.indexOf(KEY_BLOCK, Math.max(done, at + KEY_BLOCK.length))
  ) {
    const head = /^-----BEGIN [A-Za-z0-9 ]{0,40}(?:PRIVATE KEY|STATIC KEY(?: V1)?)(?: BLOCK)?-----/i.exec(
      text.slice(at, at + 90),
    )?.[0];
    if (head === undefined) continue;
    const end = endsLeft ? text.indexOf("-----END ", at + head.length) : -1;
    if (end === -1) endsLeft = false;
    // In a truncated block, everything that can still be key material is hidden.
    done = end === -1 ? keyMaterialEnd(text, at + head.length) : closing(text, end);
    // Source code that searches for keys contains the header line without key material.
    if (/[A-Za-z0-9+/]{16}/.test(text.slice(at + head.length, end === -1 ? done : end)))
      found.push({ start: at, end: done, kind: "private-key" });
  }
  return found;
}

function closing(text: string, end: number): number {
  const tail = /^-----END [A-Za-z0-9 ]{0,60}-----/.exec(text.slice(end, end + 90))?.[0];
  return end + (tail?.length ?? 0);
}

function keyMaterialEnd(text: string, from: number): number {
  const material = /[A-Za-z0-9+/=\s\\:,.-]*/y;
  material.lastIndex = from;
  return from + (material.exec(text)?.[0].length ?? 0);
}
