import type { CheckRun, LooseEnd, ReportCommit, ReportFile } from "../report/model.ts";
import type { Outcome } from "../../turns/model.ts";
import type { OpenPoint } from "../../views/day-review.ts";
import type { Act } from "./acts.ts";

/**
 * A day in a few thousand tokens, for a model to read: per turn the request, the calls with their status, and the final
 * reply, each cut; and what earlier days left open. With it, what statements about it are compared with.
 */
export interface DayDigest {
  day: string;
  timezone: string;
  turns: DigestTurn[];
  open: OpenBefore[];
  /** The day as it is sent: usually one text, several where one would be too long for a request. */
  parts: DigestPart[];
  /** SHA-256 of the parts. */
  hash: string;
}

export interface DigestPart {
  text: string;
  /** Names of its turns. */
  turns: readonly string[];
}

/** What is open before the day begins. */
export interface OpenBefore {
  /** `O1`, `O2`, … */
  name: string;
  day: string;
  project: string;
  source: string;
  session_id: string;
  turn_ref: string;
  text: string;
  /** What a model read on an earlier day; null where the records show it. */
  point: OpenPoint | null;
  /** The loose end that the records show; null where only a model read it. */
  end: LooseEnd | null;
}

export interface DigestTurn {
  /** `t1`, `t2`, … in the order of time. */
  name: string;
  /** `s1`, `s2`, … */
  session: string;
  source: string;
  session_id: string;
  turn_ref: string;
  project: string;
  time: string;
  /** `HH:MM` in the zone of the day. */
  clock: string;
  cwd: string | null;
  isAutomated: boolean;
  outcome: Outcome;
  request: string;
  reply: string;
  acts: Act[];
  /** Files that the turn and its sub-agents changed. */
  files: readonly ReportFile[];
  commits: readonly ReportCommit[];
  lastCheck: CheckRun | null;
  questions: { question: string; answer: string | null }[];
  todos: { text: string; isDone: boolean }[];
  /** What was sent of the turn, in pieces: a quote lies within one of them. Filled when the text is made. */
  sent: SentPiece[];
}

export interface SentPiece {
  by: "human" | "agent" | "record";
  text: string;
}
