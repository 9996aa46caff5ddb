import type { ModelTokens, Tokens } from "../record/record.ts";
import { keyOfSession, sessionKey } from "../record/session-key.ts";
import { noTokens, subtractTokens, totalTokens } from "../record/tokens.ts";
import { addTo } from "../base/maps.ts";
import { ModelSums } from "./model-sums.ts";
import type { Statement, UsageEvent } from "./model.ts";
import type { Session } from "./session.ts";

/**
 * Counts usage that agents include in their totals without writing a record of it. It belongs to the session, not to a
 * turn. Runs once every session knows its origin, its parent and its own responses.
 */
export function countUnwritten(sessions: readonly Session[], byKey: ReadonlyMap<string, Session>): void {
  const stating = sessions.filter((session) => statementsOf(session).length > 0);
  if (stating.length === 0) return;
  const below = childrenOf(sessions);
  for (const session of stating) {
    addUnwritten(session, spentBelow(session, below), (statement) => baseOf(session, statement, byKey));
  }
}

/** The same for a session that is related to no other. */
export function countUnwrittenAlone(session: Session): void {
  if (statementsOf(session).length > 0) addUnwritten(session, [], () => []);
}

function addUnwritten(
  session: Session,
  children: readonly UsageEvent[],
  base: (statement: Statement) => readonly ModelTokens[] | null,
): void {
  const { session_id } = session;
  const found = findUnwritten({ session_id, statements: statementsOf(session), children, baseOf: base });
  session.totals = { stated: found.stated, difference: found.difference };
  for (const event of found.events) {
    session.usage.push({ event, turn: null, owner: null });
    session.tokens.tokens_read += totalTokens(event);
    session.tokens.counted += totalTokens(event);
  }
}

function statementsOf({ parts }: Session): Statement[] {
  return parts.flatMap((part) => part.statements);
}

function childrenOf(sessions: readonly Session[]): Map<string, Session[]> {
  const below = new Map<string, Session[]>();
  for (const session of sessions) {
    const { parent, kind } = session.meta;
    if (!parent || kind === "root") continue;
    addTo(below, sessionKey(parent), session);
  }
  return below;
}

/** Responses of the sessions it started, and of those started by them. */
function spentBelow(session: Session, below: ReadonlyMap<string, readonly Session[]>): UsageEvent[] {
  const seen = new Set<Session>([session]);
  const queue = [session];
  const out: UsageEvent[] = [];
  for (let at = queue.pop(); at; at = queue.pop()) {
    for (const child of below.get(sessionKey(at)) ?? []) {
      if (seen.has(child)) continue;
      seen.add(child);
      queue.push(child);
      for (const part of child.parts) out.push(...part.usage.filter((event) => !event.copied));
    }
  }
  return out;
}

/**
 * The counter's value when a fork took it over: the last total its origin stated before. Null if the origin's statement
 * is missing: then nothing can be concluded from what the fork states.
 */
function baseOf(
  session: Session,
  { counter, since }: Statement,
  byKey: ReadonlyMap<string, Session>,
): readonly ModelTokens[] | null {
  const seen = new Set<Session>();
  let at = session;
  for (;;) {
    seen.add(at);
    const origin = byKey.get(keyOfSession(at.source, at.meta.forked_from ?? ""));
    const began = at.turns[0]?.draft.trigger.time ?? at.started_at;
    if (!origin || seen.has(origin)) {
      // If the origin's file is gone, the copied records count as the session's own, unless some are known to be
      // inherited.
      return at === session && session.records.inherited === 0 ? [] : null;
    }
    // The counter began with the session itself.
    if (at === session && since !== null && began !== null && since >= began) return [];
    const taken = statementsOf(origin).findLast(
      (one) => one.counter === counter && (began === null || one.time === null || one.time <= began),
    );
    if (taken) return taken.total;
    at = origin;
  }
}

/** The input: a session's statements and what they are compared with. */
export interface UnwrittenInput {
  session_id: string;
  statements: readonly Statement[];
  /** Responses of child sessions that ran in its processes. */
  children: readonly UsageEvent[];
  /** The counter's value when the session took it over from its origin; null if unknown. */
  baseOf: (statement: Statement) => readonly ModelTokens[] | null;
}

export interface UnwrittenUsage {
  /** Usage that no record states. */
  events: UsageEvent[];
  /** The latest totals without what was taken over, and what was counted minus those totals. */
  stated: number;
  difference: number;
}

/**
 * Finds what an agent's own totals include beyond its records: requests it writes no record of, such as compactions and
 * titles. Only proven usage counts: what a killed process recorded but did not include in a total makes the result
 * smaller, never larger.
 */
export function findUnwritten({ session_id, statements, children, baseOf }: UnwrittenInput): UnwrittenUsage {
  const out: UnwrittenUsage = { events: [], stated: 0, difference: 0 };
  const groups = simultaneous(statements);
  for (const [i, own] of groups.entries()) {
    const bases = new Map<string, readonly ModelTokens[]>();
    for (const one of own) {
      const base = bases.has(one.counter) ? null : baseOf(one);
      if (base) bases.set(one.counter, base);
    }
    if (bases.size === 0) continue;
    const until =
      groups
        .slice(i + 1)
        .map(beginOf)
        .find((begin) => begin !== null) ?? null;
    const kids = children.filter(({ time }) => isWithin(time, beginOf(own), until));
    const found = findUnwrittenOf(own, bases, kids);
    for (const { counter, ...event } of found.events)
      out.events.push({ ...event, response_id: nameOf(session_id, counter, event) });
    out.stated += found.stated;
    out.difference += found.difference;
  }
  return out;
}

