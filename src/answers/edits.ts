import type { DayReport, ReportTurn } from "./report/model.ts";
import { editsByTurn } from "./report/edits.ts";
import type { FileEdit } from "../agents/contract.ts";
import type { AnswerContext } from "./answer-context.ts";
import { sessionKey } from "../record/session-key.ts";

/** Looks up what a turn's calls did to files. */
export type EditsOf = (turn: Pick<ReportTurn, "source" | "session_id" | "turn_ref">) => readonly FileEdit[];

/**
 * The file edits of the turns of a report, from the records of its sessions; none for a session that cannot be read.
 */
export async function edits(ctx: AnswerContext, report: DayReport, redact: boolean): Promise<EditsOf> {
  const rows = ctx.rows({});
  const bySession = new Map<string, ReadonlyMap<string, readonly FileEdit[]>>();
  for (const session of report.projects.flatMap((project) => project.sessions)) {
    const key = sessionKey(session);
    const recorded = rows.recordedSession(key);
    if (!recorded || bySession.has(key)) continue;
    const view = rows.session(key);
    if (view) for (const found of ctx.unlessBroken(view, () => editsByTurn(recorded))) bySession.set(key, found);
  }
  return (turn) => {
    const found = bySession.get(sessionKey(turn))?.get(turn.turn_ref) ?? [];
    return redact ? ctx.redactor.all(found) : found;
  };
}
