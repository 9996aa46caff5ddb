import type { ContextSource } from "../format/record.ts";
import { within, type TimeRange } from "../time/range.ts";
import { iso } from "../time/zone.ts";
import type { TurnContext } from "../turns/model.ts";
import type { Session } from "../turns/session.ts";
import { order } from "./citations.ts";
import { contextTrail, type ContextShift } from "./context.ts";

/** What ruled one turn, and what changed with or inside it. */
export interface ContextView extends TurnContext {
  source: string;
  session_id: string;
  session_path: string;
  project: string;
  project_key: string;
  turn_ref: string;
  time: string | null;
  start_line: number;
  end_line: number;
  /** Instruction files loaded so far in the session. */
  instructions: ContextSource[];
  /** Empty where everything stayed as in the turn before. */
  changes: ContextShift[];
  /** The session's first turn: where its settings begin. */
  first: boolean;
}

export function contextViews(
  sessions: readonly Session[],
  range: TimeRange,
  projectOf: (session: Session) => { project: string; project_key: string },
): ContextView[] {
  const views = sessions.flatMap((session) =>
    contextTrail(session)
      .map(({ turn, context, instructions, shifts }, i): ContextView => ({
        source: session.source,
        session_id: session.session_id,
        session_path: turn.part.path,
        ...projectOf(session),
        turn_ref: turn.ref,
        time: iso(turn.draft.trigger.time),
        start_line: turn.draft.start_line,
        end_line: turn.draft.end_line,
        ...context,
        cwd: context.cwd ?? session.meta.cwd,
        instructions,
        changes: shifts,
        first: i === 0,
      }))
      .filter((view) => within(range, view.time === null ? null : Date.parse(view.time))),
  );
  return views.toSorted(
    (a, b) =>
      order(a.time ?? "", b.time ?? "") ||
      order(a.source, b.source) ||
      order(a.session_id, b.session_id) ||
      order(a.turn_ref, b.turn_ref),
  );
}
