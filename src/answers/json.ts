import type { Invited, Member, RetentionRun, StoreStatus } from "../views/team.ts";
import type { AuditReport, SessionAudit } from "../views/audit-view.ts";
import type { LimitView } from "../views/limit-view.ts";
import type { NotPushed } from "../views/not-pushed.ts";
import type { LostPrompt } from "../views/lost-view.ts";
import type {
  DailyReport,
  NarrationPlan,
  NarrationSpent,
  RejectedStatement,
  WeeklyReport,
} from "../views/narrative.ts";
import type { SessionView } from "../views/session-view.ts";
import type { ToolView } from "../views/tool-view.ts";
import type { ChildView, ToolCounts, TurnView } from "../views/turn-view.ts";
import type { UsageBlock } from "../views/blocks.ts";
import type { UsageView } from "../views/usage-sum.ts";
import type { UsageReport, UsageRow } from "../views/usage-view.ts";
import type { CommitView, FileView } from "./blame/file-view.ts";
import type { BlameView } from "./blame/view.ts";
import type { Option } from "../turns/decisions/brief.ts";
import type { DecisionView } from "../views/decision-view.ts";
import type { ErrorCode } from "../base/errors.ts";
import type { LogRecord } from "../record/record.ts";
import type { SourceHealth } from "../book/reading/doctor.ts";
import type { Explanation } from "../book/reading/explain.ts";
import type { ResumeView } from "../book/reading/resume.ts";
import type { Validation } from "../book/reading/validate.ts";
import type { ContextView } from "./report/context-view.ts";
import type { Handoff } from "./report/handoff/model.ts";
import type { DayReport } from "./report/model.ts";
import type { SearchResult } from "../index/search/search.ts";
import type { RecallAnswer, RecallMatch, RecallResult } from "../index/search/recall/model.ts";
import type { DoctorAnswer } from "./doctor.ts";
import type { DecisionStatsView } from "./decision-stats.ts";
import type { ForgottenView } from "./forgetting.ts";
import type { LabelCount, MarkedView } from "./marking.ts";
import type { Label, Marks, Note, SessionMarks, TurnMarks } from "../views/marks.ts";
import type { DamagedPage } from "../index/sync/rebuild.ts";
import type { DayReview, ReviewPlan } from "../views/day-review.ts";
import type { SyncReport } from "../index/sync/sync.ts";
import type { Checked } from "../teach/check.ts";
import type { Proposal, Rejected as RejectedProposal } from "../teach/distill/proposals.ts";
import type { DistillStatus } from "../teach/distill/status.ts";
import type { Preference } from "../teach/preferences.ts";
import type { CollectionManifest } from "./workspace/collect.ts";
import type { Inspection, Listed } from "./workspace/inspect.ts";
import type { Prepared } from "./workspace/prepare.ts";
import type { Metadata } from "./workspace/window.ts";

/*
 * What `--json` prints, one type per command. `docs/schema/answers.v1.schema.json` is generated from this file by
 * `scripts/gen-answers.js`: names and comments here, and where these types are declared, are what users of the schema
 * read.
 */

/** A session, and what it cost. */
export type Session = SessionView;
/** One request of a human and everything it caused, up to its outcome. */
export type Turn = TurnView;
/** A session started by a turn. */
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
/** The settings in force for one turn, and what changed with or during it. */
export type Context = ContextView;
/** The balance: every record and every token belongs to exactly one owner. */
export type Audit = AuditReport;
export type { SessionAudit };
/** How one line of a session was understood, and why. */
export type { Explanation };
export type { SourceHealth };
/** A text that holds all words of the question. */
export interface WordsHit extends SearchResult {
  matched: "words";
}
/** A turn that recall found besides. */
export interface MeaningHit extends RecallResult {
  matched: "meaning";
}
export type SearchHit = SearchResult;
/** The answer to a question about the past. */
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
  /** Sessions in the book. */
  sessions: number;
  /** Sessions sent; with `dry_run`, those that would be. */
  sent: number;
  /** Sessions of which another machine has pushed the same or more. */
  behind: number;
  /** Sessions removed from the store because they were forgotten here. */
  forgotten: number;
  /** Sessions that are here but were forgotten in the store: they are not pushed. */
  kept_out: number;
  /** Sessions that the store refused because a value of theirs cannot be right, and why. The others were sent. */
  refused: { session_id: string; reason: string }[];
  /** Texts before this day are not pushed, because the store's retention removes them; null if all are. */
  texts_before: string | null;
  rows: number;
  bytes: number;
  /** By table name. */
  tables: Record<string, { rows: number; bytes: number }>;
  /** With `dry_run`: three of the rows that would be sent. */
  examples: { table: string; row: Record<string, string | number | boolean | null> }[];
}

export interface SessionsAnswer extends Versioned {
  /** Newest first. */
  sessions: Session[];
  /** Only from a store: fields that are known for none of them. */
  not_pushed?: NotPushed;
}

