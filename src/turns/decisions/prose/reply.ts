import { contentOf, has, isOf, lastOr, offersWork, ordinalOf, shared, wordsOf } from "./words.ts";

/** One of the ways an agent's reply leaves open. */
export interface Alternative {
  /** `a` of `a)`, `2` of `Option 2`; null in a list without labels and in `A or B`. */
  label: string | null;
  text: string;
}

/** What the end of a reply asks of its reader. */
export interface AgentReply {
  /** The end of the text; nothing before it is answered by a short prompt. */
  text: string;
  sentences: string[];
  /** The last question, if the reply ends with one. */
  question: string | null;
  alternatives: Alternative[];
  /** Position of the alternative the agent speaks for. */
  recommended: number | null;
}

const LONGEST = 4000;
const LONGEST_LINE = 1000;
const MOST_ALTERNATIVES = 9;

const QUESTION = /(?:[?？؟⸮՞]|(?:か|까요|니까)[。.]?)["'»”’)*_\s]*$/u;

/** Reads the end of a reply. Fenced code says nothing of what is asked. */
export function readReply(whole: string): AgentReply {
  const text = whole
    .replace(/(?:```|~~~)[^]*?(?:```|~~~|$)/g, "\n")
    .slice(-LONGEST)
    .trim();
  const lines = text.split("\n").map((line) => line.slice(0, LONGEST_LINE).trim());
  const list = lastList(lines);
  const after = sentencesOf(list ? lines.slice(list.end) : lines);
  const intro = list ? sentencesOf(lines.slice(Math.max(0, list.start - 3), list.start)) : [];
  const tail = after.slice(-3);
  const question = tail.findLast(isQuestion) ?? intro.findLast(isQuestion) ?? null;
  const sentences = list
    ? [...sentencesOf(lines.slice(0, list.start)), ...list.items.map((item) => item.text), ...after]
    : after;
  if (list && isChoice(list, question, after)) {
    const recommended = spokenFor(list.items, after);
    return { text, sentences, question, alternatives: list.items, recommended };
  }
  const either = eitherOr(sentences, question);
  const rest = either ? sentences.slice(either.at + 1) : [];
  return {
    text,
    sentences,
    question,
    alternatives: either?.alternatives ?? [],
    recommended: either ? spokenFor(either.alternatives, rest) : null,
  };
}

/**
 * Whether a list offers ways rather than tells facts: its items have letters or a heading with their number, or a
 * question asks which of them, or the agent speaks for one by its number.
 */
function isChoice({ items, isHeaded }: List, question: string | null, after: readonly string[]): boolean {
  if (isHeaded || items.every(({ label }) => label !== null && !/^\d/.test(label))) return true;
  if (question !== null && (asksWhich(question) || !offersWork(question))) return true;
  return (
    items.every(({ label }) => label !== null) &&
    after.some((sentence) => !isQuestion(sentence) && placesIn(items, sentence).size === 1)
  );
}

export function asksWhich(question: string): boolean {
  return has(wordsOf(question), "which");
}

export function isQuestion(sentence: string): boolean {
  return QUESTION.test(sentence);
}

/** Sentences of lines of text; a line ends one. */
export function sentencesOf(lines: readonly string[]): string[] {
  return lines
    .flatMap((line) => line.split(/(?<=[.!?؟…]["'»”’)*_]{0,3})\s+|(?<=[。！？])/u))
    .map((sentence) => sentence.replace(/^[>#*_\s-]+(?=\S)/, "").trim())
    .filter((sentence) => sentence !== "");
}

interface List {
  items: Alternative[];
  /** Its items have a word in common before their number: `Option 1`, `Option 2`. */
  isHeaded: boolean;
  start: number;
  end: number;
}

interface Item {
  label: string | null;
  head: string;
  text: string;
}

const DECORATED = /^(?:[>\s]|[-+•–]\s|#{1,6}\s)*(?:\*\s+)?/;
const LABELLED = /^[*_]{0,2}\(?([A-Za-z]|\d{1,2})\s?(?:[.):：、．]|️?⃣)[):]?[*_]{0,2}[:：]?\s*(\S.*)$/u;
const BOLD_LABEL = /^[*_]{1,2}\(?([A-Za-z]|\d{1,2})\)?[*_]{1,2}\s*[:：—–-]?\s*(\S.*)$/u;
const HEADED =
  /^[*_]{0,2}(\p{L}[\p{L}\p{M}]{2,14}|[\p{Script=Han}]{2,4})\s?#?(\d|[A-Z]|[一二三四五六])[*_]{0,2}\s?[.):：—–-][*_]{0,2}\s*(\S.*)$/u;
/** A heading of its own for each way; what is said about it stands below. */
const HEADING = /^#{1,6}\s/;
const BULLET = /^\s*[-*+•–]\s+(\S.*)$/u;
const HAN_DIGITS = "一二三四五六";

function itemOf(line: string): Item | null {
  const plain = line.replace(DECORATED, "");
  const headed = HEADED.exec(plain);
  if (headed) {
    const [, head = "", number = "", text = ""] = headed;
    const han = HAN_DIGITS.indexOf(number);
    return { label: (han === -1 ? number : String(han + 1)).toLowerCase(), head: head.toLowerCase(), text };
  }
  const labelled = LABELLED.exec(plain) ?? BOLD_LABEL.exec(plain);
  if (labelled) return { label: (labelled[1] ?? "").toLowerCase(), head: "", text: labelled[2] ?? "" };
  const bullet = BULLET.exec(line);
  return bullet ? { label: null, head: "-", text: bullet[1] ?? "" } : null;
}

/** The last list of the text with two to nine items; written in one line it counts as well: `a) this, b) that`. */
function lastList(lines: readonly string[]): List | null {
  let best: List | null = null;
  let items: Item[] = [];
  let start = 0;
  let end = 0;
  const close = (): void => {
    if (items.length >= 2 && items.length <= MOST_ALTERNATIVES) {
      const isHeaded = items.every(({ head }) => head.length > 1);
      best = { items: items.map(({ label, text }) => ({ label, text: unmarked(text) })), isHeaded, start, end };
    }
    items = [];
  };
  for (const [at, line] of lines.entries()) {
    const inline = line === "" ? null : inlineList(line);
    const item = inline ? null : itemOf(line);
    if (inline) {
      close();
      best = { items: inline, isHeaded: false, start: at, end: at + 1 };
    } else if (item && goesOn(items, item)) {
      items.push(item);
      end = at + 1;
    } else if (item && isFirst(item)) {
      close();
      items = [item];
      [start, end] = [at, at + 1];
    } else if (line !== "" && items.length > 0 && lines[at - 1] === "" && !HEADING.test(lines[start] ?? "")) close();
    // A line right below an item goes on with it.
    else if (line !== "" && items.length > 0) end = at + 1;
  }
  close();
  return best;
}

function isFirst({ label }: Item): boolean {
  return label === null || label === "a" || label === "1";
}

function goesOn(items: readonly Item[], next: Item): boolean {
  const last = items.at(-1);
  if (!last || last.head !== next.head) return false;
  if (last.label === null || next.label === null) return last.label === next.label;
  return next.label === following(last.label);
}

function following(label: string): string {
  return /^\d/.test(label) ? String(Number(label) + 1) : String.fromCharCode(label.charCodeAt(0) + 1);
}

const INLINE = /(?:^|[\s,;:(（])\(?([a-eA-E1-5])\)\s+/g;

function inlineList(line: string): Alternative[] | null {
  const marks = [...line.matchAll(INLINE)];
  const labels = marks.map(([, label = ""]) => label.toLowerCase());
  const [first] = labels;
  if (labels.length < 2 || (first !== "a" && first !== "1")) return null;
  if (labels.some((label, i) => i > 0 && label !== following(labels[i - 1] ?? ""))) return null;
  return marks.map((mark, i) => ({
    label: labels[i] ?? null,
    text: unmarked(line.slice(mark.index + mark[0].length, marks[i + 1]?.index)),
  }));
}

function unmarked(text: string): string {
  return text.replace(/[*_`]{1,3}/g, "").trim();
}

/** `A or B` in one of the last sentences: both sides of the word for "or". */
function eitherOr(
  sentences: readonly string[],
  question: string | null,
): { alternatives: Alternative[]; at: number } | null {
  const first = Math.max(0, sentences.length - (question === null ? 3 : 5));
  for (let at = sentences.length - 1; at >= first; at--) {
    const sentence = sentences[at] ?? "";
    // Beside a question that asks something else, and without any, "a or b" offers a choice only where both are marked as
    // names of something.
    const isAsked = question !== null && (sentence === question || asksWhich(question) || !offersWork(question));
    if (!isAsked && (sentence.match(/\*\*[^*]+\*\*/g) ?? []).length < 2) continue;
    const alternatives = sidesOf(sentence);
    if (alternatives) return { alternatives, at };
  }
  return null;
}

function sidesOf(sentence: string): Alternative[] | null {
  const plain = unmarked(sentence);
  // Each word with where it stands; scripts without spaces have the word for "or" inside a run.
  const runs = [...plain.matchAll(/[\p{L}\p{M}\p{N}'’]+/gu)];
  const words = runs.map(([run]) => wordsOf(run)[0] ?? "");
  const or = lastOr(words);
  const [first, last] = or ? [runs[or.at], runs[or.at + or.words - 1]] : [];
  if (!or || !first || !last) return null;
  const { inside } = or;
  const cut = first.index + (inside === null ? 0 : first[0].indexOf(inside));
  const end = inside === null ? last.index + last[0].length : cut + inside.length;
  const sides = [plain.slice(0, cut), plain.slice(end)].map((side) => clauseOf(side));
  const [left = "", right = ""] = sides;
  if (left === "" || right === "") return null;
  const isAlike = contentOf(left, 2).length > 0 && contentOf(right, 2).length > 0;
  return isAlike ? [left, right].map((text) => ({ label: null, text })) : null;
}

function clauseOf(side: string): string {
  return side.replace(/^[\s,;:—–-]+|[\s,;:?？؟.。—–-]+$/gu, "");
}

/** The one alternative that what follows the list speaks of, by its label, its place or its words. */
function spokenFor(items: readonly Alternative[], after: readonly string[]): number | null {
  for (const sentence of after) {
    const places = placesIn(items, sentence);
    const named = places.size > 0 ? places : new Set(namedIn(items, sentence));
    const [only] = named;
    if (named.size === 1 && only !== undefined && !isQuestion(sentence)) return only;
  }
  const marked = items.flatMap(({ text }, at) =>
    /[([]\s*(?:recommended|empfohlen|recommandé|recomendad[oa]|consigliat[oa]|推荐|推奨|추천|рекоменд\p{L}*)[^)\]]*[)\]]/iu.test(
      text,
    )
      ? [at]
      : [],
  );
  return marked.length === 1 ? (marked[0] ?? null) : null;
}

/** The alternatives that a sentence names by label or ordinal. */
function placesIn(items: readonly Alternative[], sentence: string): Set<number> {
  const words = wordsOf(sentence);
  const byLabel = items.flatMap(({ label }, at) =>
    label !== null && words.includes(label) && !/\d/.test(label) && isCapital(sentence, label) ? [at] : [],
  );
  const byNumber = [...sentence.matchAll(/(?:\p{L}{3,}\s?|[#(])(\d)(?![\p{L}\p{N}.])/gu)].map(([, n]) => Number(n) - 1);
  const byPlace = words.flatMap((word) => (isOf(word, "picking") ? [] : (ordinalOf(word) ?? [])));
  return new Set([...byLabel, ...byNumber, ...byPlace].filter((place) => place >= 0 && place < items.length));
}

/** `A`, but not `a`, is the name of an alternative in running text. */
function isCapital(sentence: string, label: string): boolean {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${label.toUpperCase()}|[("\`*]${label})(?![\\p{L}\\p{N}'’])`, "u").test(
    sentence,
  );
}

/** Alternatives with a word in the text that no other alternative has. */
export function namedIn(items: readonly Alternative[], text: string): number[] {
  const said = contentOf(text, 2);
  const own = items.map(({ text: of }) => contentOf(of, 2));
  return own.flatMap((words, at) => {
    const others = own.flatMap((list, k) => (k === at ? [] : list));
    const unique = words.filter((word) => shared([word], others).length === 0);
    return shared(unique, said).length > 0 ? [at] : [];
  });
}
