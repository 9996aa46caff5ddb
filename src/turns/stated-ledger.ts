import type { UsageTotalBody } from "../log/record.ts";
import { totalTokens } from "../log/tokens.ts";
import type { StatedTotal } from "./model.ts";

interface Counter extends StatedTotal {
  counter: string;
}

export interface SavedStated {
  counters: Counter[];
  /** What each counter held when the file's own history began, as far as copied statements tell. */
  bases: [counter: string, tokens: number][];
}

/** What the agent of one file states as its total: the latest statement of each of its counters. */
export class StatedLedger {
  readonly #counters: Counter[];
  readonly #bases: Map<string, number>;

  constructor(saved: SavedStated = { counters: [], bases: [] }) {
    this.#counters = [...saved.counters];
    this.#bases = new Map(saved.bases);
  }

  save(): SavedStated {
    return { counters: this.#counters, bases: [...this.#bases] };
  }

  /** A statement that came with a copied history: the counter goes on from there. */
  inherit(body: UsageTotalBody): void {
    this.#bases.set(body.counter, totalIn(body));
  }

  /** `counted`: what was counted in the file so far. */
  take(body: UsageTotalBody, line: number, counted: number): void {
    const { counter, includes_children, exact } = body;
    const elsewhere = Math.max(body.inherited ? totalTokens(body.inherited) : 0, this.#bases.get(counter) ?? 0);
    const stated: Counter = {
      ...{ counter, tokens: totalIn(body) - elsewhere, line, counted },
      ...{ includes_children, exact },
    };
    const at = this.#counters.findIndex((known) => known.counter === counter);
    if (at !== -1) this.#counters.splice(at, 1);
    // The latest stands last.
    this.#counters.push(stated);
  }

  /** All counters together; null when nothing was stated. */
  total(): StatedTotal | null {
    const last = this.#counters.at(-1);
    if (!last) return null;
    return {
      tokens: this.#counters.reduce((sum, counter) => sum + counter.tokens, 0),
      line: last.line,
      counted: last.counted,
      includes_children: this.#counters.some((counter) => counter.includes_children),
      exact: this.#counters.every((counter) => counter.exact),
    };
  }
}

function totalIn({ models }: UsageTotalBody): number {
  return models.reduce((sum, model) => sum + totalTokens(model), 0);
}
