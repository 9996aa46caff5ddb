import type { Invited, Member, RetentionRun, StoreStatus } from "../answers/team.ts";
import type { AuditReport, SessionAudit } from "../answers/audit-view.ts";
import type { LimitView } from "../answers/limit-view.ts";
import type { NotPushed } from "../answers/not-pushed.ts";
import type { LostPrompt } from "../answers/lost-view.ts";
import type {
  DailyReport,
  NarrationPlan,
  NarrationSpent,
  RejectedStatement,
  WeeklyReport,
} from "../answers/narrative.ts";
import type { SessionView } from "../answers/session-view.ts";
import type { ToolView } from "../answers/tool-view.ts";
import type { ChildView, ToolCounts, TurnView } from "../answers/turn-view.ts";
import type { UsageBlock } from "../answers/blocks.ts";
import type { UsageView } from "../answers/usage-sum.ts";
import type { UsageReport, UsageRow } from "../answers/usage-view.ts";
import type { CommitView, FileView } from "../blame/file-view.ts";
import type { BlameView } from "../blame/view.ts";
import type { Option } from "../decisions/brief.ts";
import type { DecisionView } from "../answers/decision-view.ts";
import type { ErrorCode } from "../errors.ts";
import type { LogRecord } from "../format/record.ts";
import type { DoctorReport, SourceHealth } from "../reading/doctor.ts";
import type { Explanation } from "../reading/explain.ts";
import type { ResumeView } from "../reading/resume.ts";
import type { Validation } from "../reading/validate.ts";
import type { ContextView } from "../report/context-view.ts";
import type { Handoff } from "../report/handoff/model.ts";
import type { DayReport } from "../report/model.ts";
import type { SearchResult } from "../store/search/search.ts";
import type { RecallAnswer, RecallMatch, RecallResult } from "../store/search/recall/model.ts";
import type { BookHealth } from "./book-health.ts";
import type { DecisionStatsView } from "./decision-stats.ts";
import type { ForgottenView } from "./forgetting.ts";
import type { LabelCount, MarkedView } from "./marking.ts";
import type { Label, Marks, Note, SessionMarks, TurnMarks } from "../answers/marks.ts";
import type { DamagedPage } from "../store/sync/rebuild.ts";
import type { SyncReport } from "../store/sync/sync.ts";
import type { Checked } from "../teaching/check.ts";
import type { Proposal, Rejected as RejectedProposal } from "../teaching/distill/proposals.ts";
import type { DistillStatus } from "../teaching/distill/status.ts";
import type { Preference } from "../teaching/preferences.ts";
import type { CollectionManifest } from "../workspace/collect.ts";
import type { Inspection, Listed } from "../workspace/inspect.ts";
import type { Prepared } from "../workspace/prepare.ts";
import type { Metadata } from "../workspace/window.ts";

/*
 * What `--json` prints, one type for each command. `docs/schema/answers.v1.schema.json` is made from this file by
 * `scripts/gen-answers.js`: names and comments here, and where these types are declared, are what users of the schema read.
 */

/** A session, and what it cost. */
export type Session = SessionView;
/** One request of a human and everything it caused, up to its outcome. */
export type Turn = TurnView;
/** A session that a turn caused. */
export type Child = ChildView;
export type ToolCall = ToolView;
export type { ToolCounts };
/** Tokens, each counted once, and what they cost. */
export type Usage = UsageView;
export type { UsageRow, UsageReport, UsageBlock };
export type RateLimit = LimitView;
export type { LostPrompt };
/** A question put to the human. */
export type Decision = DecisionView;
export type DecisionOption = Option;
/** A day, or any span of days. */
export type Report = DayReport;
/** What ruled one turn, and what changed with or inside it. */
export type Context = ContextView;
/** The balance: every record and every token has one owner. */
export type Audit = AuditReport;
export type { SessionAudit };
/** What one line of a session is, and why. */
export type { Explanation };
export type { SourceHealth };
export type SearchHit = SearchResult;
/** What the past has to say to a question. */
export type { RecallAnswer };
/** A turn that may be the answer. */
export type RecalledTurn = RecallResult;
export type { RecallMatch };
export type { Validation };
export type { DamagedPage };
/** A record of the canonical log. */
export type { LogRecord };
export type WorkspaceListed = Listed;

