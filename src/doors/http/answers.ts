import type { NotPushed } from "../../views/not-pushed.ts";
import type { CommandCount } from "../../views/command-counts.ts";
import type { ChangedFile } from "../../views/list-rows.ts";
import type { Outcome } from "../../turns/model.ts";
import type { ShownOutcome } from "../../answers/shown-outcomes.ts";
import type { Handoff, ResumeView } from "../../answers/daybook.ts";
import type {
  Audit,
  Context,
  Decision,
  Doctor,
  ExplainAnswer,
  LabelCount,
  LogRecord,
  RateLimit,
  RecallAnswer,
  Report,
  SearchHit,
  Session,
  SessionMarks,
  ToolCall,
  Turn,
  UsageBlock,
  UsageReport,
} from "../../answers/json.ts";

/*
 * What the HTTP API answers in addition to what `--json` prints. `docs/openapi.json` is generated from these types
 * and the routes by `scripts/gen-openapi.js`: names and comments here are what users of the API read.
 */

export type {
  Label,
  LabelCount,
  Marks,
  Note,
  SessionMarks,
  TurnMarks,
  Audit,
  Child,
  Context,
  Decision,
  DecisionOption,
  Doctor,
  ExplainAnswer,
  LogRecord,
  RateLimit,
  Report,
  SearchHit,
  Session,
  SessionAudit,
  SourceHealth,
  ToolCall,
  ToolCounts,
  Turn,
  Usage,
  UsageBlock,
  UsageReport,
  UsageRow,
} from "../../answers/json.ts";

/** Lists are paged: the cursor leads to the next page, null at the end. */
interface Paged {
  /** The total number of elements. */
  total: number;
  next_cursor: string | null;
}

/** A session as a list shows it. */
export interface SessionCard extends Session {
  /** The first request, in one line. */
  first_request: string | null;
  /** How its last turn ended. */
  outcome: Outcome | null;
  /** The same as reports show it: `unproven` where its last check or its own words contradict it. */
  shown_outcome: ShownOutcome | null;
  /** Its last turn is open, its file grew within the last minutes, and its agent does not say that it waits for the human. */
  running: boolean;
}

export interface SessionPage extends Paged {
  sessions: SessionCard[];
}

/** A turn as a list shows it. */
export interface ListedTurn extends Turn {
  /** Its outcome as reports show it: `unproven` where its last check or its own words contradict it. */
  shown_outcome: ShownOutcome;
}

export interface TurnPage extends Paged {
  turns: ListedTurn[];
}

export interface ToolPage extends Paged {
  tools: ToolCall[];
  /** The turns of these calls. */
  turns: TurnName[];
}

/** What a turn was asked, and where. */
export interface TurnName {
  source: string;
  session_id: string;
  turn_ref: string;
  project: string;
  /** In one line; null if a store does not hold it. */
  request: string | null;
}

/** What a shared session or turn contains. */
export interface SharePreview {
  requests: number;
  tool_calls: number;
  /** Changed files. */
  files: number;
  /** Secrets that were hidden in it. */
  hidden: number;
  /** Notes of its reader that are in it. */
  notes: number;
  /** The beginning of it, as Markdown. */
  text: string;
  /** Whether there is more than `text`. */
  is_cut: boolean;
}

/** A record that contains the text. */
export interface SessionMatch {
  turn_ref: string | null;
  line: number | null;
  /** The text around the first match in the record, in one line. */
  snippet: string;
}

export interface SessionMatches {
  matches: SessionMatch[];
  /** The number of all matching records. */
  total: number;
}

/** One session with all its turns: what was asked, and what came of it. */
export interface SessionDetail {
  session: SessionCard;
  turns: Turn[];
  /** Sessions started by its turns. */
  children: SessionCard[];
  /** The command that resumes it; null if unknown. */
  resume: string | null;
}

/** A short form of a turn: enough to find it, and to reserve space for it until it is loaded. */
export interface TurnBrief {
  turn_ref: string;
  start_line: number | null;
  /** When it was requested. */
  time: string | null;
  /** The request in one line; null if a store does not hold it. */
  request: string | null;
  outcome: Outcome;
  /** The same as reports show it. */
  shown_outcome: ShownOutcome;
  duration_ms: number | null;
  /** Including the sessions it started. */
  cost_usd: number | null;
  tool_calls: number;
  /** Length of its last answer, in characters. */
  answer_length: number | null;
  model: string | null;
  /** Whether the human was asked something in it. */
  has_decisions: boolean | null;
}

/** One session with a short form of all its turns: what a reader needs before loading any of them. */
export interface SessionRequests {
  session: SessionCard;
  turns: TurnBrief[];
  /** Sessions started by its turns. */
  children: SessionCard[];
  /** The command that resumes it; null if unknown. */
  resume: string | null;
}

/** Records of a session in order, as canonical log records. */
export interface RecordPage extends Paged {
  records: LogRecord[];
  /** The turn whose records were requested; null if none was named. */
  turn: Turn | null;
  /** True if answers come from a store: records stay on the machine that pushed, only the turn itself is available. */
  are_elsewhere: boolean;
}

