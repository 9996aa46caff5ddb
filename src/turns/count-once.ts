import { restated, saysMore } from "../format/restated.ts";
import { totalTokens } from "../format/tokens.ts";
import { answerableTurn } from "./children.ts";
import type { OwnedUsage, Session } from "./session.ts";

interface Holder {
  session: Session;
  usage: OwnedUsage;
}

/**
 * The same response can stand in several files and sessions (copies whose origin nobody names, replays in side files, a session
 * handed over before its answer was complete). It counts once, as all statements of it say together, for the first of the
 * sessions given that states it as its own; elsewhere it is a duplicate, so that the sum over sessions is what was really spent.
 * Returns which sessions share one.
 */
export function countOnce(sessions: readonly Session[]): [Session, Session][] {
  const firsts = new Map<string, Holder>();
  const shared = new Map<string, Holder[]>();
  for (const session of sessions) {
    for (const usage of session.usage) {
      const key = `${session.source}/${usage.event.response_id}`;
      const first = firsts.get(key);
      if (!first) firsts.set(key, { session, usage });
      else {
        const holders = shared.get(key);
        if (holders) holders.push({ session, usage });
        else shared.set(key, [first, { session, usage }]);
      }
    }
  }
  const lost = new Set<OwnedUsage>();
  for (const holders of shared.values()) settle(holders, lost);
  for (const session of sessions) {
    // What is a copy wherever it was met belongs to a session that is not here.
    session.usage = session.usage.filter((usage) => !lost.has(usage) && usage.event.copied === undefined);
    for (const usage of session.usage) {
      usage.owner = answerableTurn(usage.turn ?? session.cause);
      usage.turn?.usage.push(usage);
    }
  }
  return pairs(shared.values());
}

/** Gives the response to the first that states it as its own, and takes it from the others. */
function settle(holders: readonly Holder[], lost: Set<OwnedUsage>): void {
  const owner = holders.find(({ usage }) => usage.event.copied === undefined);
  if (!owner) return;
  const others = holders.filter((holder) => holder !== owner);
  let most = owner;
  for (const other of others) if (saysMore(other.usage.event, most.usage.event)) most = other;
  for (const other of others) {
    lost.add(other.usage);
    giveUp(other, other === most);
  }
  if (most !== owner) take(owner, totalTokens(most.usage.event));
  owner.usage.event = others.reduce((event, { usage }) => restated(event, usage.event), owner.usage.event);
}

/** `moves`: its numbers count, in the balance of the session that has the response. */
function giveUp({ session: { tokens }, usage: { event } }: Holder, moves: boolean): void {
  const total = totalTokens(event);
  const isCopy = event.copied !== undefined;
  if (isCopy && !moves) return;
  if (isCopy) tokens.inherited -= total;
  else tokens.counted -= total;
  if (moves) tokens.tokens_read -= total;
  else tokens.duplicates += total;
}

function take({ session: { tokens }, usage: { event } }: Holder, total: number): void {
  const before = totalTokens(event);
  tokens.tokens_read += total;
  tokens.counted += total - before;
  tokens.duplicates += before;
}

function pairs(shared: Iterable<readonly Holder[]>): [Session, Session][] {
  const known = new Map<Session, Set<Session>>();
  for (const [first, ...others] of shared) {
    for (const { session } of others) {
      if (!first || session === first.session) continue;
      known.set(first.session, (known.get(first.session) ?? new Set()).add(session));
    }
  }
  return [...known].flatMap(([a, others]) => [...others].map((b): [Session, Session] => [a, b]));
}
