import type { ContextSource } from "../format/record.ts";
import type { Diagnostic } from "../sources/contract.ts";
import type { TimeRange } from "../time/range.ts";
import type { LineRuns, TouchedFileAt } from "../turns/model.ts";
import type { SessionAudit } from "./audit-view.ts";
import type { ContextShift } from "./context-trail.ts";
import type { Naming } from "./projects/projects.ts";
import type { RecordedSession } from "./recorded.ts";
import type { SessionView } from "./session-view.ts";
import type { ToolView } from "./tool-view.ts";
import type { TurnView } from "./turn-view.ts";
import type { UsageItem } from "./usage-view.ts";

/** A turn, by where it stands; what is said of it is looked up when it is asked for. */
export interface TurnRow {
  /** The key of its session. */
  session: string;
  ref: string;
  time: number | null;
  project: string;
  project_key: string;
  view: () => TurnView;
}

/** What a report needs of a turn beyond what is printed of it. */
export interface TurnDetail {
  /** Which of the session's files it stands in. */
  part: number;
  /** Lines of the records it owns. */
  lines: LineRuns;
  /** Keys of the sessions it caused, and of those they caused. */
  below: string[];
  /** Null: it was ruled by what ruled the turn before. */
  settings: TurnSettings | null;
}

/** What ruled a turn beside its own settings. */
export interface TurnSettings {
  changes: ContextShift[];
  /** In force since this turn; absent where they are those of the turn before. */
  instructions?: ContextSource[];
}

export type RuledBy = Required<TurnSettings>;

/** What a report needs of a session beyond what is printed of it. */
export interface SessionDetail {
  /** Changed by work that agents asked for in it. */
  files: TouchedFileAt[];
  diagnostics: Diagnostic[];
}

/** How the calls of a turn ended. Those inside another call are not among them. */
export interface TurnCalls {
  /** Exit codes that are ordinary answers. */
  expected_exit: number;
  /** Those that did not end well. */
  problems: Omit<ToolView, "risks" | "input">[];
  /** The last of them failed. */
  fails: boolean;
}

/** As much of a turn's calls as says whether its records are worth reading. */
export interface CallGlance extends Pick<TurnCalls, "fails"> {
  /** Of all tools that were called, inside another call too. */
  names: ReadonlySet<string>;
}

/**
 * What reports, context lists and lists of decisions are made from: the rows of an index, or of sessions just read. Sessions are
 * named by their keys, `source/id`. Lists are of the sessions that were asked for.
 */
export interface AnswerRows {
  /** True for the sessions that were asked for. */
  isMeant: (session: string) => boolean;
  session: (key: string) => SessionView | null;
  detail: (key: string) => SessionDetail;
  audit: (key: string) => SessionAudit | null;
  /** The turns of a range, in order of time. Those without a time are in none that has bounds. */
  turnsIn: (range: TimeRange) => TurnRow[];
  /** Sessions with turns that have no time, and how many. */
  untimed: () => { session: string; turns: number }[];
  turn: (key: string, ref: string) => TurnRow | null;
  below: (key: string, ref: string) => readonly string[];
  /** What ruled each turn of a session, and what became different with it or in it. */
  settings: (key: string) => (ref: string) => RuledBy;
  calls: (key: string, ref: string) => TurnCalls;
  callGlance: (key: string, ref: string) => CallGlance;
  /** Of all calls of a session, exit codes that are ordinary answers. */
  expectedExits: (key: string) => number;
  /** What was spent for turns of the range, or in it where no turn answers for it; of all sessions. */
  usage: (range: TimeRange) => Iterable<UsageItem>;
  /** First and newest trigger. */
  workTimes: () => { first: number | null; newest: number | null };
  /** Sessions in which the human may have been asked something, some part of whose life is in the range. */
  asking: (range: TimeRange) => string[];
  /** Where its records are read again. */
  recorded: (key: string) => RecordedSession | null;
  /** What all sessions are called after, also those that were not asked for. */
  namings: () => Iterable<Naming>;
}