export interface DecisionList {
  decisions: Decision[];
}

export interface ContextList {
  context: Context[];
}

/** The name of a session: its title, or the first request. */
export interface SessionName {
  source: string;
  session_id: string;
  title: string | null;
  first_request: string | null;
}

export interface SearchHits {
  hits: SearchHit[];
  /** The sessions of the hits. */
  sessions: SessionName[];
  /** Only from a store: kinds of texts of which it does not hold all. */
  not_pushed?: NotPushed;
}

/** The marks on a session and its turns. */
export interface SessionMarked {
  /** Null if there are none. */
  marks: SessionMarks | null;
}

export interface LabelList {
  labels: LabelCount[];
}

export interface LimitList {
  limits: RateLimit[];
}

/** Blocks of hours as providers count their limits, in order of time, with the gaps between them. */
export interface BlockList {
  blocks: UsageBlock[];
}

/** One day of work. */
export interface Day {
  day: string;
  turns: number;
  tokens: number;
  cost_usd: number | null;
}

export interface Days {
  days: Day[];
  /** The usual cost of a day with work: the median of the last 28 before today; null if there are fewer than three. */
  usual_cost_usd: number | null;
}

/** What is running, and what waits for the human, now. */
export interface Now {
  running: SessionCard[];
  /** Loose ends of today's turns; turns that are still running are not included. */
  waiting: Report["loose_ends"];
  /** Loose ends of up to four weeks before today. */
  waiting_longer: Report["loose_ends"];
}

/** Tool calls counted by the command that was run. */
export interface CommandCounts {
  commands: CommandCount[];
}

/** What one project, agent or kind of turn spent. */
export interface UsageShare {
  name: string;
  tokens: number;
  cost_usd: number | null;
  unpriced_models: string[];
}

/** The same tokens, split in three ways. */
export interface UsageShares {
  projects: UsageShare[];
  sources: UsageShare[];
  /** By how the turn was triggered; `other` is what no human turn owns. */
  kinds: UsageShare[];
}

/** Turns, most expensive first. */
export interface DearestTurns {
  turns: ListedTurn[];
}

/** Files changed by turns. */
export interface FileList extends Paged {
  files: ChangedFile[];
}

/** The turns that changed one file, in order of time. */
export interface FileHistory {
  path: string;
  /** Every path it had, the requested one first. */
  names: string[];
  turns: ListedTurn[];
}

export interface ProjectCard {
  project: string;
  sessions: number;
  turns: number;
  last_time: string | null;
}

/** What is available, and what the page needs first. */
export interface Overview {
  version: string;
  /** In the time zone of the server. */
  today: string;
  timezone: string;
  /** The day the page opens on: today, or the last day with work. */
  opens_on: string;
  /** Whether the bundled samples are shown, because they were requested or no sessions were found. */
  sample: boolean;
  sessions: number;
  sources: string[];
  projects: ProjectCard[];
  /** Whether the page may open a terminal to resume a session: the settings name one. */
  opens_terminal: boolean;
  /** Whether a sync is running. */
  syncing: boolean;
}

/** An error, as in RFC 9457. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  /** What can be done about it. */
  hint: string | null;
}

/** A session that changed, and what answers it can be part of. */
export interface ChangedSession {
  source: string;
  session_id: string;
  /** Null if unknown: because it was removed, or because there are too many to look at each. */
  project: string | null;
  /** The days of its first and its last record. */
  since: string | null;
  until: string | null;
}

/** Sent as server-sent event `changes`: the sessions whose answers changed. */
export interface ChangeEvent {
  sessions: ChangedSession[];
  /** Files read by the sync that found the changes; null if another process did. */
  files_read: number | null;
}

/** What was opened to resume a session; `opened` is false where it cannot be resumed. */
export interface ResumeOpened extends ResumeView {
  opened: boolean;
}

export interface SyncDone {
  files_seen: number;
  files_read: number;
  entries: number;
}

/** By name; each route names its answer. */
export interface ApiAnswers {
  Audit: Audit;
  BlockList: BlockList;
  ChangeEvent: ChangeEvent;
  CommandCounts: CommandCounts;
  ContextList: ContextList;
  Days: Days;
  DearestTurns: DearestTurns;
  DecisionList: DecisionList;
  Doctor: Doctor;
  ExplainAnswer: ExplainAnswer;
  FileHistory: FileHistory;
  FileList: FileList;
  Handoff: Handoff;
  Now: Now;
  Overview: Overview;
  Problem: Problem;
  LabelList: LabelList;
  LimitList: LimitList;
  RecallAnswer: RecallAnswer;
  RecordPage: RecordPage;
  Report: Report;
  ResumeView: ResumeView;
  SearchHits: SearchHits;
  SessionDetail: SessionDetail;
  SessionMarked: SessionMarked;
  SessionMatches: SessionMatches;
  SessionPage: SessionPage;
  SessionRequests: SessionRequests;
  SharePreview: SharePreview;
  ResumeOpened: ResumeOpened;
  SyncDone: SyncDone;
  ToolPage: ToolPage;
  TurnPage: TurnPage;
  UsageReport: UsageReport;
  UsageShares: UsageShares;
}
