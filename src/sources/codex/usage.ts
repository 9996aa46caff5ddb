import type { Tokens, UsageBody, UsageTotalBody } from "../../format/record.ts";
import type { Fields } from "./fields.ts";
import { fieldsOf, isFields, wordOf } from "./fields.ts";
import { isTokenCount, tokenCountOf } from "../kit/impossible-numbers.ts";
import type { ReaderState } from "./state.ts";

/** Input, cached, cache write, output, reasoning, total, as Codex counts them (input includes both cache parts). */
type Counts = readonly number[];

const NAMES = [
  "input_tokens",
  "cached_input_tokens",
  "cache_write_input_tokens",
  "output_tokens",
  "reasoning_output_tokens",
  "total_tokens",
] as const;
const PARTS = 5;

function countsOf(usage: Fields): Counts {
  // A plain loop for speed: this runs for every token count.
  const counts: number[] = [];
  for (const name of NAMES) {
    const tokens = tokenCountOf(usage[name]);
    counts.push(tokens === (usage[name] ?? 0) ? tokens : 0);
  }
  return counts;
}

function isPossible(usage: Fields): boolean {
  return NAMES.every((name) => isTokenCount(usage[name]));
}

const at = (counts: Counts, index: number): number => counts[index] ?? 0;
const minus = (a: Counts, b: Counts): Counts => NAMES.map((_, i) => at(a, i) - at(b, i));
/** Compares the parts without `total_tokens`, which Codex also uses as a gauge of the context window. */
const sameParts = (a: Counts, b: Counts): boolean => {
  for (let i = 0; i < PARTS; i++) if (at(a, i) !== at(b, i)) return false;
  return true;
};
const equal = (a: Counts, b: Counts): boolean => sameParts(a, b) && at(a, PARTS) === at(b, PARTS);
/** Whether some part is smaller than before. */
const falls = (now: Counts, before: Counts): boolean => {
  for (let i = 0; i < PARTS; i++) if (at(now, i) < at(before, i)) return true;
  return false;
};
const spends = (counts: Counts): boolean => at(counts, 0) + at(counts, 3) > 0;

function toTokens(counts: Counts): Tokens {
  return {
    input_tokens: Math.max(0, at(counts, 0) - at(counts, 1) - at(counts, 2)),
    cached_input_tokens: at(counts, 1),
    cache_write_tokens: at(counts, 2),
    cache_write_1h_tokens: 0,
    output_tokens: at(counts, 3),
    reasoning_tokens: at(counts, 4),
  };
}

const EMPTY: Tokens = toTokens([]);

/** A usage statement that is not a copy from another session. */
export interface OwnUsage extends UsageBody {
  verdict: Exclude<UsageBody["verdict"], "inherited">;
}

/**
 * A `token_usage_record` (0.166 and later) states the usage of one response with its id: the best evidence. Once a file
 * has one, only these records count: the running totals of `token_count` miss what a killed process had not written
 * there.
 */
export function usageOfRecord(payload: Fields, state: ReaderState): OwnUsage {
  const counts = countsOf(fieldsOf(payload.usage));
  if (isFields(payload.thread_token_usage) && isPossible(payload.thread_token_usage)) {
    const total = countsOf(payload.thread_token_usage);
    const before = minus(total, counts);
    // Counts before the first such record, and a total that decreased, belong to another counter.
    if (!state.recorded || state.totals === null || falls(before, state.totals)) beginCounter(state, before);
    state.totals = total;
    state.totalsReset = false;
  }
  state.recorded = true;
  return statement(state, responseId(payload, state, counts), "counted", toTokens(counts), wordOf(payload.turn_id));
}

/** Shorter ids are not unique: local model servers draw one of a million numbers, or always return the same one. */
const UNIQUE = 24;

/** Equal in every copy of the record. An id that is not unique is combined with the turn and the running total. */
function responseId(payload: Fields, state: ReaderState, counts: Counts): string {
  const id = wordOf(payload.response_id);
  const total = state.totals ?? counts;
  if (id === null) return totalId(state, total);
  return id.length >= UNIQUE ? id : `${id}@${wordOf(payload.turn_id) ?? state.sessionId}:${total.join("/")}`;
}

