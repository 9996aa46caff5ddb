import { totalTokens } from "../../record/tokens.ts";
import type { TurnEvidence } from "../turn-evidence.ts";
import { inQuotes } from "./citations.ts";
import type { Problem } from "./problem.ts";
import type { Scope } from "./scope.ts";

/** A letter of a script with spaces between words: beside one, digits are part of a name. */
const LETTER =
  "[\\p{L}--[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}]]";
const UNIT = "%|k|K|M|ms|s|h|m|x|×|min|kB|KB|MB|GB";
/** Digits that are not part of a name: `utf8`, `v2`, `T0001`, `a1b2c3d`, `src/2.ts`. */
const DIGITS = new RegExp(
  `(?<!${LETTER}|[\\p{N}_.\\/:#@\\-])[\\-+$€£~≈<>]?(\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?|\\d+(?:\\.\\d+)*)(?=(${UNIT})?(?!${LETTER}|[\\p{N}_\\/]|[.\\-](?:${LETTER}|\\p{N})))`,
  "gv",
);

/** The digits of all scripts as those of ASCII. */
function asciiDigits(text: string): string {
  return text.replace(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    if (code < 0x80) return digit;
    // The ten digits of a script follow each other, beginning with its zero; some scripts are neighbours.
    let zero = code;
    while (/^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero--;
    return String((code - zero) % 10);
  });
}

/** The numbers that a text states. */
export function digitsIn(text: string): string[] {
  const dotted = asciiDigits(text).replace(COMMA, "$1.$2");
  return [...dotted.matchAll(DIGITS)].map(([, digits = ""]) => digits.replaceAll(",", ""));
}

/** Every number must be in the cited lines, or be one that Daybook itself has about these turns. */
export function numberProblems(
  text: string,
  scope: Scope,
  path: string,
  more: ReadonlySet<string> = new Set(),
): Problem[] {
  const said = digitsIn(text);
  if (said.length === 0) return [];
  const known = numbersIn(scope);
  const own = ownNumbers(scope.turns);
  const isKnown = (number: string): boolean => known.has(number) || own.has(number) || more.has(number);
  const unknown = said.filter((number) => !isKnown(number) && !isKnown(String(Number(number))));
  return [...new Set(unknown)].map((number) => ({
    rule: "number.unknown",
    path,
    message: `the number ${inQuotes(number)} does not stand in the cited lines and is none of Daybook's`,
    hint: "give only numbers of the cited lines or of the turn's facts, or say it without a number",
  }));
}

/** The numbers in the cited lines. Only whole numbers count: 12 is not in 120. */
function numbersIn(scope: Scope): Set<string> {
  const out = new Set<string>();
  for (const { lines } of scope.parts()) {
    for (const { by, text } of lines) {
      addNumbers(text, out);
      addMeasured(text, out);
      if (by === "human" || by === "agent") addListed(text, out);
    }
  }
  return out;
}

function addNumbers(said: string, out: Set<string>): void {
  const text = asciiDigits(said);
  for (const [digits] of text.matchAll(/\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)*/g)) {
    const plain = digits.replaceAll(",", "");
    out.add(plain);
    // 3.0 also counts as 3; the parts of a version are not numbers of their own.
    if (/^\d+\.\d+$/.test(plain)) out.add(String(Number(plain)));
  }
  for (const [, whole, part] of text.matchAll(COMMA)) out.add(`${whole}.${part}`);
}

/** Much of the world writes 7,1 for 7.1. */
const COMMA = /(?<![\d.,])(\d+),(\d{1,2})(?![\d,])/g;
const QUANTITY = /(?<![\d.,])(\d+\.\d+)\s?(?:%|ms\b|s\b|sec|min|h\b|x\b|×|[kKMG]B\b|k\b)/g;
const DURATION =
  /(?<![\w.])(?:(\d+)\s?h(?:ours?)?\s?)?(?:(\d+)\s?m(?:in(?:utes?)?)?)(?:\s?(\d+(?:\.\d+)?)\s?s(?:ec(?:onds?)?)?)?\b/g;

