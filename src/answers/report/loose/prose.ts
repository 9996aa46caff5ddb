import { sentencesOf, type Sentence } from "./sentences.ts";
import {
  ASKED,
  COUNTED,
  DID_NOT,
  LEFT,
  MORE,
  MYSELF,
  NOT_MEANT,
  OFFERED,
  OFFERS,
  OPEN,
  PROMISED,
  SUBMITTED,
  SUPPOSED,
  UNABLE,
  UNDONE,
} from "./words.ts";

export type OpenStatementKind = "unfinished" | "request" | "promise";

/** What an agent's last message leaves open, in its own words. */
export interface OpenStatement {
  kind: OpenStatementKind;
  sentences: string[];
  /** The sentences joined, each preceded by the one before it where it would not say what it is about. */
  text: string;
  /** Says only how much is left, or that others must act (a pull request): no session will say when that is settled. */
  fleeting: boolean;
}

/** The turn a message belongs to: the same words mean something else when the human wanted it so. */
export interface MessageContext {
  /** The human's request. */
  prompt: string;
  /** The turn changed files or made commits. */
  changed: boolean;
}

/** Maximum number of sentences kept of one message. */
const MAX_SENTENCES = 3;
/** Questions and promises count only in this many last sentences. */
const LAST = 2;

/**
 * A message with more sentences explains something. Only its last `END` sentences count, and anywhere what the agent
 * says about itself or under a headline for open work.
 */
const LONG = 24;
const END = 10;

/** What the message leaves open; null when nothing is. */
export function leftOpen(message: string, doing: MessageContext): OpenStatement | null {
  const sentences = sentencesOf(message);
  const found = new Map<string, Kind>();
  const explains = !doing.changed && EXPLAIN.test(doing.prompt.trim());
  for (const [i, sentence] of sentences.entries()) {
    const toEnd = sentences.length - i;
    const near = !explains && (sentences.length <= LONG || toEnd <= END);
    const kind = kindOf(sentence, doing, { last: toEnd <= LAST, near });
    if (kind !== null) found.set(sentence.text, kind);
  }
  const kinds = new Set(found.values());
  const kind = (["unfinished", "request", "promise", "submitted"] as const).find((one) => kinds.has(one));
  if (kind === undefined) return null;
  const listed = [...found.keys()].slice(0, MAX_SENTENCES);
  const fleeting = kind === "submitted" || listed.every((text) => COUNTED.test(text) && !SAYS.test(text));
  const text = listed.map((one) => withSentenceBefore(one, sentences, listed)).join(" ");
  return { kind: kind === "submitted" ? "request" : kind, sentences: listed, text, fleeting };
}

const POINTS_BACK =
  /^(?:it|its|this|that|these|those|they|both|neither|es|das|dies\w*|sie|beide)\b|^.{0,45}\b(?:it|them|that)\b.{0,30}$|^\S+ \S+\?$/iu;

/** `It needs rotating too.` says nothing without the sentence before. */
function withSentenceBefore(sentence: string, all: readonly Sentence[], listed: readonly string[]): string {
  const before = all[all.findIndex(({ text }) => text === sentence) - 1];
  if (!before || !POINTS_BACK.test(sentence) || listed.includes(before.text)) return sentence;
  return `${before.text} ${sentence}`;
}

interface SentencePlace {
  /** Among the very last sentences. */
  last: boolean;
  /** Near enough to the end for statements about open work to count. */
  near: boolean;
}

type Kind = OpenStatementKind | "submitted";

function kindOf(sentence: Sentence, doing: MessageContext, place: SentencePlace): Kind | null {
  const { text, under } = sentence;
  if (isQuestion(text)) {
    return place.last && isOpenQuestion(text, doing) && !(under !== null && OFFERS.test(under)) ? "request" : null;
  }
  const kind = wordsOf(sentence, doing, place);
  // The remaining checks run only for the few sentences that matched.
  if (kind === null || (under !== null && OFFERS.test(under))) return null;
  return NOT_MEANT.test(text) || isForbidden(text, doing) ? null : kind;
}

function wordsOf({ text, under }: Sentence, doing: MessageContext, { last, near }: SentencePlace): Kind | null {
  if (under !== null && OPEN.test(under)) return isNone(text) ? null : "unfinished";
  if (says(DID_NOT, text) || says(UNABLE, text)) return "unfinished";
  if (near && [UNDONE, LEFT, COUNTED].some((words) => says(words, text)) && !isNone(text)) return "unfinished";
  if (near && says(ASKED, text)) return "request";
  if (last && says(PROMISED, text)) return "promise";
  return near && doing.changed && says(SUBMITTED, text) ? "submitted" : null;
}

/** Cache of the results for recent sentences: most are tested again at once, with another `changed`. */
const recentResults = new Map<string, Map<RegExp, boolean>>();
const MAX_RECENT = 256;

