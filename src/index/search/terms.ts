import { wordsIn } from "../words/letters.ts";
import type { Phrase } from "../words/match.ts";

/**
 * Scripts written without spaces, or with suffixes attached. SQLite splits only at spaces, so runs of these characters
 * are indexed as overlapping pairs.
 */
export const RUN: RegExp =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc\uff70]+/gu;
/** A plain range around all of those: several times faster than testing for scripts, and most texts contain none. */
const NEAR =
  /[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u19e0-\u19ff\u2e80-\u9fff\ua960-\ua97f\ua9e0-\ua9ff\uaa60-\uaa7f\uac00-\udfff\uf900-\ufaff\uff66-\uffdc]+/g;
const HAS_RUN =
  /[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uffdc]|[\u{20000}-\u{3ffff}]/u;
/** Combining marks: some systems write one letter as two characters. */
const SPLIT = /[\u0300-\u036f\u3099\u309a]/;

/** A longer query is pasted text; its beginning says what was meant. */
const MOST_TERMS = 64;
const LONGEST = 1000;

/** The text as it is put into the index. */
export function toIndexText(text: string): string {
  // Most texts are ASCII, and this test takes a hundredth of the time of the search below.
  if (Buffer.byteLength(text) === text.length) return text;
  const whole = SPLIT.test(text) ? text.normalize("NFC") : text;
  return whole.replace(NEAR, (near) => near.replace(RUN, (run) => ` ${pairs(run).join(" ")} `));
}

/** `数据库` → `数据 据库 库`: two characters match anywhere, one matches by prefix, more match as a phrase. */
function pairs(run: string): string[] {
  const chars = [...run];
  return chars.map((c, i) => c + (chars[i + 1] ?? ""));
}

interface Term {
  text: string;
  prefix: boolean;
}

/** Parses a query: words, "phrases", prefix*. Anything without a letter or digit is ignored. */
function termsOf(query: string): Term[] {
  // SQLite ends a string at NUL; other control characters have no meaning either.
  const clean = query.replace(/\p{Cc}/gu, " ").normalize("NFC");
  const terms: Term[] = [];
  for (const match of clean.matchAll(/"([^"]*)"|(\S+)/g)) {
    const word = match[2] ?? "";
    const prefix = match[1] === undefined && word.endsWith("*");
    const text = (match[1] ?? (prefix ? word.slice(0, -1) : word)).slice(0, LONGEST);
    if (/[\p{L}\p{N}]/u.test(text)) terms.push({ text, prefix });
    if (terms.length === MOST_TERMS) break;
  }
  return terms;
}

/** The terms of the query, each as an FTS expression. Everything is quoted, so no character is syntax. */
export function termExpressions(query: string): string[] {
  return [...new Set(termsOf(query).map(quoted))];
}

/** The terms of the query; a text must contain all of them. */
export function phrasesOf(query: string): Phrase[] {
  return termExpressions(query)
    .map(phraseIn)
    .filter(({ words }) => words.length > 0);
}

function phraseIn(expression: string): Phrase {
  return { words: wordsIn(expression), isPrefix: expression.endsWith("*") };
}

/** As an FTS expression. */
export function toMatchExpression(phrases: readonly Phrase[]): string {
  return phrases.map(({ words, isPrefix }) => `"${words.join(" ")}"${isPrefix ? "*" : ""}`).join(" AND ");
}

function quoted({ text, prefix }: Term): string {
  let open = prefix;
  const words = text.replace(RUN, (run: string, at: number) => {
    const isLast = !/[\p{L}\p{N}]/u.test(text.slice(at + run.length));
    const cut = pairs(run);
    // The text may continue where the query ends: its last character then begins a pair there, and is a word of its own
    // only at the end of a run.
    if (isLast && cut.length > 1) cut.pop();
    else if (isLast) open = true;
    return ` ${cut.join(" ")} `;
  });
  return `"${words.trim().replaceAll('"', '""')}"${open ? "*" : ""}`;
}

/** One word, or several that follow each other. */
export function phraseOf(text: string, isPrefix: boolean): Phrase {
  return phraseIn(quoted({ text, prefix: isPrefix }));
}

/** Whether a text uses a script that is written without spaces. */
export function isRun(text: string): boolean {
  return HAS_RUN.test(text);
}

/** One pattern per term of the query, to be matched against folded text. */
export function termPatterns(query: string): RegExp[] {
  return termsOf(query).map(({ text, prefix }) => {
    const parts = fold(text).match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
    const first = parts[0] ?? "";
    const last = parts.at(-1) ?? "";
    const before = HAS_RUN.test(first) ? "" : "(?<![\\p{L}\\p{N}])";
    const after = prefix || HAS_RUN.test(last) ? "" : "(?![\\p{L}\\p{N}])";
    return new RegExp(`${before}${parts.join("[^\\p{L}\\p{N}]+")}${after}`, "gu");
  });
}

/** Removes case and accents, character by character, so that offsets in the folded text are offsets in the text. */
export function fold(text: string): string {
  // oxlint-disable-next-line no-control-regex -- the range is all that is not ASCII
  return /^[\x00-\x7f]*$/.test(text) ? text.toLowerCase() : text.replace(/[A-Z\u0080-\uffff]/g, foldOne);
}

/** Texts use the same few characters again and again. */
const foldedUnits = new Map<string, string>();

function foldOne(unit: string): string {
  let folded = foldedUnits.get(unit);
  if (folded === undefined) foldedUnits.set(unit, (folded = withoutMarks(unit)));
  return folded;
}

function withoutMarks(unit: string): string {
  const lower = unit.toLowerCase();
  const bare = lower.normalize("NFD").replace(/[\u0300-\u036f]/g, "");
  return bare.length === 1 ? bare : lower.length === 1 ? lower : unit;
}
