import type { Span } from "./named.ts";

/** The texts that blocks of keys begin and end with. SSH2 has four dashes and a space. */
export const KEY_SIGNS: readonly string[] = ["-----BEGIN ", "---- BEGIN ", "-----END ", "---- END "];

const KINDS = String.raw`[A-Za-z0-9 ]{0,40}(?:PRIVATE KEY|STATIC KEY(?: V1)?|SECRET KEY|NKEY SEED)(?: BLOCK)?`;
const HEAD = new RegExp(`-----BEGIN ${KINDS}-----|---- BEGIN ${KINDS} ----`, "gi");
const TAIL = new RegExp(`-----END ${KINDS}-----|---- END ${KINDS} ----`, "gi");
const ANY_END = /-----END [A-Za-z0-9 ]{0,60}-----|---- END [A-Za-z0-9 ]{0,60} ----|-----END |---- END /g;
const MATERIAL = /[A-Za-z0-9+/]{16}/;

/** All blocks of private keys, also with their beginning or their end cut off. */
export function privateKeys(text: string): Span[] {
  const found: Span[] = [];
  let done = 0;
  let endsLeft = true;
  HEAD.lastIndex = 0;
  for (let head = HEAD.exec(text); head; head = HEAD.exec(text)) {
    const body = HEAD.lastIndex;
    ANY_END.lastIndex = body;
    // A missing end must not be searched for again at every beginning.
    const tail = endsLeft ? ANY_END.exec(text) : null;
    if (!tail) endsLeft = false;
    // In a truncated block, everything that can still be key material is hidden.
    done = tail ? closing(tail) : keyMaterialEnd(text, body);
    HEAD.lastIndex = Math.max(done, body);
    // Source code that searches for keys contains the header line without key material.
    if (MATERIAL.test(text.slice(body, tail?.index ?? done)))
      found.push({ start: head.index, end: done, kind: "private-key" });
  }
  return [...found, ...keyTails(text, found)];
}

/** Only `-----END ` is not the whole end, and may be followed by anything. */
function closing({ index, 0: tail }: RegExpExecArray): number {
  return tail.endsWith("-") ? index + tail.length : index;
}

function keyMaterialEnd(text: string, from: number): number {
  const material = /[A-Za-z0-9+/=\s\\:,.-]*/y;
  material.lastIndex = from;
  return from + (material.exec(text)?.[0].length ?? 0);
}

/** Lines of Base64 before the end of a key whose beginning is not in the text. */
function keyTails(text: string, blocks: readonly Span[]): Span[] {
  const found: Span[] = [];
  let done = 0;
  let next = 0;
  for (const { index, 0: tail } of text.matchAll(TAIL)) {
    const end = index + tail.length;
    while ((blocks[next]?.end ?? Infinity) <= index) next++;
    if (index < (blocks[next]?.start ?? Infinity)) {
      const start = materialStart(text, index, done);
      if (MATERIAL.test(text.slice(start, index))) found.push({ start, end, kind: "private-key" });
    }
    done = end;
  }
  return found;
}

/** Where the lines of key material begin that end at `end`; not before `from`. */
function materialStart(text: string, end: number, from: number): number {
  let start = end;
  for (;;) {
    const line = /(?:^|\n|\\{1,7}n|[\s"'])([A-Za-z0-9+/=]{1,100}(?:\r?\n|\\{1,7}r?\\{0,7}n|\s){0,3})$/.exec(
      text.slice(Math.max(from, start - 130), start),
    )?.[1];
    if (line === undefined || (start !== end && !/[A-Za-z0-9+/=]{40}/.test(line))) return start;
    start -= line.length;
    // The first of a truncated text may be the rest of a line.
    if (start <= from) return from;
  }
}