interface Versioned {
  schema_version: 1;
}

/** What a push sent, or would send. */
export interface PushAnswer extends Versioned {
  /** The address, without a password. */
  to: string;
  level: "totals" | "turns" | "full";
  machine_id: string;
  dry_run: boolean;
  /** In the book. */
  sessions: number;
  /** Sent; with `dry_run` what would be. */
  sent: number;
  /** Another machine has pushed the same or more of them. */
  behind: number;
  /** Taken out of the store because they were forgotten here. */
  forgotten: number;
  /** Here, and forgotten in the store: they stay out. */
  kept_out: number;
  /** The day before which texts do not leave, as the store's retention removes them; null where all do. */
  texts_before: string | null;
  rows: number;
  bytes: number;
  /** By the name of their table. */
  tables: Record<string, { rows: number; bytes: number }>;
  /** With `dry_run`: three rows of what would leave. */
  examples: { table: string; row: Record<string, string | number | boolean | null> }[];
}

export interface SessionsAnswer extends Versioned {
  /** The newest first. */
  sessions: Session[];
  /** Only from a store: what is known of none of them. */
  not_pushed?: NotPushed;
}

export interface LostPromptsAnswer extends Versioned {
  lost_prompts: LostPrompt[];
}

export interface TurnsAnswer extends Versioned {
  /** In order of time. */
  turns: Turn[];
  /** Only from a store: what is known of none of them. */
  not_pushed?: NotPushed;
}

export interface ToolsAnswer extends Versioned {
  tools: ToolCall[];
}

export interface RateLimitsAnswer extends Versioned {
  limits: RateLimit[];
}

export interface ShowAnswer extends Versioned {
  session: Session;
  /** Those asked for. */
  turns: Turn[];
  records: LogRecord[];
}

export interface DecisionsAnswer extends Versioned {
  decisions: Decision[];
}

/** What became of the questions agents asked, each counted once. */
export interface DecisionStatsAnswer extends Versioned, DecisionStatsView {
  /** Where the question log, preferences and registry are; null where only sessions were asked. */
  state_root: string | null;
}

/** Whether a question is to be asked. */
export interface DecisionCheckAnswer extends Versioned, Checked {}

/** A preference that was written. */
export interface PreferenceSetAnswer extends Versioned {
  question_id: string;
  preference: Preference;
  scope: "project" | "global";
  path: string;
}

/** What is set for a project, and for all. */
export interface PreferencesAnswer extends Versioned {
  project: string;
  preferences: {
    question_id: string;
    preference: string;
    scope: "project" | "global";
    /** A one-way door, or one option of a split list: it is asked all the same. */
    inert: boolean;
  }[];
}

/** What was learnt from answers in own words, or why nothing was. */
export interface DistillAnswer extends Versioned {
  code: "NO_LOG" | "NO_FREE_TEXT" | "DRY_RUN" | "DISTILL_COMPLETE";
  project: string;
  /** Answers that were looked at, or would be. */
  answers: number;
  /** Those that read like instructions. */
  left_out: number;
  proposals: Proposal[];
  rejected: RejectedProposal[];
  /** How often the agent was asked. */
  requests: number;
  tokens: { input: number; output: number } | null;
  cost_usd: number | null;
}

/** Proposals that wait, and what was spent. */
export interface DistillStatusAnswer extends Versioned, DistillStatus {
  project: string;
}

export interface DecisionsExported extends Versioned {
  added: number;
  already_known: number;
  files: string[];
  /** Answered questions the log does not take. */
  rejected: { id: string; reason: string }[];
}

