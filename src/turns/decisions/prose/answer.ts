import { type AgentReply, asksWhich, isQuestion, namedIn, sentencesOf } from "./reply.ts";
import { contentOf, has, isOf, isWorkflow, lengthAt, offersWork, ordinalOf, shared, wordsOf } from "./words.ts";

/**
 * What a short prompt says to the reply before it. `agrees`: to something the reply says and the prompt names again, or
 * to a question that offers no further work. `settles`: by how it looks, not by a rule.
 */
export type ShortAnswer =
  /** `at`: position of the alternative; null if the words do not tell which one. */
  | { kind: "picks"; at: number | null }
  /** Neither taken as proposed nor left open: refused, put off, limited. `about`: the sentence of the reply. */
  | { kind: "refuses" | "limits" | "agrees" | "settles"; about: string | null }
  /** The human states what holds, whatever the reply said. `sentence`: which one of the prompt. */
  | { kind: "rules"; sentence: number };

const LONGEST_ANSWER = 300;
const LONGEST_RULE = 700;
const MOST_WORDS = 40;
const MOST_PICKING = 9;
const MOST_IN_CLAUSE = 14;
const MOST_WITHOUT = 8;

interface Clause {
  text: string;
  words: string[];
  /** Which sentence of the prompt it belongs to, and whether it begins it. */
  sentence: number;
  begins: boolean;
  asks: boolean;
}

/** Whether the prompt can be an answer to what stands before it. A longer one is new work; it may still set a rule. */
export function isShort(prompt: string): boolean {
  const text = prompt.trim();
  return text.length <= LONGEST_ANSWER && text.split("\n").length <= 4 && wordsOf(text).length <= MOST_WORDS;
}

/** What the prompt decides; null if it only goes on with the work, asks, or reports. */
export function readAnswer(prompt: string, reply: AgentReply | null): ShortAnswer | null {
  const text = prompt.trim();
  if (text === "" || text.length > LONGEST_RULE) return null;
  const clauses = clausesOf(text);
  if (reply && isShort(text)) {
    const at = pickOf(clauses, reply);
    if (at !== null) return { kind: "picks", at };
    const verdict = verdictOf(clauses, reply);
    if (verdict) return verdict;
    if (answersChoice(clauses, reply)) return { kind: "picks", at: null };
  }
  const rule = clauses.find(isRule);
  return rule ? { kind: "rules", sentence: rule.sentence } : null;
}

function clausesOf(text: string): Clause[] {
  return sentencesOf(text.split("\n")).flatMap((sentence, at) => {
    const asks = isQuestion(sentence);
    const parts = sentence.split(/[,;:.!?()…，、；：。！？؟،]+(?:\s|$)|(?<=[，、；：。！？])|\s[—–-]+\s/u);
    const clauses = parts.map((part) => ({ text: part.trim(), words: wordsOf(part) }));
    const full = clauses.filter(({ words }) => words.length > 0);
    // Only the last part of a sentence carries its question mark: "ok. and B?" asks, "no, why?" refuses first.
    return full.map((clause, i) => ({ ...clause, sentence: at, begins: i === 0, asks: asks && i === full.length - 1 }));
  });
}

/** The alternative that the beginning of the prompt names, by label, place, words, or by agreeing with the agent. */
function pickOf(clauses: readonly Clause[], reply: AgentReply): number | null {
  const { alternatives, recommended } = reply;
  const [first] = clauses;
  if (alternatives.length < 2 || !first) return null;
  const lead = clauses.slice(0, 2).map((clause) => ({ ...clause, words: afterAssent(clause.words) }));
  const said = lead.find(({ words }) => words.length > 0);
  if (!said) {
    return clauses.length <= 2 && !isRefusalOnly(first.words) ? recommended : null;
  }
  if (said.asks) return null;
  const byLabel = labelled(said.words, reply);
  if (byLabel !== null) return byLabel;
  // `2 but without the cache`
  const labelFirst = alternatives.findIndex(({ label }) => label !== null && label === said.words[0]);
  if (labelFirst !== -1 && said.words.length > 1) return labelFirst;
  // The words of an alternative occur in long sentences by chance.
  if (said.words.length > MOST_PICKING || saysNo(said)) return null;
  const [only, ...more] = namedIn(alternatives, said.text);
  return only !== undefined && more.length === 0 ? only : null;
}

