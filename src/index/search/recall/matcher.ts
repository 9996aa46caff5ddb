import { fold, isRun } from "../terms.ts";
import type { RecallLikeness } from "./model.ts";
import type { Concept } from "./question.ts";

/** How one concept of the question occurs in a text. */
export interface TextHit {
  weight: number;
  how: RecallLikeness;
  /** Position of the first word and number of words; `run` is set instead for scripts without spaces. */
  at: number;
  length: number;
  run: string | null;
  /** Number of occurrences. */
  count: number;
  /** Positions of the first occurrences, up to a limit. */
  places: number[];
}

export interface MatchedText {
  text: string;
  /** By the index of the concept in the question. */
  hits: Map<number, TextHit>;
  /** Number of words. */
  length: number;
}

interface Pattern {
  concept: number;
  words: readonly string[];
  weight: number;
  how: RecallLikeness;
}

/** The beginning of a text says what it is about, and nobody remembers the end of pasted text. */
const READ = 6000;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** The same for pure ASCII, which is several times faster. */
const PLAIN_WORD = /[a-z0-9]+/g;
// oxlint-disable-next-line no-control-regex -- the range is all of ASCII
const PLAIN = /^[\x00-\x7f]*$/;

function wordsOf(folded: string): RegExp {
  return PLAIN.test(folded) ? PLAIN_WORD : WORD;
}

/** Finds the concepts of a question in texts, in one pass over their words. */
export class Matcher {
  readonly #ways = new Map<string, Pattern[]>();
  /** By a prefix of the length of the shortest of them. */
  readonly #beginnings = new Map<string, Pattern[]>();
  readonly #shortest: number;
  readonly #runs: Pattern[] = [];

  constructor(concepts: readonly Concept[]) {
    const beginnings: Pattern[] = [];
    for (const [concept, { alternatives }] of concepts.entries()) {
      for (const { text, weight, how, isPrefix } of alternatives) {
        const words = text.match(wordsOf(text)) ?? [];
        const [first] = words;
        if (first === undefined) continue;
        const way = { concept, words, weight, how };
        if (isRun(text)) this.#runs.push({ ...way, words: [text] });
        else if (isPrefix) beginnings.push(way);
        else put(this.#ways, first, way);
      }
    }
    this.#shortest = Math.min(...beginnings.map(({ words: [first = ""] }) => first.length));
    for (const way of beginnings) put(this.#beginnings, (way.words[0] ?? "").slice(0, this.#shortest), way);
  }

  match(whole: string, most: number = READ): MatchedText {
    const text = whole.slice(0, most);
    const folded = fold(text);
    const hits = new Map<number, TextHit>();
    const words: readonly string[] = folded.match(wordsOf(folded)) ?? [];
    // Hot loop: runs for every word of a hundred turns.
    let at = 0;
    for (const word of words) {
      const ways = this.#ways.get(word);
      if (ways)
        for (const way of ways)
          if (way.words.length === 1 || way.words.every((one, i) => words[at + i] === one)) add(hits, way, at, null);
      const begun = word.length < this.#shortest ? undefined : this.#beginnings.get(word.slice(0, this.#shortest));
      if (begun) for (const way of begun) if (word.startsWith(way.words[0] ?? "")) add(hits, way, at, null);
      at++;
    }
    for (const way of this.#runs) {
      const [run = ""] = way.words;
      if (folded.includes(run)) add(hits, way, 0, run);
    }
    return { text, hits, length: words.length };
  }
}

/** The match as written in the text. Only called for matches that are shown. */
export function writtenForm({ text }: Pick<MatchedText, "text">, { at, length, run }: TextHit): string {
  const folded = fold(text);
  if (run !== null) return text.substr(folded.indexOf(run), run.length);
  let place = 0;
  let from = 0;
  for (const word of folded.matchAll(wordsOf(folded))) {
    if (place === at) from = word.index;
    if (place === at + length - 1) return text.slice(from, word.index + word[0].length);
    place++;
  }
  return "";
}

/** Enough positions to tell whether two concepts occur close together. */
const NOTED = 8;

function add(hits: Map<number, TextHit>, way: Pattern, at: number, run: string | null): void {
  const { weight, how, concept } = way;
  const length = way.words.length;
  const known = hits.get(concept);
  if (!known) hits.set(concept, { weight, how, at, length, run, count: 1, places: [at] });
  else {
    known.count++;
    if (known.places.length < NOTED) known.places.push(at);
    if (weight > known.weight) Object.assign(known, { weight, how, at, length, run });
  }
}

/** Of its own, because it is called for every word of a question's vocabulary. */
function put(map: Map<string, Pattern[]>, key: string, way: Pattern): void {
  const known = map.get(key);
  if (known) known.push(way);
  else map.set(key, [way]);
}