export interface LostPromptsAnswer extends Versioned {
  lost_prompts: LostPrompt[];
}

export interface TurnsAnswer extends Versioned {
  /** In order of time. */
  turns: Turn[];
  /** Only from a store: fields that are known for none of them. */
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
  /** The requested turns. */
  turns: Turn[];
  records: LogRecord[];
}

export interface DecisionsAnswer extends Versioned {
  decisions: Decision[];
}

/** What became of the questions agents asked, each counted once. */
export interface DecisionStatsAnswer extends Versioned, DecisionStatsView {
  /** Where the question log, preferences and registry are kept; null if only sessions were used. */
  state_root: string | null;
}

/** Whether a question should be asked. */
export interface DecisionCheckAnswer extends Versioned, Checked {}

/** A preference that was written. */
export interface PreferenceSetAnswer extends Versioned {
  question_id: string;
  preference: Preference;
  scope: "project" | "global";
  path: string;
}

/** The preferences of a project, and those for all projects. */
export interface PreferencesAnswer extends Versioned {
  project: string;
  preferences: {
    question_id: string;
    preference: string;
    scope: "project" | "global";
    /** True for a one-way door, or one option of a split list: the question is asked anyway. */
    inert: boolean;
  }[];
}

/** What was learnt from free-text answers, or why nothing was. */
export interface DistillAnswer extends Versioned {
  code: "NO_LOG" | "NO_FREE_TEXT" | "DRY_RUN" | "DISTILL_COMPLETE";
  project: string;
  /** Answers that were analysed, or would be. */
  answers: number;
  /** Answers left out because they read like instructions. */
  left_out: number;
  proposals: Proposal[];
  rejected: RejectedProposal[];
  /** How often the agent was asked. */
  requests: number;
  tokens: { input: number; output: number } | null;
  cost_usd: number | null;
  /** Every proposal was rejected, so the answers do not count as used. */
  kept: boolean;
}

/** Proposals waiting for a decision, and what was spent. */
export interface DistillStatusAnswer extends Versioned, DistillStatus {
  project: string;
}

/** One day of `review`. */
export interface ReviewedDay {
  day: string;
  /** `kept`: read before, and nothing changed since, so nothing was asked. `empty`: nothing to read. */
  state: "asked" | "kept" | "empty" | "planned";
  /** Only with `--dry-run`. */
  plan: ReviewPlan | null;
  review: DayReview | null;
}

/** What a model of the user's choice read in days. */
export interface ReviewAnswer extends Versioned {
  days: ReviewedDay[];
}

export interface DecisionsExported extends Versioned {
  added: number;
  already_known: number;
  files: string[];
  /** Answered questions that the log cannot take. */
  rejected: { id: string; reason: string }[];
}

export interface ContextAnswer extends Versioned {
  context: Context[];
}

export interface ExplainAnswer extends Versioned {
  explanations: Explanation[];
}

export interface SearchAnswer extends Versioned {
  /** Exact words first. */
  results: (WordsHit | MeaningHit)[];
  /** Whether what was found by meaning answers the question; absent where nothing was. */
  answered?: RecallAnswer["answered"];
  /** Only from a store: kinds of texts of which it does not hold all. */
  not_pushed?: NotPushed;
}

export interface Doctor extends DoctorAnswer {
  /** Only with `--verify` or `--repair`. */
  damaged_pages?: DamagedPage[];
}

/** What was, or would be, removed from the book. */
export interface ForgetAnswer extends Versioned {
  /** True if nothing was removed. */
  dry_run: boolean;
  /** Size in the book. */
  bytes: number;
  sessions: Pick<SessionView, "source" | "session_id" | "project" | "title" | "started_at" | "ended_at" | "turns">[];
}

/** Marks a person put on sessions and turns. */
export type { Label, Marks, Note, SessionMarks, TurnMarks, MarkedView, LabelCount };

export interface MarksAnswer extends Versioned {
  /** The marks of the named session or turn; without a name, all marks, most recently started sessions first. */
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
  /** Newest first. */
  commits: CommitView[];
}

/** A brief of a session for whoever continues it. */
export interface HandoffAnswer extends Versioned, Handoff {}

/** How to resume a session. */
export interface ResumeAnswer extends Versioned, ResumeView {}

export interface ValidateAnswer extends Versioned {
  files: Validation[];
}

/** What a sync did, in numbers; with `--watch`, one object per line. */
export interface SyncAnswer extends SyncReport, Versioned {}

export interface PrepareAnswer
  extends
    Versioned,
    Omit<Metadata, "schema_version">,
    Pick<Prepared, "workspace" | "manifest" | "created" | "projects" | "sessions" | "turns"> {
  /** These three only if a workspace was made. */
  subagents?: Prepared["subagents"];
  left_out?: Prepared["left_out"];
  gone?: Prepared["gone"];
}

