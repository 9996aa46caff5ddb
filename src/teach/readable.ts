import { readFileSync } from "node:fs";
import { withoutMarkers } from "../turns/decisions/brief.ts";
import { DATA } from "../places.ts";

/** A text that is longer than this, in characters, is not read. */
const LONGEST = 20_000;

let words: ReadonlySet<string> | null = null;

/** Common words of English (data/README.md says where they come from), read when first needed. */
function english(): ReadonlySet<string> {
  return (words ??= new Set(readFileSync(new URL("english-words.txt", DATA), "utf8").split("\n")));
}

/**
 * Whether the hook can read this text. It knows what cannot be undone in the words of one language, English, so a text in
 * any other language, in a disguise, or too long to look at says nothing to it, and has to be shown to the person. One
 * unknown word suffices: it may be the one that matters. `names`: words that belong to the question, from its id.
 */
export function isReadable(text: string, names: ReadonlySet<string> = new Set()): boolean {
  if (text.length > LONGEST || UNREAD.test(text) || ENCODED.test(text) || SPELT.test(text)) return false;
  const said = withoutMarkers(text)
    .replace(ENDINGS, "")
    .replace(/([a-z])(?=[A-Z])/g, "$1 ")
    .toLowerCase();
  const found = said.match(/[a-z]+(?:'[a-z]+)?/g) ?? [];
  const known = english();
  return found.every((word) => word.length === 1 || known.has(word) || names.has(word));
}

/** Everything but plain typing: symbols can be letters in disguise (circled, braille, flags) or pictures of an act. */
const UNREAD = /[^\p{ASCII}\s–—‘’“”…•·→←⇒≤≥±×°€£«»]/u;
/** Letters as numbers (`&#68;`, `%44`, `\x44`), and letters among digits (`d3l3te`). */
const ENCODED = /&#?\w{1,8};|%[0-9a-f]{2}|\\[xu][0-9a-f]{2}|[a-z]\d[a-z]|[a-z][@$|][a-z]/i;
/** One letter after another: `d e l e t e`, `d.e.l.e.t.e`. */
const SPELT = /(?<![a-z0-9'])(?:[a-z][^a-z0-9]{1,3}){3,}[a-z](?![a-z0-9])/i;
/** Usual endings of file names are no words; the names before them are. */
const ENDINGS = /(?<=\w)\.(?:md|txt|json|ya?ml|toml|[jt]sx?|py|rs|go|rb|java|c|h|cpp|css|html|sql|sh|lock)\b/g;

/** Whether a text says anything in words: a label `1` leaves open what it does. */
export function hasWords(text: string): boolean {
  return /[a-z]{2}/i.test(text);
}
