import type { ContextSource } from "../../record/record.ts";
import type { ContextShift } from "../../views/context-trail.ts";
import type { AnswerRows } from "../../views/rows.ts";
import type { TimeRange } from "../../base/time/range.ts";
import type { TurnContext } from "../../turns/model.ts";
import { turnIndexOf } from "../../turns/session.ts";
import { order } from "../../base/text/order.ts";
import { getOrAdd } from "../../base/maps.ts";

/** The settings in force for one turn, and what changed with or during it. */
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
  /** Empty when nothing changed since the previous turn. */
  changes: ContextShift[];
  /** True for the session's first turn, where its settings begin. */
  first: boolean;
}

export function contextViews(rows: AnswerRows, range: TimeRange): ContextView[] {
  const settings = new Map<string, ReturnType<AnswerRows["settings"]>>();
  const ruled = (key: string): ReturnType<AnswerRows["settings"]> => getOrAdd(settings, key, () => rows.settings(key));
  const views = rows.viewed(rows.turnsIn(range)).map(({ session, ref, view }): ContextView => {
    const { source, session_id, session_path, project, project_key, cwd, ...turn } = view;
    const { changes, instructions } = ruled(session)(ref);
    return {
      source,
      session_id,
      session_path: session_path ?? "",
      project,
      project_key,
      turn_ref: ref,
      time: turn.trigger.time,
      start_line: turn.start_line ?? 0,
      end_line: turn.end_line ?? 0,
      ...turn.context,
      cwd,
      instructions,
      changes,
      first: turnIndexOf(ref) === 0,
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