export interface ContextAnswer extends Versioned {
  context: Context[];
}

export interface ExplainAnswer extends Versioned {
  explanations: Explanation[];
}

export interface SearchAnswer extends Versioned {
  results: SearchHit[];
  /** Only from a store: kinds of texts of which it does not have all. */
  not_pushed?: NotPushed;
}

export interface Doctor extends DoctorReport {
  /** Null where none is kept. */
  book: BookHealth | null;
  /** Only with `--verify` or `--repair`. */
  damaged_pages?: DamagedPage[];
}

/** What was, or would be, taken out of the book. */
export interface ForgetAnswer extends Versioned {
  /** Nothing was taken out. */
  dry_run: boolean;
  /** Of the book. */
  bytes: number;
  sessions: Pick<SessionView, "source" | "session_id" | "project" | "title" | "started_at" | "ended_at" | "turns">[];
}

/** What a person put on sessions and turns. */
export type { Label, Marks, Note, SessionMarks, TurnMarks, MarkedView, LabelCount };

export interface MarksAnswer extends Versioned {
  /** Of what was named; without a name all that somebody marked, sessions that began last first. */
  marks: MarkedView[];
}

export interface LabelsAnswer extends Versioned {
  labels: LabelCount[];
}

export interface ForgottenAnswer extends Versioned {
  forgotten: ForgottenView[];
}

/** Which request wrote each line of a file. */
export interface BlameAnswer extends Versioned, BlameView {}

/** Which turns touched a file. */
export interface FileAnswer extends Versioned, FileView {}

export interface CommitAnswer extends Versioned {
  /** The newest first. */
  commits: CommitView[];
}

/** What a session leaves to whoever goes on with it. */
export interface HandoffAnswer extends Versioned, Handoff {}

/** How a session is taken up again. */
export interface ResumeAnswer extends Versioned, ResumeView {}

export interface ValidateAnswer extends Versioned {
  files: Validation[];
}

/** What a sync did, counted; with `--watch` one a line. */
export interface SyncAnswer extends SyncReport, Versioned {}

export interface PrepareAnswer
  extends
    Versioned,
    Omit<Metadata, "schema_version">,
    Pick<Prepared, "workspace" | "manifest" | "created" | "projects" | "sessions" | "turns"> {
  /** These three only where a workspace was made. */
  subagents?: Prepared["subagents"];
  left_out?: Prepared["left_out"];
  gone?: Prepared["gone"];
}

/** The narrative of a day, as far as it was written. */
export interface NarrateAnswer extends Versioned {
  workspace: string;
  /** `planned` with `--dry-run`; `stopped` when a budget, a signal or the agent ended it: the same command goes on. */
  state: "planned" | "written" | "stopped";
  /** Why it was stopped. */
  why: string | null;
  /** Only with `--dry-run`. */
  plan: NarrationPlan | null;
  report: DailyReport | null;
  rejected: RejectedStatement[];
  spent: NarrationSpent | null;
  /** Files written. */
  files: string[];
}

/** The narratives of a week's days, and one over them. */
export interface NarrateWeekAnswer extends Versioned {
  since: string;
  until: string;
  state: NarrateAnswer["state"];
  why: string | null;
  /** Those with work, in order; the last may be the one at which it was stopped. */
  days: NarrateAnswer[];
  /** Null with `--dry-run`, and where it was stopped. */
  report: WeeklyReport | null;
  /** Of the narrative over the days. */
  rejected: RejectedStatement[];
  /** By the days and the week together. */
  spent: NarrationSpent | null;
  /** Files of the week; those of the days stand with them. */
  files: string[];
}

export interface InspectAnswer
  extends
    Versioned,
    Pick<Metadata, "report_date" | "timezone" | "status" | "prepared_at">,
    Omit<Inspection, "metadata"> {}

