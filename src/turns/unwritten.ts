import type { ModelTokens, Tokens } from "../format/record.ts";
import { noTokens, takeTokens } from "../format/tokens.ts";
import { ModelSums } from "./model-sums.ts";
import { totalTokens } from "../format/tokens.ts";
import { type Statement, type UsageEvent } from "./model.ts";

/** What a session's statements are compared with. */
export interface Reckoning {
  session_id: string;
  statements: readonly Statement[];
  /** Responses of sessions that ran in its processes. */
  children: readonly UsageEvent[];
  /** What a counter held when the session took it over from its origin; null when that is not known. */
  baseOf: (statement: Statement) => readonly ModelTokens[] | null;
}

export interface Reckoned {
  /** What no record states. */
  events: UsageEvent[];
  /** The totals stated last, without what was taken over, and what was counted less that. */
  stated: number;
  difference: number;
}

/**
 * What an agent's own totals hold beyond its records: requests it writes no record of, such as compactions and titles. Only
 * what is proven counts: what a killed process wrote and did not state makes it less, never more.
 */
export function reckon({ session_id, statements, children, baseOf }: Reckoning): Reckoned {
  const out: Reckoned = { events: [], stated: 0, difference: 0 };
  const counters = [...new Set(statements.map(({ counter }) => counter))];
  const begins = counters.map((counter) => statements.find((one) => one.counter === counter)?.since ?? null);
  for (const [i, counter] of counters.entries()) {
    const own = statements.filter((one) => one.counter === counter);
    const [first] = own;
    const base = first && baseOf(first);
    if (!first || !base) continue;
    const until = begins.slice(i + 1).find((begin) => begin !== null) ?? null;
    const kids = children.filter(({ time }) => isWithin(time, first.since, until));
    const found = reckonCounter(own, base, kids);
    for (const event of found.events) out.events.push({ ...event, response_id: nameOf(session_id, counter, event) });
    out.stated += found.stated;
    out.difference += found.difference;
  }
  return out;
}

function nameOf(session: string, counter: string, { line, model }: UsageEvent): string {
  return `${session}#${counter}#${line}#${model ?? ""}`;
}

function isWithin(time: number | null, from: number | null, until: number | null): boolean {
  return time === null || ((from === null || time >= from) && (until === null || time < until));
}

function reckonCounter(
  statements: readonly Statement[],
  base: readonly ModelTokens[],
  children: readonly UsageEvent[],
): Reckoned {
  const out: Reckoned = { events: [], stated: 0, difference: 0 };
  const keyOf = keysFor(statements, children);
  const written = new ModelSums();
  const cut = new ModelSums();
  const counted = new ModelSums();
  let most = 0;
  for (const { line, time, next, reason, total, includes_children, ...own } of statements) {
    for (const one of own.written) written.add(keyOf(one.model), one);
    for (const one of own.cut) cut.add(keyOf(one.model), one);
    const sum = total.reduce((n, one) => n + totalTokens(one), 0);
    // A copy of the file states earlier totals again.
    if (sum < most) continue;
    most = sum;
    const left = new ModelSums(total.map((one) => ({ ...one, model: keyOf(one.model) })));
    for (const one of base) left.take(keyOf(one.model), one);
    out.stated = left.list().reduce((n, one) => n + totalTokens(one), 0);
    for (const one of written.list()) left.take(one.model, one);
    const off = new ModelSums(cut.list());
    for (const one of includes_children ? children : []) {
      if (!isWithin(one.time, null, next)) continue;
      if (one.cut) off.add(keyOf(one.model), one);
      else left.take(keyOf(one.model), one);
    }
    // Some agents state what was cut off all the same: then everything adds up.
    if (isAll(left, off)) {
      out.difference = 0;
      continue;
    }
    out.difference = 0;
    for (const { model, ...tokens } of left.list()) {
      const known = counted.of(model);
      const more = rise(known, tokens);
      out.difference += FIELDS.reduce((n, field) => n + Math.max(known[field], tokens[field]) - tokens[field], 0);
      if (totalTokens(more) === 0) continue;
      counted.add(model, more);
      out.events.push({ ...more, response_id: "", model, time, line, turn: null, reason });
    }
  }
  return out;
}

/** Those of which a statement's tokens are made. */
const FIELDS = ["input_tokens", "cached_input_tokens", "cache_write_tokens", "output_tokens"] as const;

/** By how much what is left is more than what was counted of it. */
function rise(known: Tokens, left: Tokens): Tokens {
  const more = noTokens();
  for (const field of Object.keys(more) as (keyof Tokens)[]) more[field] = Math.max(0, left[field] - known[field]);
  more.cache_write_1h_tokens = Math.min(more.cache_write_1h_tokens, more.cache_write_tokens);
  more.reasoning_tokens = Math.min(more.reasoning_tokens, more.output_tokens);
  return more;
}

function isAll(left: ModelSums, cut: ModelSums): boolean {
  return [...new Set([...left.models(), ...cut.models()])].every((model) => {
    const rest = { ...left.of(model) };
    takeTokens(rest, cut.of(model));
    return FIELDS.every((field) => rest[field] === 0);
  });
}

/**
 * How models are told apart. A total may call one otherwise than the response that it gave: where a response's model is not in
 * the total, only the sums over all models can be compared.
 */
function keysFor(
  statements: readonly Statement[],
  children: readonly UsageEvent[],
): (model: string | null) => string | null {
  const stated = new Set(statements.flatMap(({ total }) => total.flatMap(({ model }) => plain(model) ?? [])));
  const spent = [...statements.flatMap(({ written, cut }) => [...written, ...cut]), ...children];
  if (spent.every((one) => totalTokens(one) === 0 || stated.has(plain(one.model) ?? ""))) return plain;
  const [only = null, ...more] = stated;
  return () => (more.length === 0 ? only : null);
}

/** `[1m]` is how the model was asked, not another model. */
function plain(model: string | null): string | null {
  return model?.replace(/\[[^\]]*\]$/, "") ?? null;
}