/** A question between alternatives was answered, in words that belong to both of them or to neither. */
function answersChoice(clauses: readonly Clause[], { alternatives, question, text }: AgentReply): boolean {
  const words = clauses.flatMap((clause) => clause.words);
  if (question === null || words.length > 12 || clauses.some(({ asks }) => asks)) return false;
  if (words.some(isWorkflow) || isRefusalOnly(words)) return false;
  const [first] = clauses;
  const met =
    shared(
      clauses.flatMap((clause) => contentOf(clause.text)),
      contentOf(text),
    ).length > 0;
  if (alternatives.length < 2) return asksWhich(question) && met;
  const agrees = first !== undefined && lengthAt(first.words, 0, "assent") > 0;
  return agrees || words.length <= 3 || met;
}

/** A label or a place, with at most words around it that any choice has. */
function labelled(words: readonly string[], reply: AgentReply): number | null {
  const { alternatives } = reply;
  const places = words.flatMap((word) => {
    const at = alternatives.findIndex(({ label }) => label !== null && label === word);
    if (at !== -1) return [at];
    const ordinal = ordinalOf(word);
    return ordinal !== null && ordinal < alternatives.length && !isOf(word, "picking") ? [ordinal] : [];
  });
  const rest = words.filter(
    (word) => ordinalOf(word) === null && !isOf(word, "picking") && alternatives.every(({ label }) => label !== word),
  );
  const [only, ...more] = new Set(places);
  if (only === undefined || more.length > 0) return labelInRun(words, reply);
  return rest.length <= 2 ? only : null;
}

/** `方案一` and `2番で`, which are one run of letters. */
function labelInRun(words: readonly string[], { alternatives }: AgentReply): number | null {
  const [word, ...more] = words;
  if (word === undefined || more.length > 0 || word.length > 8 || /^[\p{Script=Latin}\p{N}]+$/u.test(word)) return null;
  const digit = /\p{N}/u.exec(word)?.[0];
  const han = /[一二三四五六]/u.exec(word)?.[0];
  const label = digit ?? (han === undefined ? undefined : String("一二三四五六".indexOf(han) + 1));
  const at = alternatives.findIndex((one) => one.label !== null && one.label === label);
  return at === -1 ? null : at;
}

function afterAssent(words: readonly string[]): string[] {
  let at = 0;
  for (let n = lengthAt(words, at, "assent"); n > 0; n = lengthAt(words, at, "assent")) {
    // A run without spaces may say more than yes.
    if (n === 1 && !isOf(words[at] ?? "", "assent") && (words[at] ?? "").length > 3) break;
    at += n;
  }
  return words.slice(at);
}

function isRefusalOnly(words: readonly string[]): boolean {
  return words.every((word) => isOf(word, "refusal"));
}

function saysNo({ words }: Clause): boolean {
  return lengthAt(words, 0, "negation") > 0 || has(words, "negation_inside");
}

function verdictOf(clauses: readonly Clause[], reply: AgentReply): ShortAnswer | null {
  const [first] = clauses;
  if (!first) return null;
  // To a question, "no" is an answer if what follows is about the same.
  const refuses = !first.asks && (lengthAt(first.words, 0, "refusal") > 0 || saysNo(first));
  if (refuses && reply.question !== null && clauses.length > 1 && !clauses.some(({ asks }) => asks)) {
    const said = clauses.flatMap(({ text }) => contentOf(text));
    if (shared(said, contentOf(reply.question)).some((word) => !isWorkflow(word)))
      return { kind: "refuses", about: reply.question };
  }
  const agrees = lengthAt(first.words, 0, "assent") > 0;
  for (const clause of clauses.slice(0, 4)) {
    const words = afterAssent(clause.words);
    if (clause.asks || words.length > MOST_IN_CLAUSE) continue;
    const isNo = refusesFirst(words) || has(words, "negation_inside") || refusesLast(words) || isPutOff(words);
    const isLimit = agrees && has(words, "only");
    const isOther = isContrast(words);
    const isAnswer = reply.question !== null && (has(words, "negation") || has(words, "instead"));
    if (!isNo && !isLimit && !isOther && !isAnswer) continue;
    const met = shared(contentOf(clause.text), contentOf(reply.text)).filter((word) => !isWorkflow(word));
    const isAbout = met.length > 0;
    if (isNo && isAbout) return { kind: "refuses", about: sentenceWith(reply, met) };
    if (isLimit && (isAbout || lengthAt(words, 0, "only") > 0 || lengthAt(words, 1, "only") > 0))
      return { kind: "limits", about: sentenceWith(reply, met) ?? reply.question };
    if (isOther && (isAbout || words.length <= 4)) return { kind: "limits", about: sentenceWith(reply, met) };
    if (isAnswer && isAbout) return { kind: "refuses", about: reply.question };
  }
  return agreement(clauses, reply);
}

