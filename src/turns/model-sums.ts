import type { ModelTokens, Tokens } from "../record/record.ts";
import { addTokens, noTokens, subtractTokens } from "../record/tokens.ts";

/** Tokens added up by model. */
export class ModelSums {
  readonly #sums: Map<string | null, Tokens>;

  constructor(saved: readonly ModelTokens[] = []) {
    this.#sums = new Map();
    for (const one of saved) this.add(one.model, one);
  }

  add(model: string | null, tokens: Tokens): void {
    const sum = this.of(model);
    addTokens(sum, tokens);
    this.#sums.set(model, sum);
  }

  subtract(model: string | null, tokens: Tokens): void {
    const sum = this.of(model);
    subtractTokens(sum, tokens);
    this.#sums.set(model, sum);
  }

  of(model: string | null): Tokens {
    return this.#sums.get(model) ?? noTokens();
  }

  models(): (string | null)[] {
    return [...this.#sums.keys()];
  }

  list(): ModelTokens[] {
    return [...this.#sums].map(([model, sum]) => ({ model, ...sum }));
  }

  clear(): void {
    this.#sums.clear();
  }
}
