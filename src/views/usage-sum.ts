import type { TimedTokens, Tokens } from "../record/record.ts";
import { addTokens, noTokens } from "../record/tokens.ts";
import type { KnownCost } from "./pricing/cost.ts";
import type { PriceTable } from "./pricing/price-table.ts";

/** Usage of a turn, a session or a period. */
export interface UsageView {
  input_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  /**
   * The known cost; with `unpriced_models`, that of the other responses. Null when nothing is known: no response has a
   * price, or work was done without any stated usage.
   */
  cost_usd: number | null;
  unpriced_models: string[];
  models: string[];
}

/** A response with its cost; null if its model has no price. */
export interface CostedResponse {
  event: TimedTokens;
  cost: KnownCost | null;
}

/** Sums responses. Costs are computed per response, never on sums: price tiers depend on the size of one request. */
export class UsageSum {
  readonly #prices: PriceTable;
  readonly #tokens: Tokens = noTokens();
  readonly #models = new Set<string>();
  readonly #unpriced = new Set<string>();
  #unstated = false;
  #priced = false;
  // Whole dollars and pico-dollars separately: both stay exact integers, so the sum does not depend on the order.
  #dollars = 0;
  #pico = 0;

  constructor(prices: PriceTable) {
    this.#prices = prices;
  }

  /** Returns the cost, so that the caller can reuse it for other sums. */
  add(event: TimedTokens, cost?: KnownCost | null): KnownCost | null {
    addTokens(this.#tokens, event);
    const known = cost === undefined ? this.#prices.costOf(event) : cost;
    const model = event.model ?? "unknown";
    this.#models.add(model);
    if (known === null || known.lacking === true) this.#unpriced.add(model);
    if (known === null) return null;
    this.#priced = true;
    this.#pico += (known.micro % 1e6) * 1e6 + known.pico;
    this.#dollars += Math.floor(known.micro / 1e6) + Math.floor(this.#pico / 1e12);
    this.#pico %= 1e12;
    return known;
  }

  /** Notes that work was done without stated usage (a killed or failed request), so the cost is unknown. */
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
    // Without any price the cost is unknown; without any usage it is zero.
    if (this.#unstated || (this.#unpriced.size > 0 && !this.#priced)) return null;
    // Rounded only here, to a millionth of a dollar.
    return (this.#dollars * 1e6 + Math.round(this.#pico / 1e6)) / 1e6;
  }
}

/** The usage of responses whose costs are known. `isUnstated`: of work besides them, nothing is stated. */
export function usageOf(responses: readonly CostedResponse[], prices: PriceTable, isUnstated: boolean): UsageView {
  const sum = new UsageSum(prices);
  for (const { event, cost } of responses) sum.add(event, cost);
  if (isUnstated) sum.unstated();
  return sum.view();
}

/** A copy of the value with every cost set to null and no unpriced models. */
export function withoutCost<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => withoutCost(item)) as T;
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.entries(value).map(([name, item]: [string, unknown]) => {
    if (name === "cost_usd") return [name, null];
    return [name, name === "unpriced_models" ? [] : withoutCost(item)];
  });
  return Object.fromEntries(copy) as T;
}
