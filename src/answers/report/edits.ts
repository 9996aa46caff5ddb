import { recordsOf, type Recording } from "../../views/recorded.ts";
import type { RecordBody } from "../../record/record.ts";
import type { FileEdit } from "../../agents/contract.ts";
import { editsOf } from "../../agents/traits.ts";

const CALLS: ReadonlySet<RecordBody["type"]> = new Set<RecordBody["type"]>(["tool_started", "tool_finished"]);

/** The file edits made by each turn's successful calls, in order, as far as the call inputs show them. */
export function editsByTurn(session: Recording): Map<string, FileEdit[]> {
  const byTurn = new Map<string, FileEdit[]>();
  const open = new Map<string, { turn: string; edits: FileEdit[] }>();
  for (const record of recordsOf(session, CALLS)) {
    if (record.type === "tool_started") {
      const edits = editsOf(record.name, record.input);
      if (edits.length > 0) open.set(record.call_id, { turn: record.turn_id ?? "", edits });
    } else if (record.type === "tool_finished" && record.status === "ok") {
      const call = open.get(record.call_id);
      if (!call) continue;
      // The end of a call may be stated twice.
      open.delete(record.call_id);
      byTurn.set(call.turn, [...(byTurn.get(call.turn) ?? []), ...call.edits]);
    }
  }
  return byTurn;
}