/**
 * The statements of each counter. Those of processes that ran at the same time, in several windows, are one group: no
 * record says which of them it was written by, so only their sum can be compared.
 */
function simultaneous(statements: readonly Statement[]): Statement[][] {
  const groups: Statement[][] = [];
  for (const counter of new Set(statements.map((one) => one.counter))) {
    const own = statements.filter((one) => one.counter === counter);
    const beside = groups.findIndex((group) => overlap(group, own));
    if (beside === -1) groups.push(own);
    else groups[beside] = statements.filter((one) => own.includes(one) || groups[beside]?.includes(one));
  }
  return groups;
}

function overlap(a: readonly Statement[], b: readonly Statement[]): boolean {
  const [begin, end] = [beginOf(a), a.at(-1)?.time ?? null];
  const [other, last] = [beginOf(b), b.at(-1)?.time ?? null];
  return begin !== null && end !== null && other !== null && last !== null && begin < last && other < end;
}

function beginOf(group: readonly Statement[]): number | null {
  return group.reduce<number | null>((min, { since }) => (min === null || (since ?? min) < min ? since : min), null);
}

function nameOf(session: string, counter: string, { line, model }: UsageEvent): string {
  return `${session}#${counter}#${line}#${model ?? ""}`;
}

function isWithin(time: number | null, from: number | null, until: number | null): boolean {
  return time === null || ((from === null || time >= from) && (until === null || time < until));
}

interface GroupUsage extends Omit<UnwrittenUsage, "events"> {
  events: (UsageEvent & { counter: string })[];
}

function findUnwrittenOf(
  statements: readonly Statement[],
  bases: ReadonlyMap<string, readonly ModelTokens[]>,
  children: readonly UsageEvent[],
): GroupUsage {
  const out: GroupUsage = { events: [], stated: 0, difference: 0 };
  const keyOf = keysFor(statements, children);
  const written = new ModelSums();
  const cut = new ModelSums();
  const counted = new ModelSums();
  const totals = new Map<string, readonly ModelTokens[]>();
  const isGroup = new Set(statements.map(({ counter }) => counter)).size > 1;
  for (const { counter, line, time, next, reason, total, includes_children, ...own } of statements) {
    for (const one of own.written) written.add(keyOf(one.model), one);
    for (const one of own.cut) cut.add(keyOf(one.model), one);
    for (const one of (isGroup && own.earlier) || []) written.add(keyOf(one.model), one);
    // A copy of the file repeats earlier totals.
    if (!bases.has(counter) || sumOf(total) < sumOf(totals.get(counter) ?? [])) continue;
    totals.set(counter, total);
    const left = new ModelSums();
    for (const [name, stated] of totals) {
      for (const one of stated) left.add(keyOf(one.model), one);
      for (const one of bases.get(name) ?? []) left.subtract(keyOf(one.model), one);
    }
    out.stated = sumOf(left.list());
    for (const one of written.list()) left.subtract(one.model, one);
    const off = new ModelSums(cut.list());
    for (const one of includes_children ? children : []) {
      if (!isWithin(one.time, null, next)) continue;
      if (one.cut) off.add(keyOf(one.model), one);
      else left.subtract(keyOf(one.model), one);
    }
    // Some agents include responses that were cut off in their totals: then everything adds up.
    if (equalsCutOff(left, off)) {
      out.difference = 0;
      continue;
    }
    out.difference = 0;
    for (const { model, ...tokens } of left.list()) {
      const known = counted.of(model);
      const more = increase(known, tokens);
      out.difference += FIELDS.reduce((n, field) => n + Math.max(known[field], tokens[field]) - tokens[field], 0);
      if (totalTokens(more) === 0) continue;
      counted.add(model, more);
      out.events.push({ ...more, response_id: "", model, time, line, turn: null, reason, counter });
    }
  }
  return out;
}

function sumOf(list: readonly ModelTokens[]): number {
  return list.reduce((n, one) => n + totalTokens(one), 0);
}

/** The fields that make up the tokens of a statement. */
const FIELDS = ["input_tokens", "cached_input_tokens", "cache_write_tokens", "output_tokens"] as const;

/** By how much the remainder exceeds what was already counted of it. */
function increase(known: Tokens, left: Tokens): Tokens {
  const more = noTokens();
  for (const field of Object.keys(more) as (keyof Tokens)[]) more[field] = Math.max(0, left[field] - known[field]);
  more.cache_write_1h_tokens = Math.min(more.cache_write_1h_tokens, more.cache_write_tokens);
  more.reasoning_tokens = Math.min(more.reasoning_tokens, more.output_tokens);
  return more;
}

function equalsCutOff(left: ModelSums, cut: ModelSums): boolean {
  return [...new Set([...left.models(), ...cut.models()])].every((model) => {
    const rest = { ...left.of(model) };
    subtractTokens(rest, cut.of(model));
    return FIELDS.every((field) => rest[field] === 0);
  });
}

/**
 * Maps model names to comparable keys. A total may use another name for a model than its responses do: if a response's
 * model is not in the total, only the sums over all models can be compared.
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

/** A suffix such as `[1m]` is a request option, not another model. */
function plain(model: string | null): string | null {
  return model?.replace(/\[[^\]]*\]$/, "") ?? null;
}
