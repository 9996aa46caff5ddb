import type { WorkCounts } from "../../views/facts/record-facts.ts";
import type { ReadByModel } from "../../views/day-review.ts";
import type { DecisionView } from "../../views/decision-view.ts";
import type { Known, NotPushed } from "../../views/not-pushed.ts";
import type { FileOperation, Relation, ToolStatus, TriggerEntry, TriggerKind } from "../../record/record.ts";
import type { Outcome } from "../../turns/model.ts";
import type { Marks } from "../../views/marks.ts";
import type { ToolCounts } from "../../views/turn-view.ts";
import type { UsageView } from "../../views/usage-sum.ts";
import type {
  AskedQuestion,
  CheckRun,
  Commit,
  ReviewResult,
  TodoList,
  ToolProblem,
  TurnFacts,
  Words,
} from "../../views/facts/facts.ts";
import type { EvidenceKind } from "./loose/evidence.ts";
import type { Span } from "./window.ts";

/**
 * The day report as plain data: every format is a rendering of it, and `--format json` prints it as it is. In a report
 * from a team store some fields may be null: `not_pushed` names them.
 */
export interface DayReport {
  schema_version: 1;
  span: Span;
  totals: Totals;
  /** For a span of several days, every day that has begun; they add up to the totals. Empty for a single day. */
  days: ReportDay[];
  /** For a span of several days, the days before it, as many as have begun, for comparison; null for a single day. */
  before: SumsBefore | null;
  balance: Balance;
  projects: ProjectReport[];
  /** Questions put to the human by the listed turns, with the answers. */
  decisions: PlacedDecision[];
  /** Loose ends that the listed turns left and that are still open at the end of the span. */
  loose_ends: LooseEnd[] | null;
  /** Loose ends left before the span, up to four weeks earlier, and still open at its end. */
  carried_over: LooseEnd[] | null;
  /**
   * What agents said is open or is for the human to do, where no record shows it: quoted, of this span and before, the
   * likeliest first within a day. Null when the texts are not known.
   */
  said_open: LooseEnd[] | null;
  /** What a model of the user's choice read in these days; null where none was asked. */
  read_by_model: ReadByModel | null;
  changes: ReportChange[] | null;
  diagnostics: ReportDiagnostic[];
  /**
   * Only from a team store: what was not pushed from the machine it is on. Lists that are not null hold what is known
   * of the rest.
   */
  not_pushed?: NotPushed;
}

export interface Totals {
  projects: number;
  sessions: number;
  turns: number;
  outcomes: Record<Outcome, number>;
  /** Completed turns whose last check did not pass, or whose own words say that the request was not met. */
  unproven: number | null;
  /** Sum of the turns' durations; turns that ran in parallel are each counted in full. */
  duration_ms: number;
  /** Calls of the turns and of the sessions they caused. */
  tools: ReportTools;
  files_changed: number | null;
  commits: number | null;
  children: number | null;
  usage: UsageView;
  by_model: (UsageView & { model: string })[];
}

/** Sums over one or more days. */
export interface DaySums {
  turns: number;
  duration_ms: number;
  commits: number | null;
  usage: UsageView;
}

export interface ReportDay extends DaySums {
  day: string;
}

export interface SumsBefore extends DaySums {
  since: string;
  until: string;
}

export interface ReportTools extends ToolCounts {
  /** Calls whose exit code was an ordinary answer, such as a search without a hit; they are not counted in `failed`. */
  expected_exit: number;
}

export interface Balance {
  /** Tokens of the listed turns, children included. */
  turn_tokens: number;
  /** Tokens spent in the span that no listed turn asked for. */
  other_tokens: number;
  total_tokens: number;
  /** Counted again, independently, the way `usage --by trigger` does. */
  usage_tokens: number;
  records_read: number | null;
  balanced: boolean | null;
  problems: string[] | null;
}

export interface ProjectReport {
  project: string;
  /** One per directory: worktrees and clones are one project. */
  project_keys: string[];
  cwds: string[] | null;
  sessions: ReportSession[];
  turns: ReportTurn[];
  items: ReportItem[] | null;
  totals: Totals;
  /** Spent in the span, but caused by none of its turns. */
  other_usage: UsageView;
}

/** Turns that belong together, with their results: a request and its follow-ups, in any session. */
export interface ReportItem {
  /** The first request, in one line. */
  asked: string;
  /**
   * The results, in the words of the most informative answers: at most three, in order; empty when nothing was said.
   */
  results: { text: string; citation: string }[];
  /** Outcome of the last turn that was not taken back. */
  outcome: Outcome;
  /** The last turn was completed, but its last check did not pass or its own words say that the request was not met. */
  unproven: boolean;
  /** Citations of its turns, in order. Every turn of a project is in one of its items. */
  turns: string[];
}

export interface ReportSession {
  /** The shortest beginning of its id that no other session's has. */
  session_ref: string;
  source: string;
  session_id: string;
  session_path: string | null;
  title: string | null;
  agent_version: string | null;
  turns: number;
  /** Marks that people put on the session itself; null when there are none. */
  marks: Marks | null;
}

