import { rarityOf, type Weigh } from "../threads.ts";
import type { ThreadTurn } from "../threads.ts";
import type { WorkTurn } from "./evidence.ts";
import { termsOf } from "./terms.ts";

/** What a later request must share with a matter to speak of it. */
const ENOUGH = 1.2;

/**
 * Whether the human came back to a matter in words: whatever he then asks for, he has seen how it stood. What words weigh
 * follows from how rare they are among the turns of the project.
 */
export class Spoken {
  readonly #asked: { time: number; terms: ReadonlySet<string> }[];
  readonly #weigh: Weigh;
  readonly #own: ReadonlySet<string>;

  constructor(turns: readonly WorkTurn[], project: string) {
    this.#own = termsOf(project);
    this.#weigh = rarityOf(turns, this.#own);
    // An attempt that did not finish leaves a matter where it was.
    const finished = turns.filter(({ view }) => view.outcome === "completed");
    this.#asked = finished.map(({ time, prompt }) => ({ time, terms: this.#terms(prompt) }));
  }

  /** A later request speaks of what the turn was asked for, or of what its text says is left. */
  isSpokenOf(turn: ThreadTurn, text: string, enough: number = ENOUGH): boolean {
    const matter = this.#terms(`${turn.prompt}\n${text}`);
    return this.#asked.some(({ time, terms }) => {
      if (time <= turn.time) return false;
      let common = 0;
      for (const term of terms) if (matter.has(term)) common += this.#weigh(term);
      return common >= enough;
    });
  }

  /** A later request names the thing: all words before its explanation. */
  isNamed(turn: ThreadTurn, thing: string): boolean {
    const head = [...this.#terms(thing.split(/[(:,;—–]/)[0] ?? "")];
    if (head.length === 0) return false;
    return this.#asked.some(({ time, terms }) => time > turn.time && head.every((term) => terms.has(term)));
  }

  #terms(text: string): Set<string> {
    return new Set([...termsOf(text)].filter((term) => !this.#own.has(term)));
  }
}
