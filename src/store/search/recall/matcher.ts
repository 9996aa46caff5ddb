import { fold, isRun } from "../terms.ts";
import type { RecallLikeness } from "./model.ts";
import type { Concept } from "./question.ts";

/** How one thing the question speaks of stands in a text. */
export interface TextHit {
  weight: number;
  how: RecallLikeness;
  /** Where it stands: which of the text's words is its first, and how many it is; null for a part of a script without spaces. */
  at: number;
  length: number;
  run: string | null;
  /** How often. */
  count: number;
  /** Which words of the text are the first of it, as far as that is noted. */
  places: number[];
}

export interface MatchedText {
  text: string;
  /** By the number of the thing in the question. */
  hits: Map<number, TextHit>;
  /** Words. */
  length: number;
}

interface Way {
  concept: number;
  words: readonly string[];
  weight: number;
  how: RecallLikeness;
}

/** No text says more of itself than its beginning does, and of a text that is pasted in nobody remembers the end. */
const READ = 6000;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** The same for what holds nothing but ASCII, which is found several times as fast. */
const PLAIN_WORD = /[a-z0-9]+/g;
// oxlint-disable-next-line no-control-regex -- the range is all of ASCII
const PLAIN = /^[\x00-\x7f]*$/;

function wordsOf(folded: string): RegExp {
  return PLAIN.test(folded) ? PLAIN_WORD : WORD;
}

/** Finds what a question speaks of in texts, in one pass over their words. */
export class Matcher {
  readonly #ways = new Map<string, Way[]>();
  /** By as many of their first letters as the shortest of them has. */
  readonly #beginnings = new Map<string, Way[]>();
  readonly #shortest: number;
  readonly #runs: Way[] = [];

  constructor(concepts: readonly Concept[]) {
    const beginnings: Way[] = [];
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
    // Every word of a hundred turns comes by here.
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

/** As it stands there. Only what is shown is looked up. */
export function foundIn({ text }: Pick<MatchedText, "text">, { at, length, run }: TextHit): string {
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

function put(map: Map<string, Way[]>, key: string, way: Way): void {
  const known = map.get(key);
  if (known) known.push(way);
  else map.set(key, [way]);
}

/** As many say whether two things stand together. */
const NOTED = 8;

function add(hits: Map<number, TextHit>, way: Way, at: number, run: string | null): void {
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