/** Measurements may be stated rounded: 31.8 s as 32, and 11m32s as 11.5 minutes. */
function addMeasured(text: string, out: Set<string>): void {
  for (const [, digits = ""] of text.matchAll(QUANTITY)) addRounded(Number(digits), out);
  for (const [, hours, minutes = "0", seconds = "0"] of text.matchAll(DURATION)) {
    const all = Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(seconds);
    for (const unit of [1, 60, 3600]) if (all >= unit) addRounded(all / unit, out);
  }
}

function addRounded(n: number, out: Set<string>): void {
  for (const digits of [0, 1]) out.add(String(Number(n.toFixed(digits))));
}

const BULLET = /^\s*(?:[-*•]|\d{1,2}[.)]|[A-H][.)])\s+\S/;
const ENUMERATION = /[:：]\s*([\p{L}\p{N}_`.-]+(?:\s?[,、]\s?[\p{L}\p{N}_`.-]+){2,})/gu;

/** Adds the lengths of lists that a human or an agent wrote. */
function addListed(text: string, out: Set<string>): void {
  let items = 0;
  for (const line of `${text}\n`.split("\n")) {
    if (BULLET.test(line)) items++;
    else if (items > 0 && line.trim() !== "" && !/^\s{2,}/.test(line)) {
      out.add(String(items));
      items = 0;
    }
  }
  if (items > 0) out.add(String(items));
  for (const [, list = ""] of text.matchAll(ENUMERATION)) out.add(String(list.split(/[,、]/).length));
}

/** Tokens, cost, calls, files, time and exit codes of the turns, individually and in total. */
export function ownNumbers(turns: readonly TurnEvidence[]): Set<string> {
  const out = new Set<string>();
  const add = (n: number | null | undefined): void => {
    if (n !== null && n !== undefined && Number.isFinite(n)) out.add(String(n));
  };
  const sums = { calls: 0, ok: 0, failed: 0, files: 0, tokens: 0, cost: 0, commits: 0, duration: 0 };
  for (const { view, calls, commits, agents } of turns) {
    for (const { exit_code } of [...calls, ...agents.flatMap((agent) => agent.calls)]) add(exit_code);
    sums.commits += commits.length;
    add(commits.length);
    if (!view) continue;
    const files = new Set((view.files ?? []).map((file) => file.path)).size;
    const { total, ok, failed } = view.tools;
    sums.calls += total;
    sums.ok += ok;
    sums.failed += failed;
    sums.files += files;
    sums.cost += view.usage.cost_usd ?? 0;
    sums.tokens += totalTokens(view.usage);
    sums.duration += view.duration_ms ?? 0;
    for (const n of [total, ok, failed, files, totalTokens(view.usage), totalTokens(view.usage_with_children)]) add(n);
    for (const n of [view.usage.input_tokens, view.usage.output_tokens, view.children?.length]) add(n);
    costs(view.usage.cost_usd, add, out);
    costs(view.usage_with_children.cost_usd, add, out);
    times(view.duration_ms, add);
  }
  for (const n of [sums.calls, sums.ok, sums.failed, sums.files, sums.tokens, sums.commits, turns.length]) add(n);
  costs(sums.cost, add, out);
  times(sums.duration, add);
  return out;
}

function costs(usd: number | null, add: (n: number | null) => void, out: Set<string>): void {
  if (usd === null) return;
  add(usd);
  out.add(usd.toFixed(2));
  add(Number(usd.toFixed(2)));
}

function times(ms: number | null, add: (n: number | null) => void): void {
  if (ms === null) return;
  for (const unit of [1, 1000, 60_000, 3_600_000]) {
    add(Math.round(ms / unit));
    add(Math.floor(ms / unit));
  }
}
