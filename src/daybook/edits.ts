import type { DayReport } from "../report/model.ts";
import { editsByTurn } from "../report/edits.ts";
import type { EditsOfTurn } from "../report/render/html.ts";
import type { FileEdit } from "../sources/contract.ts";
import { sessionKey } from "../turns/session.ts";
import type { Asking } from "./asking.ts";

/** What the turns of a report did to files, from the records of its sessions; of one that cannot be read, nothing. */
export async function edits(asking: Asking, report: DayReport, redact: boolean): Promise<EditsOfTurn> {
  const rows = await asking.rows({});
  const bySession = new Map<string, ReadonlyMap<string, readonly FileEdit[]>>();
  for (const session of report.projects.flatMap((project) => project.sessions)) {
    const key = sessionKey(session);
    const recorded = rows.recorded(key);
    if (!recorded || bySession.has(key)) continue;
    const view = rows.session(key);
    if (view) for (const found of asking.unlessBroken(view, () => editsByTurn(recorded))) bySession.set(key, found);
  }
  return (turn) => {
    const found = bySession.get(sessionKey(turn))?.get(turn.turn_ref) ?? [];
    return redact ? asking.redactor.all(found) : found;
  };
}
