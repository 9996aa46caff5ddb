import { mergeStatements, isLargerStatement } from "../record/merge-statements.ts";
import { totalTokens } from "../record/tokens.ts";
import { answerableTurn } from "./children.ts";
import type { OwnedUsage, Session } from "./session.ts";
import { getOrAdd } from "../base/maps.ts";

interface Holder {
  session: Session;
  usage: OwnedUsage;
}

/**
 * The same response can appear in several files and sessions: copies whose origin is not named, replays in side files,
 * a session handed over before its answer was complete. It counts once, with the combined numbers of all its
 * statements, for the first of the given sessions that states it as its own. Everywhere else it is a duplicate, so that
 * the sum over all sessions is what was really spent. Returns the pairs of sessions that share a response.
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
    // A response that is a copy in every session belongs to a session that was not read.
    session.usage = session.usage.filter((usage) => !lost.has(usage) && usage.event.copied === undefined);
    for (const usage of session.usage) {
      usage.owner = answerableTurn(usage.turn ?? session.cause);
      usage.turn?.usage.push(usage);
    }
  }
  return pairs(shared.values());
}

/** Assigns the response to the first holder that states it as its own, and removes it from the others. */
function settle(holders: readonly Holder[], lost: Set<OwnedUsage>): void {
  const owner = holders.find(({ usage }) => usage.event.copied === undefined);
  if (!owner) return;
  const others = holders.filter((holder) => holder !== owner);
  let most = owner;
  for (const other of others) if (isLargerStatement(other.usage.event, most.usage.event)) most = other;
  for (const other of others) {
    lost.add(other.usage);
    giveUp(other, other === most);
  }
  if (most !== owner) take(owner, totalTokens(most.usage.event));
  owner.usage.event = others.reduce((event, { usage }) => mergeStatements(event, usage.event), owner.usage.event);
}

/** `moves`: its numbers are the ones that count; they move to the balance of the session that owns the response. */
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
      getOrAdd(known, first.session, () => new Set()).add(session);
    }
  }
  return [...known].flatMap(([a, others]) => [...others].map((b): [Session, Session] => [a, b]));
}
