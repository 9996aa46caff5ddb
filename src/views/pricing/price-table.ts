import { readFileSync } from "node:fs";
import type { TimedTokens, Tokens } from "../../record/record.ts";
import { costOfPico, type KnownCost } from "./cost.ts";
import { DATA } from "../../places.ts";

/** Dollars per million tokens. A tier's price applies to the whole request above `start` input tokens. */
export type Price = number | { base: number; tiers: readonly { start: number; price: number }[] };

export interface DatedPrices {
  /** First day (UTC) on which these prices apply; null: always. */
  from: string | null;
  /** Applies only from the first to the second time of each day (UTC), as `HH:MM`. */
  utc_hours?: readonly [from: string, to: string];
  input_mtok?: Price;
  cache_read_mtok?: Price;
  cache_write_mtok?: Price;
  cache_write_1h_mtok?: Price;
  output_mtok?: Price;
}

export type ModelMatch =
  | { equals: string }
  | { starts_with: string }
  | { ends_with: string }
  | { contains: string }
  | { regex: string }
  | { or: readonly ModelMatch[] }
  | { and: readonly ModelMatch[] };

export interface PricedModel {
  provider: string;
  id: string;
  match: ModelMatch;
  prices: readonly DatedPrices[];
}

let read: readonly PricedModel[] | null = null;

/** The prices Daybook comes with, read when first needed. A test checks the shape of the file. */
function snapshot(): readonly PricedModel[] {
  return (read ??= JSON.parse(readFileSync(new URL("prices.json", DATA), "utf8")) as readonly PricedModel[]);
}

/** Computes the cost of responses. Knows only the models of the snapshot; an unknown model has no price, never zero. */
export class PriceTable {
  readonly #models: readonly PricedModel[] | undefined;
  readonly #found = new Map<string, PricedModel | null>();

  /** `models` replaces the snapshot in tests. */
  constructor(models?: readonly PricedModel[]) {
    this.#models = models;
  }

  /** Cost in integer pico-dollars, so that sums do not depend on order; null when the model or a price is unknown. */
  cost(model: string | null, tokens: Tokens, time: number | null): number | null {
    const prices = model === null ? null : this.#pricesOf(model, time);
    if (!prices) return null;
    const context = tokens.input_tokens + tokens.cached_input_tokens + tokens.cache_write_tokens;
    const hour = tokens.cache_write_1h_tokens;
    const write = prices.cache_write_mtok ?? prices.input_mtok;
    const sum =
      pico(tokens.input_tokens, prices.input_mtok, context) +
      pico(tokens.cached_input_tokens, prices.cache_read_mtok ?? prices.input_mtok, context) +
      pico(tokens.cache_write_tokens - hour, write, context) +
      pico(hour, prices.cache_write_1h_mtok ?? write, context) +
      pico(tokens.output_tokens, prices.output_mtok, context);
    // Above 9,007 dollars for one response the number would be inexact, and the cost counts as unknown.
    return Number.isSafeInteger(sum) ? sum : null;
  }

  /** The cost of one response in the form used for sums. */
  costOf(response: TimedTokens): KnownCost | null {
    return costOfPico(this.cost(response.model, response, response.time));
  }

  /** The provider of the model, or the only provider of its family (`gpt-…`); null when it is not known. */
  providerOf(model: string): string | null {
    const found = this.#find(model);
    if (found) return found.provider;
    const [family] = /^[a-z]+-/.exec(model.toLowerCase()) ?? [];
    const relatives = (this.#models ?? snapshot()).filter(({ id }) => family !== undefined && id.startsWith(family));
    const sellers = new Set(relatives.map(({ provider }) => provider));
    return sellers.size === 1 ? ([...sellers][0] ?? null) : null;
  }

  #pricesOf(model: string, time: number | null): DatedPrices | null {
    const found = this.#find(model);
    if (!found) return null;
    if (found.prices.length === 1) return found.prices[0] ?? null;
    return found.prices.findLast((prices) => isInForce(prices, time)) ?? found.prices[0] ?? null;
  }

  #find(model: string): PricedModel | null {
    const known = this.#found.get(model);
    if (known !== undefined) return known;
    // Routers add a prefix to the name: anthropic/claude-…, us.anthropic.claude-…
    const names = [model, model.slice(model.lastIndexOf("/") + 1)].map((name) => name.toLowerCase());
    const found =
      (this.#models ?? snapshot()).find((priced) => names.some((name) => matches(priced.match, name))) ?? null;
    this.#found.set(model, found);
    return found;
  }
}

function isInForce({ from, utc_hours: hours }: DatedPrices, time: number | null): boolean {
  if (time === null) return from === null && hours === undefined;
  if (from !== null && time < Date.parse(from)) return false;
  if (hours === undefined) return true;
  const now = new Date(time).toISOString().slice(11, 16);
  return hours[0] <= now && now < hours[1];
}

/** NaN when a price is needed but unknown. */
function pico(count: number, price: Price | undefined, context: number): number {
  if (count === 0) return 0;
  // Dollars per million tokens are micro-dollars per token; listed prices have at most six decimals.
  return price === undefined ? Number.NaN : count * Math.round(rate(price, context) * 1e6);
}

function rate(price: Price, context: number): number {
  if (typeof price === "number") return price;
  return price.tiers.findLast((tier) => context > tier.start)?.price ?? price.base;
}

function matches(match: ModelMatch, name: string): boolean {
  if ("equals" in match) return name === match.equals;
  if ("starts_with" in match) return name.startsWith(match.starts_with);
  if ("ends_with" in match) return name.endsWith(match.ends_with);
  if ("contains" in match) return name.includes(match.contains);
  if ("regex" in match) return new RegExp(match.regex).test(name);
  if ("or" in match) return match.or.some((inner) => matches(inner, name));
  return match.and.every((inner) => matches(inner, name));
}