/** Whether the sentence states it as a fact, not as a condition. */
function says(words: RegExp, text: string): boolean {
  let known = recentResults.get(text);
  if (!known) {
    if (recentResults.size === MAX_RECENT) recentResults.clear();
    recentResults.set(text, (known = new Map<RegExp, boolean>()));
  }
  let isSaid = known.get(words);
  if (isSaid === undefined) {
    const found = words.exec(text);
    known.set(words, (isSaid = found !== null && !SUPPOSED.test(text.slice(0, found.index))));
  }
  return isSaid;
}

const SAYS = new RegExp([DID_NOT, UNDONE, UNABLE, LEFT, ASKED].map(({ source }) => source).join("|"), "iu");
/** Requests to explain, review or plan: their answers say what is missing without leaving anything undone. */
const EXPLAIN =
  /^\W*(?:(?:ok|okay|so|and|but|hm+|also|now|great|thanks|thx|nice|cool|hey|well|then|hi|und|gut|danke|please|can you|could you|pls)\b[,.! ]*){0,3}(?:why|what|whats|how|which|when|where|who|is|are|does|do|did|explain|review|analy[sz]e|summari[sz]e|describe|compare|assess|evaluate|audit|list|plan|propose|suggest|brainstorm|warum|wieso|was|wie|welche|erklär|prüf|vergleich|analysier|beschreib|plane|fass)\w*\b/iu;

function isQuestion(text: string): boolean {
  return /[?？]["'’”)\]*_`]{0,4}$/.test(text);
}

/** A question that merely offers more does not wait for an answer; one without whose answer nothing happens does. */
function isOpenQuestion(text: string, { changed }: MessageContext): boolean {
  if (NOT_MEANT.test(text)) return false;
  return !OFFERED.test(text) || !(changed || MORE.test(text));
}

/** `Nothing is left`, `no test fails any more`. */
function isNone(text: string): boolean {
  return /^(?:none|nothing|no (?!.{0,80}\byet\b)|keine?r?|nichts|无|なし|n\/a)\b|[:：]\s*(?:none|nothing|no|0|keine?|nichts)\b|\b(?:no|nothing|none|zero|0|without|keine?|nichts)\b[^.;]{0,30}\b(?:left|remains?|missing|open|outstanding|fails?|failing|offen|übrig|fehlt)\b/iu.test(
    text,
  );
}

/** Instructions not to do something: `don't push`, `without committing`, `nicht deployen`. */
const FORBIDS =
  /\b(?:don['’]?t|do not|dont|never|no|without|not?)\b(?: \w+){0,2}? (push|commit|deploy|run|test|merge|chang|implement|install|release|publish|writ|edit|touch|modif)\w*|\b(?:nicht|ohne|kein\w*)\b(?: \w+){0,3}? (push|commit|deploy|test|merge|änder|umsetz|implementier|install|veröffentlich|schreib)\w*/giu;

/** Whether the human forbade what was left undone. */
function isForbidden(text: string, { prompt }: MessageContext): boolean {
  for (const [, english, german] of prompt.slice(0, 4000).matchAll(FORBIDS)) {
    const deed = (english ?? german ?? "").toLowerCase();
    if (deed !== "" && text.toLowerCase().includes(deed)) return true;
  }
  return false;
}

const FAILURE =
  /\bfail(?:s|ed|ing|ure)?\b|\berrors?\b|\bexpired\b|\bnot (?:installed|found|available|reachable)\b|\btimed? ?out\b|\bblocked\b|\brejected\b|\brefused\b|\bdenied\b|\bunavailable\b|\bmissing\b|\bfehlgeschlagen\b|\bFehler\b|\babgelaufen\b|\bverweigert\b|失败|失敗|エラー|échou|falló|falhou/iu;
const ASKS_WHY =
  /\?\s*$|^\W*(?:why|what|whats|how|is|are|does|do|did|can|could|which|when|where|who|explain|check|investigate|look|see|debug|warum|wieso|weshalb|was|wie|ist|sind|kann|schau|prüf)\b/iu;

function isFailure(text: string): boolean {
  return FAILURE.test(text) || says(UNABLE, text) || says(DID_NOT, text);
}

/**
 * The sentence by which a message says that what was asked for did not work; null when only an explanation was asked
 * for.
 */
export function saysItFailed(message: string, prompt: string): string | null {
  if (ASKS_WHY.test(prompt.trim())) return null;
  const sentence = sentencesOf(message).find(({ text }) => isFailure(text) && !NOT_MEANT.test(text) && !isNone(text));
  return sentence?.text ?? null;
}

/** The sentence in which the human says that they will do the rest themselves; null when there is none. */
export function takenOver(words: string): string | null {
  const [found] = words
    .slice(0, 2000)
    .split(/(?<=[.!?\n])\s*/)
    .filter((sentence) => MYSELF.test(sentence));
  return found?.trim() ?? null;
}
