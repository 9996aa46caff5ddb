import { hashOf, learned, oddsOf } from "../../../base/text/learned.ts";
import { isShort, readAnswer, sentenceWith, type ShortAnswer } from "./answer.ts";
import { type AgentReply, asksWhich, isQuestion, readReply, sentencesOf } from "./reply.ts";
import { contentOf, has, isWorkflow, lengthAt, offersWork, shared, wordsOf } from "./words.ts";

/** What was learned about what a prompt decides. */
export const DECIDES = "decides.json";
/** Number of weights; a power of two. */
export const BUCKETS = 16_384;
/** What a sign of structure weighs beside a part of a word: there are few of them, and they hold in any language. */
const STRUCTURE = 3;

/** Characters of a prompt and of the end of a reply whose letters are looked at. */
const LONGEST_PROMPT = 240;
const LONGEST_END = 260;
const CLASSES = [
  "assent",
  "refusal",
  "negation",
  "negation_inside",
  "later",
  "only",
  "instead",
  "standing",
  "settling",
  "without",
  "workflow",
] as const;

/** The least log-odds with which a prompt counts as one that decides. */
const LEAST = 1.4;
/** The same where the rules say so as well. */
const LEAST_BY_RULE = -1;

/**
 * What a prompt decides after a reply: by rules, which tell what it picks or refuses, and by what was learned of how
 * prompts that decide look. Null if it only goes on with the work, asks, or reports.
 */
export function decisionIn(
  prompt: string,
  before: string | null,
): { said: ShortAnswer; reply: AgentReply | null } | null {
  const reply = before === null || before === "" || !isShort(prompt) ? null : readReply(before);
  const verdict = readAnswer(prompt, reply);
  if (reply === null) return verdict && { said: verdict, reply };
  const odds = oddsOf(featuresOf(prompt, reply, verdict), learned(DECIDES));
  if (odds < (verdict === null ? LEAST : LEAST_BY_RULE)) return null;
  return {
    said: verdict ?? { kind: "settles", about: sentenceWith(reply, contentOf(prompt)) ?? reply.question },
    reply,
  };
}

/** The signs of an exchange, hashed, as `npm run learn` reads them. */
export function featuresAfter(prompt: string, before: string): Map<number, number> {
  const reply = readReply(before);
  return featuresOf(prompt, reply, readAnswer(prompt, isShort(prompt) ? reply : null));
}

function featuresOf(prompt: string, reply: AgentReply, verdict: ShortAnswer | null): Map<number, number> {
  const { structure, parts } = signsOf(prompt, reply, verdict);
  const found = new Map<number, number>();
  for (const sign of parts) found.set(hashOf(sign) % BUCKETS, 1);
  for (const sign of structure) found.set(hashOf(sign) % BUCKETS, STRUCTURE);
  return found;
}

interface Signs {
  structure: Set<string>;
  /** Parts of words of the prompt, and of the end of the reply. */
  parts: Set<string>;
}

/**
 * What a prompt and the reply before it look like, as named signs: how long, what asks, what is offered, which classes of
 * words, how much of the one is about the other, and parts of their words. What they weigh is learned.
 */
function signsOf(prompt: string, reply: AgentReply, verdict: ShortAnswer | null): Signs {
  const found = new Set<string>();
  const parts = new Set<string>();
  const text = prompt.trim().slice(0, LONGEST_PROMPT);
  const sentences = sentencesOf(text.split("\n"));
  const words = wordsOf(text);
  const first = wordsOf(sentences[0] ?? "");
  const size = sizeOf(words.length);
  const said = contentOf(text);
  found.add(`rule ${verdict?.kind ?? "none"}`);
  found.add(`size ${size}`);
  found.add(`sentences ${Math.min(4, sentences.length)}`);
  const asks = sentences.some((sentence) => isQuestion(sentence));
  const asksLast = isQuestion(text);
  found.add(`asks ${asks} ${asksLast}`);
  if (asksLast && sentences.length === 1) found.add("only asks");
  for (const name of CLASSES) {
    if (lengthAt(words, 0, name) > 0) found.add(`begins ${name}`);
    if (name !== "workflow" && has(words, name)) found.add(`has ${name}`);
  }
  const isOrder = words.some(isWorkflow);
  if (isOrder) found.add(`work ${size}`);
  if (/\d/.test(text)) found.add(`number ${size}`);
  const assent = lengthAt(first, 0, "assent");
  if (assent > 0) found.add(`assent and ${sizeOf(words.length - assent)}`);
  // What stands after yes or no, and the beginnings of the other sentences.
  for (const [at, sentence] of sentences.slice(0, 4).entries()) {
    const own = wordsOf(sentence);
    const skip = at === 0 ? assent : 0;
    addWords(parts, "p1", own.slice(skip, skip + 1));
    addWords(parts, "p2", own.slice(skip, skip + 2));
  }
  addParts(parts, "p", text);
  const { alternatives, question, recommended } = reply;
  const ends = reply.sentences.slice(-3).join(" ").slice(-LONGEST_END);
  const kind = question === null ? "tells" : asksWhich(question) ? "which" : offersWork(question) ? "offers" : "asks";
  const ways = Math.min(3, alternatives.length);
  found.add(`reply ${kind}`);
  found.add(`ways ${ways} ${recommended !== null}`);
  found.add(`${kind} ${size} ${asks}`);
  found.add(`ways ${ways} ${size} ${asks}`);
  found.add(`${kind} ${assent > 0} ${isOrder}`);
  found.add(`reply size ${sizeOf(wordsOf(reply.text).length / 8)}`);
  const about = shared(said, contentOf(reply.text, 2));
  const last = shared(said, contentOf(ends, 2));
  const part =
    said.length === 0 ? "empty" : about.length === 0 ? "none" : about.length === said.length ? "all" : "some";
  found.add(`about ${part}`);
  found.add(`about ${part} ${size}`);
  found.add(`about ${Math.min(3, about.length)} ${asks}`);
  found.add(`about end ${Math.min(2, last.length)} ${isOrder}`);
  const numbers = new Set(reply.text.match(/\d+/g));
  const own = text.match(/\d+/g) ?? [];
  if (own.length > 0) found.add(`number ${own.some((number) => !numbers.has(number)) ? "new" : "known"} ${kind}`);
  addParts(parts, "r", ends);
  return { structure: found, parts };
}

function sizeOf(words: number): string {
  return String([1, 2, 4, 7, 11, 18, 30].findIndex((most) => words <= most));
}

function addWords(found: Set<string>, kind: string, words: readonly string[]): void {
  if (words.length > 0) found.add(`${kind} ${words.join(" ")}`);
}

/** Words, and parts of words of three to four characters. */
function addParts(found: Set<string>, kind: string, text: string): void {
  for (const word of wordsOf(text.replace(/`[^`]{0,100}`/g, " "))) {
    if (/^\d+$/.test(word)) continue;
    found.add(`${kind} ${word}`);
    const bounded = [...`^${word}$`];
    for (let length = 2; length <= 4; length++)
      for (let at = 0; at + length <= bounded.length; at++)
        found.add(`${kind}${length} ${bounded.slice(at, at + length).join("")}`);
  }
}
