import { decisionsOf } from "../turns/decisions/decisions.ts";
import { SCHEMA_VERSION, type LogRecord, type RecordBody } from "../record/record.ts";
import { iso } from "../base/time/zone.ts";
import { addTo } from "../base/maps.ts";
import type { FileDraft, TurnDraft } from "../turns/model.ts";
import { triggerOf, type Session, type Turn } from "../turns/session.ts";

const perSession = new WeakMap<Session, ReadonlyMap<string, string[]>>();

/** Ids of the decisions of a turn, in the order asked; the same ids as in `daybook decisions`. */
export function decisionIds(turn: Turn): string[] {
  const { session, ref } = turn;
  let byTurn = perSession.get(session);
  if (!byTurn) perSession.set(session, (byTurn = idsByTurn(session)));
  return byTurn.get(ref) ?? [];
}

function idsByTurn(session: Session): Map<string, string[]> {
  const out = new Map<string, string[]>();
  const { source, session_id, meta } = session;
  const about = { source, session_id, project: "", cwd: meta.cwd, kind: meta.kind };
  const replies = new Map(session.turns.map(({ ref, draft }) => [ref, draft.final_text]));
  for (const { decision } of decisionsOf(questionRecords(session), about, replies)) {
    if (decision.turn_ref === null) continue;
    addTo(out, decision.turn_ref, decision.id);
  }
  return out;
}

interface PlacedRecord {
  line: number;
  time: number | null;
  turn: number | null;
  body: RecordBody;
}

/** The records needed to find questions: messages of the human, and the kept records about questions. */
function* questionRecords(session: Session): Generator<LogRecord, void, undefined> {
  const turns = new Map(session.turns.map((turn) => [turn.draft, turn]));
  const first = session.parts[0]?.path;
  let seq = 0;
  for (const part of session.parts) {
    // The sort is stable: on the same line, the message comes before the reaction to it.
    const placed: PlacedRecord[] = [...messages(part, turns), ...part.questions].toSorted((a, b) => a.line - b.line);
    for (const { line, time, turn, body } of placed) {
      const draft = turn === null ? undefined : part.turns[turn];
      const ref = draft && turns.get(draft)?.ref;
      yield {
        schema_version: SCHEMA_VERSION,
        seq: seq++,
        time: iso(time),
        session_id: session.session_id,
        origin: part.path === first ? { line } : { line, path: part.path },
        ...(ref === undefined ? {} : { turn_id: ref }),
        ...body,
      };
    }
  }
}

function messages(part: FileDraft, turns: ReadonlyMap<TurnDraft, Turn>): PlacedRecord[] {
  return part.turns
    .filter((turn) => !turn.delegated)
    .map((draft) => {
      const known = turns.get(draft);
      const { line, time, text, kind, entry } = known ? triggerOf(known) : draft.trigger;
      const { follows } = draft;
      const follows_line = typeof follows === "number" ? part.turns[follows]?.trigger.line : follows;
      const said = { text, kind, entry, ...(follows_line === undefined ? {} : { follows_line }) };
      return { line, time, turn: draft.index, body: { type: "user", author: "human", ...said } };
    });
}
