import type { TimedTokens, Tokens } from "./record.ts";
import { tokensIn, totalTokens } from "./tokens.ts";

/** The usage of one model response, from one statement or from several merged ones. */
export interface Stated extends TimedTokens {
  /** At least one statement says that the response was cut off. */
  cut?: boolean;
  /** Every statement so far was copied from another session, which counts the response. */
  copied?: true;
  /** Total tokens of the statement that named the model, when the numbers come from another statement. */
  named_by?: number;
}

/** Tie-breakers between statements with equal totals, the most expensive kind of token first. */
const FIELDS = [
  "output_tokens",
  "reasoning_tokens",
  "cache_write_1h_tokens",
  "cache_write_tokens",
  "input_tokens",
] as const satisfies readonly (keyof Tokens)[];

/** True when the numbers of `a` take precedence over those of `b`. */
export function isLargerStatement(a: Tokens, b: Tokens): boolean {
  let more = totalTokens(a) - totalTokens(b);
  for (const field of FIELDS) {
    if (more !== 0) break;
    more = a[field] - b[field];
  }
  return more > 0;
}

/**
 * Merges two statements of one response. Agents state the usage of a response while it streams, again when it is done,
 * and once more in every copy of a session. This is the only place that decides which statement counts:
 *
 * 1. the numbers of the statement with the most tokens, so a partial statement never lowers them;
 * 2. the model named by the largest statement that names one (of two equally large, the name that sorts first);
 * 3. the earliest time, which is when the tokens were spent;
 * 4. `cut` if any statement has it;
 * 5. everything else (`T`: the place, the turn) from the first statement that is not a copy.
 *
 * Numbers, model, time and `cut` do not depend on the order of the statements, so reading at once or line by line, with
 * or without sessions, gives the same counts.
 */
export function mergeStatements<T extends Stated>(first: T, next: T): T {
  const isOwn = next.copied === undefined;
  const place = isOwn && first.copied !== undefined ? next : first;
  const numbers = isLargerStatement(next, first) ? next : first;
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
