import type { ContextSource } from "../format/record.ts";
import type { ContextShift } from "../answers/context-trail.ts";
import type { AnswerRows } from "../answers/rows.ts";
import type { TimeRange } from "../time/range.ts";
import type { TurnContext } from "../turns/model.ts";
import { placeOf } from "../turns/session.ts";
import { order } from "../text/order.ts";

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

export function contextViews(rows: AnswerRows, range: TimeRange): ContextView[] {
  const settings = new Map<string, ReturnType<AnswerRows["settings"]>>();
  const ruled = (key: string): ReturnType<AnswerRows["settings"]> => {
    let known = settings.get(key);
    if (!known) settings.set(key, (known = rows.settings(key)));
    return known;
  };
  const views = rows.turnsIn(range).map(({ session, ref, view }): ContextView => {
    const { source, session_id, session_path, project, project_key, cwd, ...turn } = view();
    const { changes, instructions } = ruled(session)(ref);
    return {
      ...{
        source,
        session_id,
        session_path: session_path ?? "",
        project,
        project_key,
        turn_ref: ref,
        time: turn.trigger.time,
      },
      ...{ start_line: turn.start_line ?? 0, end_line: turn.end_line ?? 0 },
      ...turn.context,
      cwd,
      instructions,
      changes,
      first: placeOf(ref) === 0,
    };
  });
  return views.toSorted(
    (a, b) =>
      order(a.time ?? "", b.time ?? "") ||
      order(a.source, b.source) ||
      order(a.session_id, b.session_id) ||
      order(a.turn_ref, b.turn_ref),
  );
}
