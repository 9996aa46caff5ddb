import type { TurnView } from "../answers/turn-view.ts";
import type { ToolStatus } from "../format/record.ts";
import type { Commit } from "../report/facts.ts";
import type { CheckRun } from "../report/checks.ts";
import type { CompactRecord } from "./compact.ts";

/** A call and how it ended. */
export interface EvidenceCall {
  line: number;
  /** Where it ended; null when nothing says that it did. */
  end_line: number | null;
  name: string;
  /** The shell commands it ran, as one text; empty when it ran none. */
  command: string;
  status: ToolStatus;
  exit_code: number | null;
  /** Files it changed, by its own word. */
  files: string[];
  /** Of tests, builds and linters: how they ended, and what kind of check it was; null for all other calls. */
  check: { kind: string; result: CheckRun["result"] | null; isLast: boolean } | null;
}

/** What one native line says, whole: quotes and numbers are looked for in it. */
export interface EvidenceLine {
  line: number;
  by: "human" | "agent" | "tool" | "other";
  text: string;
}

/** What one file records: lines, short and whole, and what came of its calls. */
export interface FileEvidence {
  start: number;
  end: number;
  lines: EvidenceLine[];
  compact: CompactRecord[];
  calls: EvidenceCall[];
  commits: Commit[];
}

/** A session that a turn started: what it records is evidence of the turn. */
export interface AgentEvidence extends FileEvidence {
  /** `A1`, one for each file of a session's sub-agents: `A1:3-9` cites its lines. */
  ref: string;
  role: string | null;
  /** The copy inside the project's folder. */
  file: string;
}

/** A turn of the day: all that may be said of it has to stand here. Secrets are hidden in it already. */
export interface TurnEvidence extends FileEvidence {
  project_key: string;
  session_ref: string;
  turn_ref: string;
  /** Lines on which the human asked. */
  trigger_lines: number[];
  /** Those it started, or that answered in it. */
  agents: AgentEvidence[];
  /** Daybook's own numbers; null where the turn could not be found in the copy. */
  view: TurnView | null;
}

export function turnName(turn: Pick<TurnEvidence, "session_ref" | "turn_ref">): string {
  return `${turn.session_ref}/${turn.turn_ref}`;
}
