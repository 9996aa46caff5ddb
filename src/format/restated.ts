import type { Tokens } from "./record.ts";
import { tokensIn, totalTokens } from "./tokens.ts";

/** What is known of one model response, from one statement of it or from several put together. */
export interface Stated extends Tokens {
  model: string | null;
  /** Epoch ms; null when no statement has one. */
  time: number | null;
  /** Some statement says that it was cut off. */
  cut?: boolean;
  /** Every statement so far was copied from another session: stated, and counted there. */
  copied?: true;
  /** Tokens of the statement that names the model, where another one's numbers count. */
  named_by?: number;
}

/** Among statements of equally many tokens, the one that tells more of what is dear. */
const FIELDS = [
  "output_tokens",
  "reasoning_tokens",
  "cache_write_1h_tokens",
  "cache_write_tokens",
  "input_tokens",
] as const satisfies readonly (keyof Tokens)[];

/** True when the numbers of `a` count and those of `b` do not. */
export function saysMore(a: Tokens, b: Tokens): boolean {
  let more = totalTokens(a) - totalTokens(b);
  for (const field of FIELDS) {
    if (more !== 0) break;
    more = a[field] - b[field];
  }
  return more > 0;
}

/**
 * Two statements of one response become one. Agents state a response while it streams, again when it is done, and once more in
 * every copy of a session; here, and nowhere else, is decided what counts of all that:
 *
 * 1. the numbers of the statement with the most tokens: a partial one never lowers them, wherever and whenever it stands;
 * 2. the model named by the largest statement that names one (of two equally large, the name that sorts first);
 * 3. the earliest time: that is when it was spent;
 * 4. cut off, if any statement says so;
 * 5. everything else (`T`: the place, the turn) from the first that is no copy.
 *
 * Numbers, model, time and cut come out the same in whatever order statements are met, so whoever reads the same files, in one go
 * or line by line, with sessions or without, counts the same.
 */
export function restated<T extends Stated>(first: T, next: T): T {
  const isOwn = next.copied === undefined;
  const place = isOwn && first.copied !== undefined ? next : first;
  const numbers = saysMore(next, first) ? next : first;
  const named = namesBetter(next, first) ? next : first;
  const { copied: _, named_by: __, ...rest } = place;
  const most = totalTokens(numbers);
  const by = named.named_by ?? totalTokens(named);
  return {
    ...(rest as T),
    model: named.model,
    time: earlier(first.time, next.time),
    ...tokensIn(numbers),
    ...(named.model !== null && by !== most ? { named_by: by } : {}),
    ...(first.cut || next.cut ? { cut: true } : {}),
    ...(isOwn || first.copied === undefined ? {} : { copied: true }),
  };
}

function namesBetter(a: Stated, b: Stated): boolean {
  if (a.model === null || b.model === null) return b.model === null;
  const more = (a.named_by ?? totalTokens(a)) - (b.named_by ?? totalTokens(b));
  return more > 0 || (more === 0 && a.model < b.model);
}

function earlier(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}