export interface ReportTurn {
  /** `019e2f1c/T0002:12-40`: what `show` opens. */
  citation: string;
  session_ref: string;
  turn_ref: string;
  source: string;
  session_id: string;
  session_path: string | null;
  native_turn_id: string | null;
  cwd: string | null;
  time: string;
  /** On the wall clock of the report's zone, `YYYY-MM-DD HH:MM:SS`. */
  local_time: string;
  ended_at: string | null;
  duration_ms: number | null;
  trigger: {
    text: string | null;
    kind: TriggerKind;
    entry: TriggerEntry | null;
    reason: string | null;
    attachments: number | null;
    line: number | null;
    echo_line: number | null;
  };
  outcome: Outcome;
  outcome_detail: string | null;
  taken_back: "rolled_back" | "rewound" | null;
  model: string | null;
  tools: ReportTools;
  /** Calls that did not succeed. */
  tool_problems: ToolProblem[];
  files: ReportFile[] | null;
  commits: ReportCommit[] | null;
  /** The last run of tests, a build or a linter: a turn that ended with a failed one is no success. */
  last_check: CheckRun | null;
  /**
   * The sentence in which the agent says that the request did not work out, when its last call failed; null otherwise.
   */
  fell_short: string | null;
  questions: AskedQuestion[] | null;
  todos: TodoList | null;
  children: ReportChild[] | null;
  last_words: Words | null;
  /** The verdict and the findings of a code review, if the agent recorded them as data. */
  review: ReviewResult | null;
  /** The result: the first informative sentence of the answer; for a turn that did not complete, how it ended. */
  result: Words | null;
  /** Usage of the turn itself. */
  usage: UsageView;
  /** Usage including everything the turn caused; these add up to the totals. */
  usage_with_children: UsageView;
  /** Marks that people put on the turn or on its session; null when there are none. */
  marks: Marks | null;
}

/** A turn whose records were read: these fields are never null. */
export interface RecordedRequest extends Known<
  ReportTurn,
  "session_path" | "files" | "commits" | "questions" | "children"
> {
  trigger: Known<ReportTurn["trigger"], "text" | "entry" | "reason" | "attachments" | "line">;
  tool_problems: Known<ToolProblem, "call_id" | "name" | "about" | "line">[];
  last_check: Known<CheckRun, "command"> | null;
}

export interface ReportFile {
  path: string;
  operation: FileOperation;
  line: number | null;
  /** The sub-agent's session that changed it; null = the turn itself. */
  by: string | null;
}

export interface ReportCommit extends Commit {
  by: string | null;
}

export interface ReportChild {
  source: string;
  session_id: string;
  relation: Relation;
  role: string | null;
  model: string | null;
  tools: ReportTools;
  usage: UsageView;
  spawn_line: number | null;
  result_line: number | null;
  /** The session's own file was read. */
  found: boolean;
}

/** What a report takes from the records of one session. */
export interface FoundFacts {
  turns: ReadonlyMap<string, TurnFacts>;
  decisions: readonly DecisionView[];
  /** Null when the records are known here; otherwise the counts made on the machine that has them. */
  counted: ReadonlyMap<string, WorkCounts> | null;
}

/** A decision with its place in the report. */
export interface PlacedDecision extends DecisionView {
  citation: string;
  turn_ref: string;
}

/** What shows a loose end; `said` only in `said_open`. */
export type LooseEndKind = EvidenceKind | "said";

export interface LooseEnd {
  kind: LooseEndKind;
  project: string;
  /**
   * Day of the turn that left it, in the report's time zone. Citations of an earlier day are numbered as in that day's
   * report.
   */
  day: string;
  time: string;
  citation: string;
  source: string;
  session_id: string;
  turn_ref: string;
  /**
   * What is open: the command, the question, the steps, the files. For a turn that did not finish, the reason; in
   * `said_open` the agent's words. Null when it is a command that the team store does not hold.
   */
  text: string | null;
  /** What the human had asked for. */
  asked: string;
  /** The first request of the thread: the goal. */
  goal: string;
  /** Citations of the records that show it; null for what was only said. */
  evidence: string[] | null;
  /** What would close it; null for what was only said. */
  closes_by: string | null;
  /** The goal it belongs to, followed over sessions and days: the first turn of it that was looked at. */
  thread: string;
  /** The sentence in which the agent says so, word for word; null where no sentence does. */
  quote: string | null;
}

export interface ReportChange {
  project: string;
  time: string | null;
  citation: string;
  source: string;
  session_id: string;
  turn_ref: string;
  field: string;
  from: string;
  to: string;
}

export interface ReportDiagnostic {
  code: string;
  message: string;
  path: string | null;
  line: number | null;
  count: number;
}

export type { AskedQuestion, CheckRun, Commit, TodoList, ToolProblem, ToolStatus, Words };
