import { fold, isRun } from "../terms.ts";
import type { RecallLikeness } from "./model.ts";
import type { Concept } from "./question.ts";

/** How one thing the question speaks of stands in a text. */
export interface TextHit {
  weight: number;
  how: RecallLikeness;
  /** As it stands there. */
  found: string;
  /** How often. */
  count: number;
  /** Which words of the text are the first of it, as far as that is noted. */
  places: number[];
}

export interface MatchedText {
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

/** Finds what a question speaks of in texts, in one pass over their words. */
export class Matcher {
  readonly #ways = new Map<string, Way[]>();
  readonly #beginnings: Way[] = [];
  readonly #runs: Way[] = [];

  constructor(concepts: readonly Concept[]) {
    for (const [concept, { alternatives }] of concepts.entries()) {
      for (const { text, weight, how, isPrefix } of alternatives) {
        const words = text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
        const [first] = words;
        if (first === undefined) continue;
        const way = { concept, words, weight, how };
        if (isRun(text)) this.#runs.push({ ...way, words: [text] });
        else if (isPrefix) this.#beginnings.push(way);
        else this.#ways.set(first, [...(this.#ways.get(first) ?? []), way]);
      }
    }
  }

  match(whole: string, most: number = READ): MatchedText {
    const text = whole.slice(0, most);
    const folded = fold(text);
    const hits = new Map<number, TextHit>();
    const places = [...folded.matchAll(/[\p{L}\p{N}\p{M}]+/gu)];
    const words = places.map(([word]) => word);
    for (const [at, word] of words.entries()) {
      const found = (way: Way): void => {
        const from = places[at]?.index ?? 0;
        const last = places[at + way.words.length - 1];
        const to = last ? last.index + last[0].length : from + word.length;
        add(hits, way, { found: text.slice(from, to), at });
      };
      for (const way of this.#ways.get(word) ?? []) if (way.words.every((one, i) => words[at + i] === one)) found(way);
      for (const way of this.#beginnings) if (word.startsWith(way.words[0] ?? "")) found(way);
    }
    for (const way of this.#runs) {
      const [run = ""] = way.words;
      const from = folded.indexOf(run);
      if (from !== -1) add(hits, way, { found: text.slice(from, from + run.length), at: 0 });
    }
    return { hits, length: words.length };
  }
}

/** As many say whether two things stand together. */
const NOTED = 8;

function add(hits: Map<number, TextHit>, way: Way, { found, at }: { found: string; at: number }): void {
  const { weight, how, concept } = way;
  const known = hits.get(concept);
  if (!known) hits.set(concept, { weight, how, found, count: 1, places: [at] });
  else {
    known.count++;
    if (known.places.length < NOTED) known.places.push(at);
    if (weight > known.weight) Object.assign(known, { weight, how, found });
  }
}
