import type { ModelTokens } from "../record/record.ts";
import { totalTokens } from "../record/tokens.ts";
import type { Statement, UsageEvent } from "./model.ts";
import type { Session } from "./session.ts";
import { findUnwritten } from "./unwritten.ts";
import { sessionKey, keyOfSession } from "../record/session-key.ts";
import { addTo } from "../base/maps.ts";

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
