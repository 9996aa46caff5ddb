import type { ContextSource } from "../record/record.ts";
import type { Diagnostic } from "../agents/contract.ts";
import type { TimeRange } from "../base/time/range.ts";
import type { TouchedFileAt } from "../turns/model.ts";
import type { SessionAudit } from "./audit-view.ts";
import type { ContextShift } from "./context-trail.ts";
import type { ProjectNaming } from "./projects/projects.ts";
import type { Recording } from "./recorded.ts";
import type { SessionView } from "./session-view.ts";
import type { ToolView } from "./tool-view.ts";
import type { TurnView } from "./turn-view.ts";
import type { UsageItem } from "./usage-view.ts";

/** A turn by its position. */
export interface TurnRow {
  /** The key of its session. */
  session: string;
  ref: string;
  time: number | null;
  project: string;
  project_key: string;
}

/** A turn with its view. */
export interface ViewRow extends TurnRow {
  view: TurnView;
  /** Keys of the sessions it caused, and of those they caused. */
  below: readonly string[];
}

/** A turn with everything a report says of it that is in the index. */
export interface ReportRow extends ViewRow {
  calls: CallOutcomes;
}

/** A session of a report: of one of its turns, or caused by one. */
export interface ReportSessionRow {
  /** Null for a session that is named but not there. */
  view: SessionView | null;
  files: SessionDetail["files"];
  /** Number of calls whose exit code is an ordinary answer. */
  expected_exit: number;
}

/** The rows of a report, read together. */
export interface ReportRows {
  turns: readonly ReportRow[];
  /** By session key. */
  sessions: ReadonlyMap<string, ReportSessionRow>;
}

/** Changes of settings and the instructions of a turn. */
export interface SettingsChange {
  changes: ContextShift[];
  /** In force from this turn on; absent when they are those of the previous turn. */
  instructions?: ContextSource[];
}

/** Facts about a session that a report needs beyond its view. */
export interface SessionDetail {
  /** Files changed by work that other agents requested in this session. */
  files: TouchedFileAt[];
  diagnostics: Diagnostic[];
}

/** How the calls of a turn ended. Calls inside another call are not included. */
export interface CallOutcomes {
  /** Number of calls whose exit code is an ordinary answer. */
  expected_exit: number;
  /** The calls that did not end well. */
  problems: Omit<ToolView, "risks" | "input">[];
  /** The last call failed. */
  fails: boolean;
}

/** The facts about a turn's calls that decide whether its records must be read. */
export interface CallGlance extends Pick<CallOutcomes, "fails"> {
  /** Names of all called tools, including calls inside another call. */
  names: ReadonlySet<string>;
}

/**
 * The data from which reports, context lists and decision lists are made: rows of an index, or of sessions just read.
 * Sessions are named by their keys, `source/id`. Lists contain the requested sessions.
 */
export interface AnswerRows {
  /** True for the sessions that were requested. */
  isRequested: (session: string) => boolean;
  session: (key: string) => SessionView | null;
  /** How the session is named in print. */
  shortId: (key: string) => string;
  detail: (key: string) => SessionDetail;
  audit: (key: string) => SessionAudit | null;
  /** The turns of a range, in order of time. A bounded range contains no turns without a time. */
  turnsIn: (range: TimeRange) => TurnRow[];
  /** These turns with their views, in the same order. */
  viewed: (turns: readonly TurnRow[]) => ViewRow[];
  /** These turns with all that a report says of them, in the same order, and the sessions it names beside them. */
  reported: (turns: readonly TurnRow[]) => ReportRows;
  /** Sessions that have turns without a time, with the number of these turns. */
  untimed: () => { session: string; turns: number }[];
  turn: (key: string, ref: string) => ViewRow | null;
  /** Looks up the settings in force in each turn of a session, and the changes with or in it. */
  settings: (key: string) => (ref: string) => Required<SettingsChange>;
  callGlance: (key: string, ref: string) => CallGlance;
  /** Usage of all sessions owned by turns of the range, or, without an owner, spent in the range. */
  usage: (range: TimeRange) => Iterable<UsageItem>;
  /** Times of the first and the newest trigger. */
  workTimes: () => { first: number | null; newest: number | null };
  /** Sessions that overlap the range and in which the human may have been asked something. */
  sessionsWithQuestions: (range: TimeRange) => string[];
  /** Gives access to the session's records; null when they are not available. */
  recordedSession: (key: string) => Recording | null;
  /** The project names of all sessions, including those not requested. */
  namings: () => Iterable<ProjectNaming>;
}
