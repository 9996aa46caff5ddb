import type { UsageTotalBody } from "../log/record.ts";
import { totalTokens, type StatedTotal } from "./model.ts";

interface Counter extends StatedTotal {
  counter: string;
}

export type SavedStated = Counter[];

/** What the agent of one file states as its total: the latest statement of each of its counters. */
export class StatedLedger {
  readonly #counters: Counter[];

  constructor(saved: SavedStated = []) {
    this.#counters = [...saved];
  }

  save(): SavedStated {
    return this.#counters;
  }

  /** `counted`: what was counted in the file so far. */
  take(body: UsageTotalBody, line: number, counted: number): void {
    const { counter, includes_children, exact } = body;
    const total = body.models.reduce((sum, model) => sum + totalTokens(model), 0);
    const tokens = total - (body.inherited ? totalTokens(body.inherited) : 0);
    const stated: Counter = { counter, tokens, line, counted, includes_children, exact };
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
