import type { Option } from "./brief.ts";

/** What a human's reply says about a brief. */
export type Reply =
  | { kind: "option"; option: Option; remark: string | null }
  /** A single letter the brief does not offer. */
  | { kind: "outside"; letter: string }
  | { kind: "other"; text: string }
  /** Words that choose no option. */
  | { kind: "words"; text: string }
  /** Names several options, refuses one, asks back or merely agrees: not taken as an answer. */
  | { kind: "unclear" };

// Long messages are new work, not a choice of an option: only their beginning is read.
const LONGEST = 4000;
/** In a longer reply a letter or the words of a label may appear by chance. */
const SHORT = 200;
const UNCLEAR: Reply = { kind: "unclear" };

const OTHER = /^other\s*[:—–-]\s*(\S[^]*)$/i;
const AGREES =
  /^(?:y|yes|yep|yeah|ok|okay|k|sure|fine|go|go ahead|go on|sounds good|do it|proceed|continue|next|thanks)[.!,\s]*$/i;
const REFUSES = /\b(?:not|no|never|don['’]?t|neither|nor|except|without|avoid|against|instead of|rather than)\b/i;
/** A remark may name another option as the rejected one: "A, not B", "A since B breaks the API". */
const SET_ASIDE = /\b(?:not|over|than|because|since|unlike)\s+(?:option\s+)?\(?[A-Z]\b/g;
const LEAD =
  /^(?:(?:i['’]?d (?:pick|take|choose|say|go with)|i (?:pick|choose|take|want|prefer)|let['’]?s (?:go with|do|take|pick)|go(?:ing)? with|choose|pick|take|yes|ok|okay)[\s,:]{1,3})?((?:option|choice|answer|letter)[\s:#]{1,3})?([("'`*[]{0,3})([A-Za-z])(?![\p{L}\p{N}_'’])([)"'`*\]]{0,3})/iu;
const SEPARATED = /^(?:\s*$|\s*[.,:;!](?:\s|$)|\s*\n|\s+[—–-]+(?:\s|$)|\s*[—–])/;
const GOES_ON =
  /^\s+(?:please|is|it is|looks|sounds|seems|works|because|since|thanks|then|for|if|as|with|but|though)\b/i;
const MORE_LETTERS = /^\s*(?:,|\/|&|\+|and\b|or\b|vs\b)\s*(?:option\s+)?\(?([A-Za-z])(?![\p{L}\p{N}_'’])/iu;

/** Matches a reply against the brief's own letters and labels; uncertain matches are rejected. */
export function matchReply(reply: string, options: readonly Option[], recommended: string | null): Reply {
  const text = reply.slice(0, LONGEST).trim();
  const other = OTHER.exec(text)?.[1];
  const same = options.filter((option) => normal(option.label) === normal(text));
  if (same.length > 0) return same.length === 1 && same[0] ? chosen(same[0], null) : UNCLEAR;
  if (other !== undefined && !options.some((option) => normal(option.label) === "other")) {
    return { kind: "other", text: other.trim() };
  }
  const lead = matchLeadingLetter(text, options);
  if (lead) return lead;
  if (text.length <= SHORT) {
    const named = matchNamedOption(text, options, recommended);
    if (named) return named;
  }
  return AGREES.test(text) || text.endsWith("?") ? UNCLEAR : { kind: "words", text };
}

function chosen(option: Option, remark: string | null): Reply {
  return { kind: "option", option, remark: remark === "" ? null : remark };
}

/** The reply begins with a letter that clearly names an option: "B", "(b)", "option B", "B - because …". */
function matchLeadingLetter(text: string, options: readonly Option[]): Reply | null {
  const match = LEAD.exec(text);
  if (!match) return null;
  const [all, word, open, letter = ""] = match;
  const rest = text.slice(all.length);
  const more = MORE_LETTERS.exec(rest)?.[1]?.toUpperCase();
  if (more !== undefined && options.some((option) => option.letter === more)) return UNCLEAR;
  const marked = (word ?? "") !== "" || (open ?? "") !== "";
  if (!SEPARATED.test(rest)) {
    // "A test first", "I would" and "a for loop" begin with a word; "A is fine" and "B please" begin with a letter.
    const isWord = /^[Ia-z]$/.test(letter) && !marked;
    if (isWord || !GOES_ON.test(rest) || REFUSES.test(rest.slice(0, SHORT))) return null;
  } else if (/^[Ii]$/.test(letter) && !marked && rest.trim() !== "") return null;
  const option = options.find((candidate) => candidate.letter === letter.toUpperCase());
  if (!option) return rest.trim() === "" ? { kind: "outside", letter: letter.toUpperCase() } : null;
  const others = lettersIn(rest.slice(0, SHORT).replace(SET_ASIDE, ""), options).met.filter((l) => l !== option.letter);
  return others.length > 0 ? UNCLEAR : chosen(option, rest.replace(/^[\s.,:;!—–-]+/, "").trim());
}

/** A short reply names exactly one option, by letter or by its label, and nothing in it speaks against that option. */
function matchNamedOption(text: string, options: readonly Option[], recommended: string | null): Reply | null {
  const { met, meant } = lettersIn(text, options);
  if (met.length > 0 && (REFUSES.test(text) || (meant.length > 0 && met.length > 1))) return UNCLEAR;
  const letter = options.filter((option) => meant.includes(option.letter));
  const named = new Set([...letter, ...labelsIn(text, options)]);
  if (named.size === 0) {
    const wanted = options.find((option) => option.label === recommended);
    if (!wanted || !/\brecommend(?:ed|ation)\b/i.test(text)) return null;
    named.add(wanted);
  }
  const [option] = named;
  if (named.size > 1 || !option || text.endsWith("?")) return UNCLEAR;
  // A negation inside the label itself ("Do not ship") does not refuse the option.
  if (REFUSES.test(text.toLowerCase().replace(option.label.toLowerCase(), ""))) return UNCLEAR;
  return chosen(option, meant.length > 0 || normal(text) === normal(option.label) ? null : text);
}

const LETTER = /(?<![\p{L}\p{N}_'’./-])(?:(option|choice)\s+)?(\(?)([A-Za-z])\)?(?![\p{L}\p{N}_'’/-])/giu;
const CHOOSING =
  /\b(?:think|guess|with|pick|choose|take|prefer|say|want|do|vote|for|it['’]?s|so|probably|definitely|answer|choice)(?:\s+is)?\s+$/i;

interface Letters {
  /** The brief's letters that stand alone anywhere in the text. */
  met: string[];
  /** Those that the surrounding words mark as a choice: "I think B", but not "write it in C". */
  meant: string[];
}

/** "A", "I" and lower-case letters count as words unless the context says otherwise. */
function lettersIn(text: string, options: readonly Option[]): Letters {
  const met = new Set<string>();
  const meant = new Set<string>();
  for (const match of text.matchAll(LETTER)) {
    const [all, word, open = "", letter = ""] = match;
    const before = text.slice(Math.max(0, match.index - 24), match.index);
    const after = text.slice(match.index + all.length);
    const marked = word !== undefined || open !== "" || all.endsWith(")");
    const led = CHOOSING.test(before);
    if (!marked && !/^[B-HJ-Z]$/.test(letter) && !(letter === "A" && led && /^\W*$/.test(after))) continue;
    const wanted = letter.toUpperCase();
    if (!options.some((option) => option.letter === wanted)) continue;
    met.add(wanted);
    const ownClause = /(?:^|[,.;:!—–-]\s*)$/.test(before) && (SEPARATED.test(after) || GOES_ON.test(after));
    if (marked || led || ownClause) meant.add(wanted);
  }
  return { met: [...met], meant: [...meant] };
}

/**
 * Options whose label appears in the reply: the first twelve characters of a long label suffice, a short one must match
 * whole.
 */
function labelsIn(text: string, options: readonly Option[]): Option[] {
  const said = ` ${normal(text)} `;
  const hits = options.filter((option) => {
    const label = normal(option.label);
    if (label.length >= 12) return said.includes(` ${label.slice(0, 12)}`);
    return label.length >= 4
      ? containsWord(said, label)
      : label !== "" && containsWord(said.slice(0, label.length + 2), label);
  });
  if (hits.length < 2) return hits;
  const whole = hits.filter((option) => containsWord(said, normal(option.label)));
  const longest = whole.filter((a) => whole.every((b) => normal(a.label).includes(normal(b.label))));
  return longest.length === 1 ? longest : hits;
}

function containsWord(said: string, label: string): boolean {
  return said.includes(` ${label} `);
}

function normal(text: string): string {
  return text
    .slice(0, LONGEST)
    .toLowerCase()
    .replace(/[\s"'`*_.,:;!?()[\]]+/g, " ")
    .trim();
}

export interface AddressedPart {
  ref: string;
  text: string;
}

const NAMED = /^D(\d{1,4}(?:\.(?:\d{1,4}|final|revise-\d{1,4})){0,3})\s*(?:[:=—–)-]|\s)\s*(\S.*)$/i;
const NUMBERED = /^(\d{1,4}(?:\.(?:\d{1,4}|final|revise-\d{1,4})){0,3})\s*[:=]\s*(\S.*)$/i;

/** Parts of a reply that name their brief: "3.2: B", "D1: A, D2: C". Empty if the reply names none. */
export function addressedParts(reply: string): AddressedPart[] {
  const out: AddressedPart[] = [];
  const parts = reply.slice(0, LONGEST).split(/\n|[;,](?=\s*D?\d{1,4}[.\w-]{0,20}\s*[:=—–-])/i);
  for (const part of parts) {
    const line = part.trim().replace(/^(?:[-*+]\s+|(?:and|for)\s+)/i, "");
    const match = NAMED.exec(line) ?? NUMBERED.exec(line);
    if (match) out.push({ ref: (match[1] ?? "").toLowerCase(), text: match[2] ?? "" });
  }
  return out;
}
