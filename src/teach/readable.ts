import { readFileSync } from "node:fs";
import { withoutMarkers } from "../turns/decisions/brief.ts";
import { DATA } from "../places.ts";

/** A text that is longer than this, in characters, is not read. */
const LONGEST = 20_000;
/** So many words of a text say little by their share alone: each of them has to be known. */
const FEW_WORDS = 4;
/** The share of unknown words in a longer text: names of things in the project. */
const MAX_UNKNOWN = 0.2;

let words: ReadonlySet<string> | null = null;

/** Common words of English (data/README.md says where they come from), read when first needed. */
function english(): ReadonlySet<string> {
  return (words ??= new Set(readFileSync(new URL("english-words.txt", DATA), "utf8").split("\n")));
}

/**
 * Whether the hook can read this text. It knows what cannot be undone in the words of one language, English, so a text in
 * any other language, in a disguise, or too long to look at says nothing to it, and has to be shown to the person.
 */
export function isReadable(text: string): boolean {
  if (text.length > LONGEST || /[^\p{ASCII}\p{S}\p{P}\s]/u.test(text)) return false;
  const said =
    withoutMarkers(text)
      .replace(FILE_NAMES, " ")
      .toLowerCase()
      .match(/[a-z]+(?:'[a-z]+)?/g) ?? [];
  const known = english();
  const unknown = said.filter((word) => word.length > 1 && !known.has(word)).length;
  return unknown <= (said.length <= FEW_WORDS ? 0 : said.length * MAX_UNKNOWN);
}

/** Names of files with a usual ending: no words. */
const FILE_NAMES =
  /(?<![\w.-])[\w-]+\.(?:md|txt|json|ya?ml|toml|[jt]sx?|py|rs|go|rb|java|c|h|cpp|css|html|sql|sh|lock)\b/g;
