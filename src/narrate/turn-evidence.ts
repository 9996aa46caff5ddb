import type { TurnView } from "../views/turn-view.ts";
import type { ToolStatus } from "../record/record.ts";
import type { Commit } from "../views/facts/facts.ts";
import type { CheckRun } from "../views/facts/checks.ts";
import type { CompactRecord } from "./compact.ts";

/** A call and how it ended. */
export interface EvidenceCall {
  line: number;
  /** The line of its end; null when no end is recorded. */
  end_line: number | null;
  name: string;
  /** The shell commands it ran, as one text; empty when it ran none. */
  command: string;
  status: ToolStatus;
  exit_code: number | null;
  /** Files it changed, according to its result. */
  changes: { path: string; operation: string }[];
  /** For tests, builds and linters, the kind of check and its result; null for all other calls. */
  check: { kind: string; result: CheckRun["result"] | null; isLast: boolean } | null;
}

/** The full text of one native line: quotes and numbers are checked against it. */
export interface EvidenceLine {
  line: number;
  by: "human" | "agent" | "tool" | "other";
  text: string;
}

/** What one file records: its lines, in full and in short form, its calls and its commits. */
export interface FileEvidence {
  start: number;
  end: number;
  lines: EvidenceLine[];
  compact: CompactRecord[];
  calls: EvidenceCall[];
  commits: Commit[];
}

/** A session that a turn started: its records are evidence for the turn. */
export interface AgentEvidence extends FileEvidence {
  /** `A1`, one for each file of a session's sub-agents: `A1:3-9` cites its lines. */
  ref: string;
  role: string | null;
  /** The copy inside the project's folder. */
  file: string;
}

/** A turn of the day: everything that is said about it must be in here. Secrets are redacted already. */
export interface TurnEvidence extends FileEvidence {
  project_key: string;
  session_ref: string;
  turn_ref: string;
  /** Lines on which the human asked. */
  trigger_lines: number[];
  /** Sub-agents that it started or that answered in it. */
  agents: AgentEvidence[];
  /** Daybook's own numbers; null when the turn was not found in the copy. */
  view: TurnView | null;
}

export function turnName(turn: Pick<TurnEvidence, "session_ref" | "turn_ref">): string {
  return `${turn.session_ref}/${turn.turn_ref}`;
}
