import { bareSession } from "./assemble.ts";
import type { DraftChanges } from "./model.ts";
import { countUnwrittenAlone } from "./totals.ts";
import { turnRef, type Session, type Turn } from "./session.ts";

/**
 * A session of a single file that is related to no other file, reduced to what changed: its lists hold only the changed
 * turns, calls and responses, and its turns list no calls or responses. None of its turns is delegated.
 */
export function changedSession({ draft: part }: DraftChanges): Session {
  const session = bareSession({ source: part.source, session_id: part.session_id, parts: [part] });
  const turns = new Map<number, Turn>();
  for (const draft of part.turns)
    turns.set(draft.index, { session, part, draft, ref: turnRef(draft.index), children: [], usage: [], calls: [] });
  const find = (index: number | null): Turn | null => (index === null ? null : (turns.get(index) ?? null));
  session.turns = [...turns.values()];
  session.tools = part.tools.map((call) => ({ call, part, turn: find(call.turn) }));
  session.usage = part.usage.map((event) => ({ event, turn: find(event.turn), owner: find(event.turn) }));
  countUnwrittenAlone(session);
  return session;
}
