import type { FileDraft, LineRuns } from "../../turns/model.ts";
import type { Session } from "../../turns/session.ts";
import { claimants, type LeftOut, type SelectedFile } from "./select.ts";
import { sessionKey } from "../../record/session-key.ts";

export type Association = "spawned_or_returned_in_target_span" | "named_by_child_header";

/** A file of a session that a turn caused. */
export interface ChildFile {
  session: Session;
  part: FileDraft;
  role: string | null;
  spawn_line: number | null;
  result_line: number | null;
  association: Association;
}

interface Claim extends Omit<ChildFile, "part"> {}

/**
 * For each turn of the file, the sub-agents it started or got an answer from. An agent that was started in one turn and
 * answered in another is listed in both. `leaveOut` is called for children that cannot be told apart.
 */
export function childFiles(
  file: SelectedFile,
  byKey: ReadonlyMap<string, Session>,
  leaveOut: (left: LeftOut) => void,
): ChildFile[][] {
  return file.turns.map((turn) => {
    const { start_line, end_line, lines, native_turn_id } = turn.draft;
    // Turns of several windows may overlap: a line inside this one may be owned by another.
    const others = file.part.turns.filter((other) => other !== turn.draft && other.start_line <= end_line);
    const holds = (line: number | null): boolean =>
      line !== null &&
      (hasLine(lines, line) ||
        (line >= start_line && line <= end_line && !others.some((other) => hasLine(other.lines, line))));
    const claims = new Map<Session, Claim>();
    for (const link of file.part.children) {
      const session = byKey.get(sessionKey(link.child));
      if (!session || session === file.session || link.relation === "fork") continue;
      if (!holds(link.spawn_line) && !holds(link.result_line)) continue;
      const { spawn_line, result_line } = link;
      const role = link.role ?? session.meta.role;
      claims.set(session, {
        session,
        role,
        spawn_line,
        result_line,
        association: "spawned_or_returned_in_target_span",
      });
    }
    // The parent's records may say nothing while the child's header names this very turn.
    for (const { session, relation, role } of turn.children) {
      if (!session || relation === "fork" || claims.has(session) || native_turn_id === null) continue;
      if (session.meta.parent_turn_id !== native_turn_id) continue;
      claims.set(session, { session, role, spawn_line: null, result_line: null, association: "named_by_child_header" });
    }
    return [...claims.values()].toSorted(byLine).flatMap((claim) => filesOf(claim, leaveOut));
  });
}

function hasLine(runs: LineRuns, line: number): boolean {
  for (let i = 0; i < runs.length; i += 2) if ((runs[i] ?? 0) <= line && line <= (runs[i + 1] ?? 0)) return true;
  return false;
}

function byLine(a: Claim, b: Claim): number {
  const line = (claim: Claim): number => claim.spawn_line ?? claim.result_line ?? 0;
  return line(a) - line(b) || (a.session.session_id < b.session.session_id ? -1 : 1);
}

/** When several files claim to be the child, it is unknown which one the parent meant. */
function filesOf(claim: Claim, leaveOut: (left: LeftOut) => void): ChildFile[] {
  const { session } = claim;
  if (claimants(session).length <= 1) return session.parts.map((part) => ({ ...claim, part }));
  for (const part of session.parts) {
    const { source, session_id: source_session_id } = session;
    leaveOut({ source, source_session_id, source_path: part.path, reason: "several files claim to be this child" });
  }
  return [];
}