/** `ok then january`, `good. exempt the path`; a bare yes only to a question that is no offer to go on working. */
function agreement(clauses: readonly Clause[], reply: AgentReply): ShortAnswer | null {
  const words = clauses.flatMap((clause) => clause.words);
  const [first] = clauses;
  if (
    !first ||
    (lengthAt(first.words, 0, "assent") === 0 && !agreesLast(clauses)) ||
    words.length > 16 ||
    clauses.some(({ asks }) => asks)
  )
    return null;
  const { question } = reply;
  const isOffer = question !== null && offersWork(question);
  // What a new sentence says is new work: "ok. now the tests".
  const same = clauses.filter(({ sentence }) => sentence === 0);
  const met = shared(
    same.flatMap(({ text }) => contentOf(text)),
    contentOf(reply.text),
  );
  const rest = met.filter((word) => !isWorkflow(word));
  if (rest.length > 0 && !isOffer) return { kind: "agrees", about: question ?? sentenceWith(reply, rest) };
  if (question === null || isOffer || words.length > 6 || words.some(isWorkflow)) return null;
  return { kind: "agrees", about: question };
}

/** `script not endpoint`. */
function isContrast(words: readonly string[]): boolean {
  return words.some((_, at) => {
    const n = lengthAt(words, at, "negation");
    return n > 0 && at > 0 && words.length <= 6 && isSaying(words[at - 1]) && isSaying(words[at + n]);
  });
}

function isSaying(word: string | undefined): boolean {
  return word !== undefined && contentOf(word, 3).length > 0;
}

/** `no X`, `don't X`, `kein X`; a lone `no` refuses nothing in particular. */
function refusesFirst(words: readonly string[]): boolean {
  const skipped = isOf(words[0] ?? "", "refusal") && lengthAt(words, 1, "negation") > 0 ? 1 : 0;
  const n = lengthAt(words, skipped, "negation");
  return n > 0 && words.length > skipped + n;
}

/** `unique index, yes`: the first clause names what the second agrees to. */
function agreesLast([first, second]: readonly Clause[]): boolean {
  if (!first || !second || first.asks || second.asks || first.words.length > 4) return false;
  return first.sentence === second.sentence && second.words.every((word) => isOf(word, "assent"));
}

/** `ring no`. */
function refusesLast(words: readonly string[]): boolean {
  return words.length >= 2 && words.length <= 4 && isOf(words.at(-1) ?? "", "refusal");
}

function isPutOff(words: readonly string[]): boolean {
  return words.length <= 8 && has(words, "later");
}

/** `from now on …`, `we stay on 7.4`, or a sentence that begins by ruling something out: `no captcha, they are minors`. */
function isRule({ words, asks, begins }: Clause): boolean {
  if (asks || words.length > MOST_IN_CLAUSE) return false;
  if (lengthAt(words, 0, "standing") > 0 || has(words, "settling")) return true;
  return begins && words.length > 1 && words.length <= MOST_WITHOUT && lengthAt(words, 0, "without") > 0;
}

/** The sentence of the reply that has most of the words. */
export function sentenceWith({ sentences }: AgentReply, words: readonly string[]): string | null {
  let best: string | null = null;
  let most = 0;
  for (const sentence of sentences) {
    const n = shared(words, contentOf(sentence)).length;
    if (n > most || (n === most && n > 0)) [best, most] = [sentence, n];
  }
  return best;
}
