import { money, tokens } from "../lib/format.ts";
import { cachedPercent } from "../lib/spans.ts";
import type { components } from "./types.d.ts";

export type Group = components["schemas"]["TeamGroup"];

/**
 * Numbers of a group. One that the server withholds is null, never 0: a sum that includes it is unknown as well.
 */
export const UNKNOWN = "–";
export const WHY_UNKNOWN = "too few people have this number";

export function known(value: number | null, text: (value: number) => string, instead: string = UNKNOWN): string {
  return value === null ? instead : text(value);
}

interface Read {
  input_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
}

function readOf({ input_tokens, cached_input_tokens, cache_write_tokens }: Group): Read | null {
  if (input_tokens === null || cached_input_tokens === null || cache_write_tokens === null) return null;
  return { input_tokens, cached_input_tokens, cache_write_tokens };
}

export function tokensOf(group: Group): number | null {
  const read = readOf(group);
  return read === null || group.output_tokens === null ? null : tokens({ ...read, output_tokens: group.output_tokens });
}

/** Percentage of the input tokens that came from a cache. */
export function cachedShare(group: Group): number | null {
  const read = readOf(group);
  return read === null ? null : cachedPercent(read);
}

/** Percentage of calls that failed. */
export function failedShare({ calls, failed_calls }: Group): number | null {
  return calls === null || failed_calls === null || calls === 0 ? null : Math.round((failed_calls / calls) * 100);
}

/** A cost, with a plus if it does not, or may not, include everything. */
export function costOf({ cost_usd, unpriced_responses }: Group): string {
  if (cost_usd === null) return UNKNOWN;
  const isPart = unpriced_responses === null || unpriced_responses > 0;
  return isPart && cost_usd === 0
    ? unpriced_responses === null
      ? UNKNOWN
      : "no price"
    : `${money(cost_usd)}${isPart ? "+" : ""}`;
}
