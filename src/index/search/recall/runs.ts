import { stopwords as japaneseStops } from "@orama/stopwords/japanese";
import { stopwords as chineseStops } from "@orama/stopwords/mandarin";
import { isRun, RUN } from "../terms.ts";
import { isTradeWord, LONGEST_RUN } from "./trade-words.ts";

const STOPS: ReadonlySet<string> = new Set([
  ...japaneseStops,
  ...chineseStops,
  ..."何 誰 いつ どこ なぜ どう 理由 什么时候 为什么 怎么 哪个 哪里 原因 时候 我们 私たち".split(" "),
]);
const KANA = /\p{Script=Hiragana}|\p{Script=Katakana}/u;
const ONLY_HIRAGANA = /^\p{Script=Hiragana}+$/u;

/** Splits a typed word where it changes to or from a script without spaces, and splits those parts into words. */
export function cutRuns(text: string): string[] {
  if (!isRun(text)) return [text];
  const parts: string[] = [];
  let from = 0;
  for (const run of text.matchAll(RUN)) {
    if (run.index > from) parts.push(text.slice(from, run.index));
    parts.push(...wordsOf(run[0]));
    from = run.index + run[0].length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

/** Splits at known technical terms first; the rest is segmented by the rules of the language. */
function wordsOf(run: string): string[] {
  const found: string[] = [];
  let rest = "";
  for (let at = 0; at < run.length;) {
    const known = knownAt(run, at);
    if (known === null) rest += run[at++] ?? "";
    else {
      found.push(...segments(rest), known);
      rest = "";
      at += known.length;
    }
  }
  return [...found, ...segments(rest)];
}

function knownAt(run: string, at: number): string | null {
  for (let length = Math.min(LONGEST_RUN, run.length - at); length > 1; length--) {
    const text = run.slice(at, at + length);
    if (isTradeWord(text)) return text;
  }
  return null;
}

const segmenters = new Map<string, Intl.Segmenter>();

function segments(text: string): string[] {
  if (text === "") return [];
  const locale = KANA.test(text) ? "ja" : "zh";
  let segmenter = segmenters.get(locale);
  if (!segmenter) segmenters.set(locale, (segmenter = new Intl.Segmenter(locale, { granularity: "word" })));
  return [...segmenter.segment(text)]
    .map(({ segment }) => segment)
    .filter((word) => [...word].length > 1 && !STOPS.has(word) && !ONLY_HIRAGANA.test(word));
}
