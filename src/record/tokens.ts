import type { Tokens } from "./record.ts";

export function noTokens(): Tokens {
  return {
    input_tokens: 0,
    cached_input_tokens: 0,
    cache_write_tokens: 0,
    cache_write_1h_tokens: 0,
    output_tokens: 0,
    reasoning_tokens: 0,
  };
}

export function addTokens(sum: Tokens, more: Tokens): void {
  sum.input_tokens += more.input_tokens;
  sum.cached_input_tokens += more.cached_input_tokens;
  sum.cache_write_tokens += more.cache_write_tokens;
  sum.cache_write_1h_tokens += more.cache_write_1h_tokens;
  sum.output_tokens += more.output_tokens;
  sum.reasoning_tokens += more.reasoning_tokens;
}

export function subtractTokens(sum: Tokens, less: Tokens): void {
  sum.input_tokens -= less.input_tokens;
  sum.cached_input_tokens -= less.cached_input_tokens;
  sum.cache_write_tokens -= less.cache_write_tokens;
  sum.cache_write_1h_tokens -= less.cache_write_1h_tokens;
  sum.output_tokens -= less.output_tokens;
  sum.reasoning_tokens -= less.reasoning_tokens;
}

/** The four kinds that add up to the total; the other kinds are parts of these. */
export type CountedTokens = Pick<
  Tokens,
  "input_tokens" | "cached_input_tokens" | "cache_write_tokens" | "output_tokens"
>;

/** All tokens a model read and wrote; reasoning is part of the output. */
export function totalTokens(t: CountedTokens): number {
  return t.input_tokens + t.cached_input_tokens + t.cache_write_tokens + t.output_tokens;
}

/** The total of many. */
export function sumOfTotals(all: readonly CountedTokens[]): number {
  return all.reduce((sum, one) => sum + totalTokens(one), 0);
}

/** Copies only the token fields of an object. */
export function tokensIn(t: Tokens): Tokens {
  return {
    input_tokens: t.input_tokens,
    cached_input_tokens: t.cached_input_tokens,
    cache_write_tokens: t.cache_write_tokens,
    cache_write_1h_tokens: t.cache_write_1h_tokens,
    output_tokens: t.output_tokens,
    reasoning_tokens: t.reasoning_tokens,
  };
}