/**
 * A `token_count` states the running total and the last response. It is written far more often than there are
 * responses: again with each rate limit, as an estimate after a compaction, and from zero after some resumes. Only a
 * change of the total counts as usage.
 */
export function usageOfCount(info: unknown, state: ReaderState): OwnUsage | null {
  if (!isFields(info)) {
    state.totalsReset = state.totals !== null;
    return null;
  }
  const hasTotal = isFields(info.total_token_usage);
  // An impossible `last` is ignored if there is a total, which is enough.
  const hasLast = isFields(info.last_token_usage) && (!hasTotal || isPossible(info.last_token_usage));
  if (!hasTotal && !hasLast) return null;
  const last = countsOf(fieldsOf(info.last_token_usage));
  const before = state.totals;
  // Without a stated total, each statement is added to the total so far.
  const total = hasTotal
    ? countsOf(fieldsOf(info.total_token_usage))
    : NAMES.map((_, i) => at(before ?? [], i) + at(last, i));
  // An impossible total is skipped: the next one includes what was spent in the meantime.
  if (!isPossible(fieldsOf(info.total_token_usage))) return null;
  const gauge = hasLast && !spends(last) && at(last, 5) > 0;
  const restarted = state.totalsReset && equal(total, last);
  state.totalsReset = false;
  const repeats = before !== null && equal(total, before) && !restarted;

  if (state.recorded || repeats) {
    const id = totalId(state, total);
    return gauge ? estimate(state, id, last) : statement(state, id, "duplicate", toTokens(hasLast ? last : []));
  }
  state.totals = total;
  let spent: Counts;
  if (before === null) {
    spent = hasLast ? last : total;
    beginCounter(state, minus(total, spent));
  } else {
    const grown = minus(total, before);
    if (falls(total, before) || restarted || (hasLast && equal(total, last))) {
      spent = hasLast ? last : total;
      beginCounter(state, minus(total, spent));
    } else spent = hasLast && sameParts(grown, last) ? last : grown;
  }
  const id = totalId(state, total);
  if (spends(spent)) return statement(state, id, "counted", toTokens(spent));
  return gauge || at(spent, 5) > 0
    ? estimate(state, id, gauge ? last : spent)
    : statement(state, id, "duplicate", EMPTY);
}

/** Starts a new running total; `base` is what it already contains. */
function beginCounter(state: ReaderState, base: Counts): void {
  if (state.base !== null) state.epoch++;
  state.base = base.map((count) => Math.max(0, count));
}

/** Marks everything stated so far as another session's: the own usage begins at the current total. */
export function markTotalsInherited(state: ReaderState): void {
  state.base = state.totals;
}

/** The running total as the agent states it. */
export function totalOf(state: ReaderState): UsageTotalBody | null {
  if (state.totals === null) return null;
  const body: UsageTotalBody = {
    type: "usage_total",
    counter: String(state.epoch),
    includes_children: false,
    exact: state.recorded,
    models: [{ model: null, ...toTokens(state.totals) }],
  };
  if (state.base !== null && spends(state.base)) body.inherited = toTokens(state.base);
  return body;
}

/** A number that the agent estimated: the size of the context, reported as input tokens. */
function estimate(state: ReaderState, id: string, counts: Counts): OwnUsage {
  return statement(state, id, "estimate", { ...EMPTY, input_tokens: at(counts, 5) });
}

/** Responses have no id before 0.166; the running total after a response identifies it in every copy of the file. */
function totalId(state: ReaderState, total: Counts): string {
  const epoch = state.epoch > 0 ? `#${state.epoch}` : "";
  return `${state.sessionId}${epoch}:${total.join("/")}`;
}

function statement(
  state: ReaderState,
  id: string,
  verdict: OwnUsage["verdict"],
  counts: Tokens,
  turnId: string | null = null,
): OwnUsage {
  const body: OwnUsage = { type: "usage", response_id: id, model: state.model, verdict, ...counts };
  if (turnId !== null) body.native_turn_id = turnId;
  return body;
}
