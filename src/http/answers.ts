import type { NotPushed } from "../answers/not-pushed.ts";
import type { CommandCount } from "../answers/command-counts.ts";
import type { ChangedFile } from "../answers/changed-files.ts";
import type { Outcome } from "../turns/model.ts";
import type {
  Audit,
  Context,
  Decision,
  Doctor,
  ExplainAnswer,
  LabelCount,
  LogRecord,
  RateLimit,
  Report,
  SearchHit,
  Session,
  SessionMarks,
  ToolCall,
  Turn,
  UsageBlock,
  UsageReport,
} from "../daybook/json.ts";

/*
 * What the HTTP API answers beyond what `--json` prints. `docs/openapi.json` is made from these types and the routes by
 * `scripts/gen-openapi.js`: names and comments here are what users of the API read.
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
} from "../daybook/json.ts";

/** Lists are given in pieces: the cursor leads to the next one, null at the end. */
interface Paged {
  /** How many there are in all. */
  total: number;
  next_cursor: string | null;
}

/** A session as a list shows it. */
export interface SessionCard extends Session {
  /** What its human asked first, in one line. */
  first_request: string | null;
  /** How its last turn ended. */
  outcome: Outcome | null;
  /** Its last turn is open and its file grew within the last minutes. */
  running: boolean;
}

export interface SessionPage extends Paged {
  sessions: SessionCard[];
}

export interface TurnPage extends Paged {
  turns: Turn[];
}

export interface ToolPage extends Paged {
  tools: ToolCall[];
}

/** One session with all its turns: what was asked, and what came of it. */
export interface SessionDetail {
  session: SessionCard;
  turns: Turn[];
  /** Sessions that its turns caused. */
  children: SessionCard[];
  /** What a human types to take it up again; null where that is not known. */
  resume: string | null;
}

/** A turn in few words: enough to find it, and to leave room for it until it is read. */
export interface TurnBrief {
  turn_ref: string;
  start_line: number | null;
  /** When it was asked for. */
  time: string | null;
  /** What was asked, in one line; null where a store does not hold it. */
  request: string | null;
  outcome: Outcome;
  duration_ms: number | null;
  /** With what the sessions it caused cost. */
  cost_usd: number | null;
  tool_calls: number;
  /** How long its last answer is, in characters. */
  answer_length: number | null;
  model: string | null;
  /** The human was asked something in it. */
  has_decisions: boolean | null;
}

/** One session with all its turns in few words: what a reader needs before any of them is read. */
export interface SessionRequests {
  session: SessionCard;
  turns: TurnBrief[];
  /** Sessions that its turns caused. */
  children: SessionCard[];
  /** What a human types to take it up again; null where that is not known. */
  resume: string | null;
}

/** Records of a session in order, in the form of the canonical log. */
export interface RecordPage extends Paged {
  records: LogRecord[];
  /** The turn whose records were asked for; null where none was named. */
  turn: Turn | null;
  /** Answers come from a store: records stay on the machine that pushed, and only what is said of the turn is here. */
  are_elsewhere: boolean;
}

export interface DecisionList {
  decisions: Decision[];
}

export interface ContextList {
  context: Context[];
}

/** What a session is called: its title, or what was asked first. */
export interface SessionName {
  source: string;
  session_id: string;
  title: string | null;
  first_request: string | null;
}

export interface SearchHits {
  hits: SearchHit[];
  /** The sessions they stand in. */
  sessions: SessionName[];
  /** Only from a store: kinds of texts of which it does not have all. */
  not_pushed?: NotPushed;
}

/** What people put on a session and its turns. */
export interface SessionMarked {
  /** Null where there is nothing. */
  marks: SessionMarks | null;
}

export interface LabelList {
  labels: LabelCount[];
}

export interface LimitList {
  limits: RateLimit[];
}

/** Stretches of hours as providers count their limits, in order of time; what lies between them is a gap. */
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
  /** What a day with work usually costs: the middle of the last 28 before today; null where there were fewer than three. */
  usual_cost_usd: number | null;
}

/** What is at work, and what waits for the human, now. */
export interface Now {
  running: SessionCard[];
  /** Left by today's turns, and still loose; what is still at work is none. */
  waiting: Report["loose_ends"];
  /** Left up to four weeks before today, and still loose. */
  waiting_longer: Report["loose_ends"];
}

/** Tool calls counted by what was run. */
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

/** The same tokens divided in three ways. */
export interface UsageShares {
  projects: UsageShare[];
  sources: UsageShare[];
  /** By how the turn was asked for; `other` is what no turn of a human answers for. */
  kinds: UsageShare[];
}

/** Turns, those that cost most first. */
export interface DearestTurns {
  turns: Turn[];
}

/** Files that turns changed. */
export interface FileList extends Paged {
  files: ChangedFile[];
}

/** Which turns changed one file, in order of time. */
export interface FileHistory {
  path: string;
  /** Every path it had, the one that was asked for first. */
  names: string[];
  turns: Turn[];
}

export interface ProjectCard {
  project: string;
  sessions: number;
  turns: number;
  last_time: string | null;
}

/** What is here, and what the page needs before anything is asked. */
export interface Overview {
  version: string;
  /** By the zone in which days are counted. */
  today: string;
  timezone: string;
  /** The day a page of what happened opens on: today; the last day of the bundled samples where they are shown. */
  opens_on: string;
  /** The bundled samples are shown, because nothing else was found or because they were asked for. */
  sample: boolean;
  sessions: number;
  sources: string[];
  projects: ProjectCard[];
  /** A sync is under way. */
  syncing: boolean;
}

/** An error, as RFC 9457 has it. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  /** What can be done about it. */
  hint: string | null;
}

/** Sent as server-sent event `changes`: of these sessions answers are different. */
export interface ChangeEvent {
  sessions: { source: string; session_id: string }[];
  /** What the sync that found them read; null where another process did. */
  files_read: number | null;
}

export interface SyncDone {
  files_seen: number;
  files_read: number;
  entries: number;
}

/** By name; routes name the one they answer with. */
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
  Now: Now;
  Overview: Overview;
  Problem: Problem;
  LabelList: LabelList;
  LimitList: LimitList;
  RecordPage: RecordPage;
  Report: Report;
  SearchHits: SearchHits;
  SessionDetail: SessionDetail;
  SessionMarked: SessionMarked;
  SessionPage: SessionPage;
  SessionRequests: SessionRequests;
  SyncDone: SyncDone;
  ToolPage: ToolPage;
  TurnPage: TurnPage;
  UsageReport: UsageReport;
  UsageShares: UsageShares;
}
