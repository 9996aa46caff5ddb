import type { NarrationSpent } from "../views/narrative.ts";
import { PriceTable } from "../views/pricing/price-table.ts";
import type { AgentReply } from "./agents/model.ts";

export interface BudgetLimits {
  usd: number | null;
  tokens: number | null;
}

/** Estimated tokens of an answer, used before it exists. */
export const ANSWER_TOKENS = 1500;

/** Assumes four bytes per token. */
export function estimatedTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/** The cost of requests by the price table; null when no model is named, or it has no price there. */
export function priceOf(model: string | null, input: number, output: number, time: number): number | null {
  const none = { cached_input_tokens: 0, cache_write_tokens: 0, cache_write_1h_tokens: 0, reasoning_tokens: 0 };
  const pico = new PriceTable().cost(model, { input_tokens: input, output_tokens: output, ...none }, time);
  return pico === null ? null : pico / 1e12;
}

/** The sum of what two narrations spent. */
export function addSpent(a: NarrationSpent | null, b: NarrationSpent | null): NarrationSpent | null {
  if (!a || !b) return a ?? b;
  const cost_usd = a.cost_usd === null && b.cost_usd === null ? null : (a.cost_usd ?? 0) + (b.cost_usd ?? 0);
  return {
    requests: a.requests + b.requests,
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    estimated: a.estimated + b.estimated,
    cost_usd,
    reckoned: a.reckoned + b.reckoned,
    unpriced: a.unpriced + b.unpriced,
  };
}

/** Tracks what was spent, and whether the next request fits. */
export class Budget {
  readonly spent: NarrationSpent = {
    requests: 0,
    input_tokens: 0,
    output_tokens: 0,
    estimated: 0,
    cost_usd: null,
    reckoned: 0,
    unpriced: 0,
  };
  readonly #limits: BudgetLimits;
  readonly #model: string | null;
  readonly #now: number;
  #reserved = { tokens: 0, usd: 0 };

  constructor(limits: BudgetLimits, model: string | null, now: number) {
    this.#limits = limits;
    this.#model = model;
    this.#now = now;
  }

  /** Books a reply. Tokens that the agent does not state are estimated from the texts. */
  count(prompt: string, reply: AgentReply): void {
    const input = reply.tokens?.input ?? estimatedTokens(prompt);
    const output = reply.tokens?.output ?? estimatedTokens(reply.text);
    this.spent.requests++;
    if (reply.tokens === null) this.spent.estimated++;
    this.spent.input_tokens += input;
    this.spent.output_tokens += output;
    const cost = reply.cost_usd ?? priceOf(this.#model, input, output, this.#now);
    if (cost === null) this.spent.unpriced++;
    else if (reply.cost_usd === null) this.spent.reckoned++;
    if (cost !== null) this.spent.cost_usd = (this.spent.cost_usd ?? 0) + cost;
  }

  /** Reserves budget for a request until `release`. Returns why the request does not fit, or null when it does. */
  reserve(prompt: string): string | null {
    const tokens = estimatedTokens(prompt) + ANSWER_TOKENS;
    const price = priceOf(this.#model, estimatedTokens(prompt), ANSWER_TOKENS, this.#now);
    // A limit in dollars cannot be kept when the cost is unknown.
    if (this.#limits.usd !== null && this.spent.unpriced > 0)
      return "what was spent is not known in dollars: name a model that has a price, or give a budget in tokens (200000t)";
    const usd = price ?? 0;
    const { input_tokens, output_tokens, cost_usd } = this.spent;
    const leftTokens = (this.#limits.tokens ?? Infinity) - input_tokens - output_tokens - this.#reserved.tokens;
    const leftUsd = (this.#limits.usd ?? Infinity) - (cost_usd ?? 0) - this.#reserved.usd;
    if (tokens > leftTokens) return usedUp(`${tokens} tokens`, `${Math.max(0, leftTokens)}`);
    if (usd > leftUsd) return usedUp(`$${usd.toFixed(2)}`, `$${Math.max(0, leftUsd).toFixed(2)}`);
    this.#reserved.tokens += tokens;
    this.#reserved.usd += usd;
    return null;
  }

  release(prompt: string): void {
    this.#reserved.tokens -= estimatedTokens(prompt) + ANSWER_TOKENS;
    this.#reserved.usd -= priceOf(this.#model, estimatedTokens(prompt), ANSWER_TOKENS, this.#now) ?? 0;
  }
}

function usedUp(wanted: string, left: string): string {
  return `the budget is used up: the next request takes about ${wanted}, and ${left} are left`;
}