/** The narrative of a day, as far as it was written. */
export interface NarrateAnswer extends Versioned {
  workspace: string;
  /**
   * `planned` with `--dry-run`; `stopped` if a budget, a signal or the agent ended it: running the same command again
   * continues.
   */
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

/** The narratives of the days of a week, and one over all of them. */
export interface NarrateWeekAnswer extends Versioned {
  since: string;
  until: string;
  state: NarrateAnswer["state"];
  why: string | null;
  /** Days with work, in order; the last one may be incomplete if the run was stopped. */
  days: NarrateAnswer[];
  /** Null with `--dry-run`, and if the run was stopped. */
  report: WeeklyReport | null;
  /** Statements rejected in the narrative of the week. */
  rejected: RejectedStatement[];
  /** Spent on the days and the week together. */
  spent: NarrationSpent | null;
  /** Files of the week; those of the days are listed with the days. */
  files: string[];
}

export interface InspectAnswer
  extends
    Versioned,
    Pick<Metadata, "report_date" | "timezone" | "status" | "prepared_at">,
    Omit<Inspection, "metadata"> {}

export interface WorkspacesAnswer extends Versioned {
  /** The total number of workspaces, listed or not. */
  total: number;
  workspaces: WorkspaceListed[];
}

export interface CollectAnswer extends CollectionManifest {
  output: string;
}

/** Printed on stderr if a command fails and JSON was requested. */
export interface ErrorAnswer {
  error: { code: ErrorCode; message: string; hint: string | null };
}

export interface StatuslineAnswer extends Versioned {
  /** As the agent shows it. */
  model: string | null;
  cwd: string | null;
  /** What is in the model's context; null if the agent does not say. */
  context: { tokens: number; size: number | null; percent: number | null } | null;
  /** The cost stated by the agent, and the counted cost if it was requested or the agent states none. */
  session: { stated_usd: number | null; counted: Usage | null } | null;
  /** Null before the first sync. */
  today: Usage | null;
  /** The running block; null if there is none, and before the first sync. */
  block: UsageBlock | null;
}

export interface BlocksAnswer extends Versioned {
  /** In order of time, including the gaps between blocks. */
  blocks: UsageBlock[];
}

export interface TeamStatusAnswer extends Versioned {
  store: StoreStatus;
}

export interface TeamInitAnswer extends Versioned {
  store_id: string;
  /** Migrations that were run now; empty if the schema was up to date. */
  ran: string[];
}

export interface TeamDistributeAnswer extends Versioned {
  /** Tables distributed now: split by owner, or copied to every node. */
  split: string[];
  copied: string[];
  /** Number of nodes that hold rows. */
  nodes: number;
}

export interface TeamInviteAnswer extends Versioned {
  invited: Invited;
}

export interface TeamMembersAnswer extends Versioned {
  members: Member[];
}

export interface TeamRetentionAnswer extends Versioned, RetentionRun {}

export interface TeamRevokeAnswer extends Versioned {
  /** The person, or the prefix of the token's id, as given. */
  revoked: string;
  /** The team the person was removed from; null if tokens were revoked. */
  team: string | null;
  /** The number of tokens revoked. */
  tokens: number;
}

/** By command. `export` prints log records, one per line, with and without `--json`. */
export interface Answers {
  audit: Audit;
  blame: BlameAnswer;
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
  mark: MarksAnswer;
  "mark done": MarksAnswer;
  "mark label": LabelsAnswer;
  "mark label SESSION": MarksAnswer;
  "mark note": MarksAnswer;
  "mark star": MarksAnswer;
  narrate: NarrateAnswer;
  "narrate --week": NarrateWeekAnswer;
  push: PushAnswer;
  recall: RecallAnswer;
  report: Report;
  resume: ResumeAnswer;
  review: ReviewAnswer;
  search: SearchAnswer;
  sessions: SessionsAnswer;
  "sessions --lost": LostPromptsAnswer;
  show: ShowAnswer;
  statusline: StatuslineAnswer;
  sync: SyncAnswer;
  team: TeamStatusAnswer;
  "team distribute": TeamDistributeAnswer;
  "team init": TeamInitAnswer;
  "team invite": TeamInviteAnswer;
  "team members": TeamMembersAnswer;
  "team retention": TeamRetentionAnswer;
  "team revoke": TeamRevokeAnswer;
  "team set": TeamStatusAnswer;
  "team status": TeamStatusAnswer;
  today: Report;
  tools: ToolsAnswer;
  turns: TurnsAnswer;
  usage: UsageReport;
  "usage blocks": BlocksAnswer;
  "usage limits": RateLimitsAnswer;
  validate: ValidateAnswer;
  week: Report;
  workspace: WorkspacesAnswer;
  "workspace collect": CollectAnswer;
  "workspace inspect": InspectAnswer;
  "workspace list": WorkspacesAnswer;
  "workspace prepare": PrepareAnswer;
  yesterday: Report;
  error: ErrorAnswer;
}
