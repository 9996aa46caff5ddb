import type { Tokens } from "../format/record.ts";
import { addTokens, noTokens } from "../format/tokens.ts";
import type { KnownCost } from "./pricing/cost.ts";
import type { PriceTable } from "./pricing/price-table.ts";
import type { UsageEvent } from "../turns/model.ts";

/** Usage of a turn, a session or a period, in the contract's fields. */
export interface UsageView {
  input_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  /**
   * What is known: with `unpriced_models`, what the other responses cost. Null where nothing is: no response has a price, or work
   * was done and no usage stated.
   */
  cost_usd: number | null;
  unpriced_models: string[];
  models: string[];
}

/** Adds responses up. Prices are per response, never on sums: tiers depend on the size of one request. */
export class UsageSum {
  readonly #prices: PriceTable;
  readonly #tokens: Tokens = noTokens();
  readonly #models = new Set<string>();
  readonly #unpriced = new Set<string>();
  // Whole dollars and pico-dollars apart: both stay exact integers, whatever is added in whatever order.
  #unstated = false;
  #priced = false;
  #dollars = 0;
  #pico = 0;

  constructor(prices: PriceTable) {
    this.#prices = prices;
  }

  /** Returns the cost, so that it need not be found again for other sums. */
  add(event: UsageEvent, cost?: KnownCost | null): KnownCost | null {
    addTokens(this.#tokens, event);
    const name = event.model ?? "unknown";
    this.#models.add(name);
    const known = cost === undefined ? this.#prices.costOf(event) : cost;
    if (known === null || known.lacking === true) this.#unpriced.add(name);
    if (known === null) return null;
    this.#priced = true;
    this.#pico += (known.micro % 1e6) * 1e6 + known.pico;
    this.#dollars += Math.floor(known.micro / 1e6) + Math.floor(this.#pico / 1e12);
    this.#pico %= 1e12;
    return known;
  }

  /** Work was done whose usage nobody stated (a killed or failed request): the sum is what is known, its cost is not. */
  unstated(): void {
    this.#unstated = true;
  }

  view(): UsageView {
    const t = this.#tokens;
    return {
      input_tokens: t.input_tokens,
      cached_input_tokens: t.cached_input_tokens,
      cache_write_tokens: t.cache_write_tokens,
      output_tokens: t.output_tokens,
      reasoning_tokens: t.reasoning_tokens,
      cost_usd: this.#known(),
      unpriced_models: [...this.#unpriced].toSorted(),
      models: [...this.#models].toSorted(),
    };
  }

  #known(): number | null {
    // Where nothing has a price zero would be a lie; where nothing was spent it is the truth.
    if (this.#unstated || (this.#unpriced.size > 0 && !this.#priced)) return null;
    // Rounded once, at the edge, to a millionth of a dollar.
    return (this.#dollars * 1e6 + Math.round(this.#pico / 1e6)) / 1e6;
  }
}

/** The same where no cost is to be shown; nothing lacks a price then. */
export function withoutCost<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => withoutCost(item)) as T;
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.entries(value).map(([name, item]: [string, unknown]) => {
    if (name === "cost_usd") return [name, null];
    return [name, name === "unpriced_models" ? [] : withoutCost(item)];
  });
  return Object.fromEntries(copy) as T;
}
