import type { Tokens, UsageBody, UsageTotalBody } from "../../format/record.ts";
import type { Fields } from "./fields.ts";
import { fieldsOf, isFields, wordOf } from "./fields.ts";
import { areTokens, tokensOf } from "../kit/impossible.ts";
import type { ReaderState } from "./state.ts";

/** input, cached, cache write, output, reasoning, total: as Codex counts them (input includes both cache parts). */
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
  // A loop: there are as many counts as answers.
  const counts: number[] = [];
  for (const name of NAMES) {
    const tokens = tokensOf(usage[name]);
    counts.push(tokens === (usage[name] ?? 0) ? tokens : 0);
  }
  return counts;
}

function isPossible(usage: Fields): boolean {
  return NAMES.every((name) => areTokens(usage[name]));
}

const at = (counts: Counts, index: number): number => counts[index] ?? 0;
const minus = (a: Counts, b: Counts): Counts => NAMES.map((_, i) => at(a, i) - at(b, i));
/** The parts without `total_tokens`, which Codex also uses as a gauge of the context window. */
const sameParts = (a: Counts, b: Counts): boolean => {
  for (let i = 0; i < PARTS; i++) if (at(a, i) !== at(b, i)) return false;
  return true;
};
const equal = (a: Counts, b: Counts): boolean => sameParts(a, b) && at(a, PARTS) === at(b, PARTS);
/** Some part is smaller than it was. */
const falls = (now: Counts, before: Counts): boolean => {
  for (let i = 0; i < PARTS; i++) if (at(now, i) < at(before, i)) return true;
  return false;
};
const spends = (counts: Counts): boolean => at(counts, 0) + at(counts, 3) > 0;

function tokens(counts: Counts): Tokens {
  return {
    input_tokens: Math.max(0, at(counts, 0) - at(counts, 1) - at(counts, 2)),
    cached_input_tokens: at(counts, 1),
    cache_write_tokens: at(counts, 2),
    cache_write_1h_tokens: 0,
    output_tokens: at(counts, 3),
    reasoning_tokens: at(counts, 4),
  };
}

const EMPTY: Tokens = tokens([]);

/** A statement that is not a copy of another session's. */
export interface OwnUsage extends UsageBody {
  verdict: Exclude<UsageBody["verdict"], "inherited">;
}

/**
 * A `token_usage_record` (0.166 and later) states one response by name: the best evidence there is. Once a file has one, they
 * alone count: the running totals of `token_count` lose what a killed process had not written there.
 */
export function usageOfRecord(payload: Fields, state: ReaderState): OwnUsage {
  const counts = countsOf(fieldsOf(payload.usage));
  if (isFields(payload.thread_token_usage) && isPossible(payload.thread_token_usage)) {
    const total = countsOf(payload.thread_token_usage);
    const before = minus(total, counts);
    // Counts of before there were records, and a total that fell, belong to another counter.
    if (!state.recorded || state.totals === null || falls(before, state.totals)) beginCounter(state, before);
    state.totals = total;
    state.totalsReset = false;
  }
  state.recorded = true;
  return statement(state, responseId(payload, state, counts), "counted", tokens(counts), wordOf(payload.turn_id));
}

/** Shorter ids are no more than a number: local model servers draw one of a million, or always give the same. */
const UNIQUE = 24;

/** Equal in every copy of the record. An id that others may have as well stands for a response only with its turn and total. */
function responseId(payload: Fields, state: ReaderState, counts: Counts): string {
  const id = wordOf(payload.response_id);
  const total = state.totals ?? counts;
  if (id === null) return totalId(state, total);
  return id.length >= UNIQUE ? id : `${id}@${wordOf(payload.turn_id) ?? state.sessionId}:${total.join("/")}`;
}

/**
 * A `token_count` states the running total and the last response, and is written far more often than there are responses:
 * again with each rate limit, as an estimate after a compaction, and from zero after some resumes. Only a change of the
 * total is spending.
 */
export function usageOfCount(info: unknown, state: ReaderState): OwnUsage | null {
  if (!isFields(info)) {
    state.totalsReset = state.totals !== null;
    return null;
  }
  const hasTotal = isFields(info.total_token_usage);
  // The total is enough.
  const hasLast = isFields(info.last_token_usage) && (!hasTotal || isPossible(info.last_token_usage));
  if (!hasTotal && !hasLast) return null;
  const last = countsOf(fieldsOf(info.last_token_usage));
  const before = state.totals;
  // Without a running total each statement stands for itself.
  const total = hasTotal
    ? countsOf(fieldsOf(info.total_token_usage))
    : NAMES.map((_, i) => at(before ?? [], i) + at(last, i));
  // A running total that cannot be is passed over: the next one tells what was spent meanwhile.
  if (!isPossible(fieldsOf(info.total_token_usage))) return null;
  const gauge = hasLast && !spends(last) && at(last, 5) > 0;
  const restarted = state.totalsReset && equal(total, last);
  state.totalsReset = false;
  const repeats = before !== null && equal(total, before) && !restarted;

  if (state.recorded || repeats) {
    const id = totalId(state, total);
    return gauge ? estimate(state, id, last) : statement(state, id, "duplicate", tokens(hasLast ? last : []));
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
  if (spends(spent)) return statement(state, id, "counted", tokens(spent));
  return gauge || at(spent, 5) > 0
    ? estimate(state, id, gauge ? last : spent)
    : statement(state, id, "duplicate", EMPTY);
}

/** A running total begins, with what it holds already. */
function beginCounter(state: ReaderState, base: Counts): void {
  if (state.base !== null) state.epoch++;
  state.base = base.map((count) => Math.max(0, count));
}

/** What was stated so far was another session's: the running total goes on from there. */
export function isBase(state: ReaderState): void {
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
    models: [{ model: null, ...tokens(state.totals) }],
  };
  if (state.base !== null && spends(state.base)) body.inherited = tokens(state.base);
  return body;
}

/** Numbers the agent guessed: one gauge of the context, kept where a person would look for it. */
function estimate(state: ReaderState, id: string, counts: Counts): OwnUsage {
  return statement(state, id, "estimate", { ...EMPTY, input_tokens: at(counts, 5) });
}

/** Responses have no id before 0.166; the running total after one identifies it in every copy of the file. */
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
