import type { Relation, SessionRef } from "../record/record.ts";
import type { ChildLink } from "./model.ts";
import type { Child, Session, Turn } from "./session.ts";
import { sessionKey } from "../record/session-key.ts";

/**
 * Links every session that no human spoke to with the turn that caused it: by the parent's own records where they name
 * the child, otherwise by the child's header, first by the agent's turn id and last by time.
 */
export function linkChildren(sessions: readonly Session[], byKey: ReadonlyMap<string, Session>): void {
  for (const session of sessions) {
    for (const part of session.parts) {
      for (const link of part.children) attach(session, turnAt(session, part, link.turn), link, byKey);
    }
  }
  for (const session of sessions) {
    if (session.meta.kind !== "root" && session.cause === null) attachByHeader(session, byKey);
    if (session.meta.forked_from !== null) attachFork(session, byKey);
  }
}

/**
 * The human turn responsible for a piece of work: the turn itself, or the one at the top of the chain of delegations.
 */
export function answerableTurn(turn: Turn | null): Turn | null {
  const seen = new Set<Turn>();
  let at = turn;
  while (at && at.draft.delegated && !seen.has(at)) {
    seen.add(at);
    at = at.session.cause;
  }
  return at && !at.draft.delegated ? at : null;
}

function turnAt(session: Session, part: Session["parts"][number], index: number | null): Turn | null {
  if (index === null) return null;
  const draft = part.turns[index];
  return [...session.turns, ...session.delegations].find((turn) => turn.draft === draft) ?? null;
}

function attach(session: Session, turn: Turn | null, link: ChildLink, byKey: ReadonlyMap<string, Session>): void {
  const child = byKey.get(sessionKey(link.child)) ?? null;
  if (child === session) return;
  if (child && child.cause === null) child.cause = turn;
  if (child && link.relation === "companion") child.meta.kind = "companion";
  if (child && link.relation === "subagent") endOpen(child, link.returned_at);
  turn?.children.push({
    source: link.child.source,
    session_id: link.child.session_id,
    relation: link.relation,
    role: link.role ?? child?.meta.role ?? null,
    spawn_line: link.spawn_line,
    result_line: link.result_line,
    session: child,
  });
}

/**
 * The parent recorded that the child ended: calls still running then were cut off, and nothing will settle them any
 * more. A sub-agent that was killed writes no end of its own.
 */
function endOpen(child: Session, returned: number | null): void {
  if (returned === null) return;
  for (const { call, turn } of child.tools) {
    if (call.status !== "pending" || call.end_line !== null || (call.started_at ?? 0) > returned) continue;
    call.status = "interrupted";
    if (turn?.draft.outcome === "open") turn.draft.outcome = "aborted";
  }
}

function attachByHeader(session: Session, byKey: ReadonlyMap<string, Session>): void {
  const parent = session.meta.parent ? byKey.get(sessionKey(session.meta.parent)) : undefined;
  if (!parent || parent === session) return;
  const units = [...parent.turns, ...parent.delegations];
  const wanted = session.meta.parent_turn_id;
  const named = wanted === null ? undefined : units.findLast((turn) => turn.draft.native_turn_id === wanted);
  const turn = named ?? turnInForce(units, session.started_at);
  if (!turn) return;
  session.cause = turn;
  turn.children.push(childOf(session, session.meta.kind === "review" ? "review" : "subagent"));
}

/**
 * A fork is listed under the last turn it shares with its origin. Its cost is its own: no turn of the origin is charged
 * for it.
 */
function attachFork(session: Session, byKey: ReadonlyMap<string, Session>): void {
  const ref: SessionRef = { source: session.source, session_id: session.meta.forked_from ?? "" };
  const parent = byKey.get(sessionKey(ref));
  session.forked_from = ref;
  if (!parent || parent === session || session.meta.kind !== "root") return;
  lastShared(session, parent, byKey)?.children.push(childOf(session, "fork"));
}

function lastShared(session: Session, parent: Session, byKey: ReadonlyMap<string, Session>): Turn | null {
  const { forked_before: before, forked_after: copied } = session.meta;
  if (before !== undefined) return turnBefore(before, parent, byKey);
  const known = copied === undefined ? undefined : parent.turns.find(({ draft }) => draft.identity === copied);
  // It may have been made long after, and at an earlier point: the time is the last resort.
  return known ?? turnInForce(parent.turns, session.turns[0]?.draft.trigger.time ?? session.started_at);
}

/** Positions go on in a fork: one that was made at the beginning of another fork shares only what that one shares. */
function turnBefore(position: number, parent: Session, byKey: ReadonlyMap<string, Session>): Turn | null {
  const seen = new Set<Session>();
  let at: Session | undefined = parent;
  while (at && !seen.has(at)) {
    seen.add(at);
    const turn = at.turns.findLast(({ draft }) => draft.position < position);
    if (turn) return turn;
    at = byKey.get(sessionKey({ source: at.source, session_id: at.meta.forked_from ?? "" }));
  }
  return null;
}

function turnInForce(turns: readonly Turn[], time: number | null): Turn | null {
  const before = turns.filter((turn) => time === null || (turn.draft.trigger.time ?? 0) <= time);
  return before.at(-1) ?? turns[0] ?? null;
}

function childOf(session: Session, relation: Relation): Child {
  return {
    source: session.source,
    session_id: session.session_id,
    relation,
    role: session.meta.role,
    spawn_line: null,
    result_line: null,
    session,
  };
}
