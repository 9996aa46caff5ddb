import type { TurnView } from "../../views/turn-view.ts";
import type { FileOperation } from "../../record/record.ts";
import type { FileEdit } from "../../agents/contract.ts";

/** Which turns touched a file. */
export interface FileView {
  path: string;
  /** Every path the file had, the newest first. */
  names: string[];
  /** In order of time. */
  turns: TouchingTurn[];
  /** Cost of these turns and everything they caused, as far as it is known. */
  cost_usd: number | null;
}

export interface TouchingTurn extends TurnView {
  /** `SOURCE/SESSION/T0001`. */
  turn: string;
  changes: ChangeView[];
}

export interface ChangeView {
  /** The name the file had at the time. */
  path: string;
  /** What the call did, or what the agent says it did. */
  how: Exclude<FileEdit["kind"], "notebook"> | FileOperation;
  /** The session that made the change: the turn's own, or one it caused. */
  session_id: string;
  line: number;
  time: string | null;
}

/** The turns behind a commit. */
export interface CommitView {
  hash: string;
  subject: string;
  author: string;
  time: string;
  /** Lines that come from the commit, and how many of them are attributed to a turn. */
  lines: number;
  attributed: number;
  /** Files of a very large commit whose lines were not counted. */
  files_skipped: number;
  turns: CommitTurn[];
}

export interface CommitTurn {
  /** `SOURCE/SESSION/T0001`. */
  turn: string;
  source: string;
  session_id: string;
  turn_ref: string;
  time: string | null;
  request: string;
  /** What the turn and everything it caused cost. */
  cost_usd: number | null;
  /** The line of the session in which the commit was made; null where the turn did not make it. */
  made: number | null;
  /** Lines of the commit that the turn wrote. */
  lines: number;
}
