import { hashOf, learned } from "../../../base/text/learned.ts";

/** What was learned about such sentences. */
export const SAID_OPEN = "said-open.json";
/** Number of weights for parts of words and words; a power of two. */
export const BUCKETS = 32_768;
/** Characters of a sentence that are looked at. */
const LONGEST = 400;

/**
 * What a sentence is made of, as buckets of parts of words (2 to 5 characters) and of runs of words (1 to 3), hashed. No
 * language is known: scripts without spaces are told by their characters.
 */
export function partsOf(sentence: string): Set<number> {
  const text = normalOf(sentence);
  const found = new Set<number>();
  const add = (kind: string, part: string): void => {
    found.add(hashOf(`${kind}${part}`) % BUCKETS);
  };
  const words = text.split(" ").filter((word) => word !== "");
  for (const word of words) for (const bucket of bucketsOf(word)) found.add(bucket);
  for (let length = 1; length <= 3; length++)
    for (let at = 0; at + length <= words.length; at++) add("w", words.slice(at, at + length).join(" "));
  // How it begins and ends says whether it asks, lists or tells.
  add("b", words.slice(0, 2).join(" "));
  add("e", words.slice(-1).join(" "));
  add("f", formOf(sentence));
  return found;
}

/** Of words seen before: sentences repeat them. */
const known = new Map<string, readonly number[]>();
const MOST_KNOWN = 20_000;

/** The buckets of the parts of a word. */
function bucketsOf(word: string): readonly number[] {
  let buckets = known.get(word);
  if (buckets) return buckets;
  const bounded = [...`^${word}$`];
  const parts: number[] = [];
  for (let length = 2; length <= 5; length++)
    for (let at = 0; at + length <= bounded.length; at++)
      parts.push(hashOf(`c${bounded.slice(at, at + length).join("")}`) % BUCKETS);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(word, (buckets = parts));
  return buckets;
}

/** Without what differs between projects: names in code, numbers and paths become signs for themselves. */
function normalOf(sentence: string): string {
  return sentence
    .slice(0, LONGEST)
    .toLowerCase()
    .replace(/`[^`]{0,200}`/g, " `c` ")
    .replace(/(?<![\p{L}\d])[\w.-]*[/\\][\w./\\-]*/gu, " `p` ")
    .replace(/\d[\d.,:]*/g, "0")
    .replace(/([.,;:!?()[\]"“”„«»—–…。、，；：！？（）「」*✅⚠❌#>-])/gu, " $1 ")
    .replace(/\s+/g, " ")
    .trim();
}

/** Length, list mark and final mark. */
function formOf(sentence: string): string {
  const size = Math.min(6, Math.floor(Math.log2(1 + sentence.length / 8)));
  const mark = /^\s*[-*•]\s*\[ \]/.test(sentence) ? "t" : /^\s*[-*•\d]/.test(sentence) ? "l" : "s";
  return `${size}${mark}${/[?？؟]\s*$/.test(sentence) ? "?" : ""}`;
}

/** The log-odds that the sentence says something is open or hands a step over. */
export function saysOpen(sentence: string): number {
  const parts = partsOf(sentence);
  const { bias, step, weights } = learned(SAID_OPEN);
  let sum = 0;
  for (const part of parts) sum += weights[part] ?? 0;
  return bias + (sum * step) / Math.sqrt(parts.size);
}