export interface WorkspacesAnswer extends Versioned {
  /** How many there are, listed or not. */
  total: number;
  workspaces: WorkspaceListed[];
}

export interface CollectAnswer extends CollectionManifest {
  output: string;
}

/** On stderr where a command failed and JSON was asked for. */
export interface ErrorAnswer {
  error: { code: ErrorCode; message: string; hint: string | null };
}

export interface StatuslineAnswer extends Versioned {
  /** As the agent shows it. */
  model: string | null;
  cwd: string | null;
  /** What the model has before it; null where the agent does not say. */
  context: { tokens: number; size: number | null; percent: number | null } | null;
  /** What the agent says the session cost, and what was counted where it was asked for or the agent is silent. */
  session: { stated_usd: number | null; counted: Usage | null } | null;
  /** Null before the first sync. */
  today: Usage | null;
  /** The block that is running; null where none is, and before the first sync. */
  block: UsageBlock | null;
}

export interface BlocksAnswer extends Versioned {
  /** In order of time, the times between them in which nothing was spent included. */
  blocks: UsageBlock[];
}

export interface TeamStatusAnswer extends Versioned {
  store: StoreStatus;
}

export interface TeamInitAnswer extends Versioned {
  store_id: string;
  /** Steps of the schema that were run now; none where it was up to date. */
  ran: string[];
}

export interface TeamInviteAnswer extends Versioned {
  invited: Invited;
}

export interface TeamMembersAnswer extends Versioned {
  members: Member[];
}

export interface TeamRetentionAnswer extends Versioned, RetentionRun {}

export interface TeamRevokeAnswer extends Versioned {
  /** The person, or the beginning of the token's id, as it was given. */
  revoked: string;
  /** The team the person was taken out of; null where tokens ended. */
  team: string | null;
  /** How many tokens ended. */
  tokens: number;
}

/** By command. `export` prints records of the log, one a line, with and without `--json`. */
export interface Answers {
  audit: Audit;
  blame: BlameAnswer;
  collect: CollectAnswer;
  commit: CommitAnswer;
  context: ContextAnswer;
  decisions: DecisionsAnswer;
  "decisions check": DecisionCheckAnswer;
  "decisions distill": DistillAnswer;
  "decisions distill --status": DistillStatusAnswer;
  "decisions export": DecisionsExported;
  "decisions prefer": PreferenceSetAnswer;
  "decisions prefer --list": PreferencesAnswer;
  "decisions stats": DecisionStatsAnswer;
  doctor: Doctor;
  explain: ExplainAnswer;
  file: FileAnswer;
  forget: ForgetAnswer;
  "forget --list": ForgottenAnswer;
  handoff: HandoffAnswer;
  inspect: InspectAnswer;
  label: LabelsAnswer;
  "label SESSION": MarksAnswer;
  list: WorkspacesAnswer;
  narrate: NarrateAnswer;
  "narrate --week": NarrateWeekAnswer;
  note: MarksAnswer;
  prepare: PrepareAnswer;
  push: PushAnswer;
  recall: RecallAnswer;
  report: Report;
  resume: ResumeAnswer;
  search: SearchAnswer;
  sessions: SessionsAnswer;
  "sessions --lost": LostPromptsAnswer;
  show: ShowAnswer;
  star: MarksAnswer;
  statusline: StatuslineAnswer;
  sync: SyncAnswer;
  team: TeamStatusAnswer;
  "team init": TeamInitAnswer;
  "team invite": TeamInviteAnswer;
  "team members": TeamMembersAnswer;
  "team retention": TeamRetentionAnswer;
  "team revoke": TeamRevokeAnswer;
  "team set": TeamStatusAnswer;
  "team status": TeamStatusAnswer;
  tools: ToolsAnswer;
  turns: TurnsAnswer;
  usage: UsageReport;
  "usage blocks": BlocksAnswer;
  "usage limits": RateLimitsAnswer;
  validate: ValidateAnswer;
  error: ErrorAnswer;
}
