import { DaybookError } from "../../base/errors.ts";
import type { Project } from "../../views/projects/project.ts";
import { within, type TimeRange } from "../../base/time/range.ts";
import type { FileDraft } from "../../turns/model.ts";
import type { Session, Turn } from "../../turns/session.ts";

/** A file of a session that a human spoke to, with its turns of the day. */
export interface SelectedFile {
  session: Session;
  part: FileDraft;
  project: Project;
  /** The project's directory. */
  root: string;
  /** In the order of their lines, never empty. */
  turns: Turn[];
}

/** A session with human turns of the day that is not in the workspace, and why. */
export interface LeftOut {
  source: string;
  source_session_id: string;
  source_path: string;
  reason: string;
}

export interface Selection {
  files: SelectedFile[];
  left_out: LeftOut[];
}

export interface SelectRules {
  window: TimeRange;
  projectOf(session: Session): Project;
  rootOf(session: Session): string;
  /** Why a session with turns of the day is no evidence; null when it is. */
  refuse(session: Session, turns: readonly Turn[]): string | null;
}

/**
 * Selects files with turns of the day. A turn belongs to the day of its trigger, whatever the time of its reactions, of
 * the file or of the session. Copies and inherited history were removed when the sessions were assembled.
 */
export function selectFiles(sessions: readonly Session[], rules: SelectRules): Selection {
  const out: Selection = { files: [], left_out: [] };
  for (const session of sessions) {
    const turns = session.turns.filter((turn) => within(rules.window, turn.draft.trigger.time));
    if (turns.length === 0) continue;
    const reason = rules.refuse(session, turns);
    if (reason !== null) {
      const { source, session_id: source_session_id, path: source_path } = session;
      out.left_out.push({ source, source_session_id, source_path, reason });
      continue;
    }
    refuseConflict(session, turns);
    const project = rules.projectOf(session);
    for (const part of session.parts) {
      const own = turns.filter((turn) => turn.part === part);
      own.sort((a, b) => a.draft.start_line - b.draft.start_line);
      if (own.length > 0) out.files.push({ session, part, project, root: rules.rootOf(session), turns: own });
    }
  }
  return out;
}

/**
 * Files with the same session id that neither have the same bytes nor state where they take over contradict each other.
 * Reading joins them as well as it can, but evidence must not rest on a guess which of them is right.
 */
function refuseConflict(session: Session, turns: readonly Turn[]): void {
  const rivals = claimants(session).filter(
    // A file that repeats the other one has lost its turns to it, but is as much a claimant.
    (part) => part.records.inherited > 0 || turns.some((turn) => turn.part === part),
  );
  const [first, second] = rivals.map((part) => part.path).toSorted();
  if (first === undefined || second === undefined) return;
  throw new DaybookError(
    `conflicting files of ${session.source} session ${session.session_id}: ${first} and ${second}`,
    {
      code: "invalid",
      op: "select sessions",
      path: second,
      hint: "move one of them away, or name the right one with --root; nothing was changed",
    },
  );
}

/**
 * The files of a session that each claim to be all of it. Later segments state where they take over, and files that
 * only the book still has claim nothing.
 */
export function claimants(session: Session): FileDraft[] {
  return session.parts.filter((part) => part.gone === null && !part.rewinds.some((rewind) => rewind.line === 1));
}
