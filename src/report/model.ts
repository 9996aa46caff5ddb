import type { DecisionView } from "../answers/decision-view.ts";
import type { Known, NotPushed } from "../answers/not-pushed.ts";
import type { FileOperation, Relation, ToolStatus, TriggerEntry, TriggerKind } from "../format/record.ts";
import type { Outcome } from "../turns/model.ts";
import type { Marks } from "../answers/marks.ts";
import type { ToolCounts } from "../answers/turn-view.ts";
import type { UsageView } from "../answers/usage-sum.ts";
import type { AskedQuestion, CheckRun, Commit, TodoList, ToolProblem, TurnFacts, Words } from "./facts.ts";
import type { Span } from "./window.ts";

/**
 * The day report as plain data: every format is a rendering of it, and `--format json` prints it as it is. From a store some of it may
 * be null: `not_pushed` names that.
 */
export interface DayReport {
  schema_version: 1;
  span: Span;
  totals: Totals;
  /** Of a span of several days: every day of it that has begun. They add up to the totals. Empty for one day. */
  days: ReportDay[];
  /** The days before a span of several, as many as have begun of it, to compare with; null for one day. */
  before: SumsBefore | null;
  balance: Balance;
  projects: ProjectReport[];
  /** Questions put to the human by the listed turns, with the answers. */
  decisions: PlacedDecision[];
  /** Left by the listed turns, and still loose at the end of the span. */
  loose_ends: LooseEnd[] | null;
  /** Left before the span, up to four weeks earlier, and still loose at its end. */
  carried_over: LooseEnd[] | null;
  changes: ReportChange[] | null;
  diagnostics: ReportDiagnostic[];
  /** Only from a store: what did not leave the machine it is on. Lists that are not null say what is known of the rest. */
  not_pushed?: NotPushed;
}

export interface Totals {
  projects: number;
  sessions: number;
  turns: number;
  outcomes: Record<Outcome, number>;
  /** Turns that ended well by the agent's word, but whose last check failed, or which did not reach what was asked. */
  unproven: number | null;
  /** Sum of the turns' durations; turns that ran side by side count both. */
  duration_ms: number;
  /** Calls of the turns and of the sessions they caused. */
  tools: ReportTools;
  files_changed: number | null;
  commits: number | null;
  children: number | null;
  usage: UsageView;
  by_model: (UsageView & { model: string })[];
}

/** What stands in a row about some days. */
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
  /** Exit codes that are ordinary answers, such as a search without a hit: left out of `failed`. */
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
  /** One per directory: worktrees and clones stand together. */
  project_keys: string[];
  cwds: string[] | null;
  sessions: ReportSession[];
  turns: ReportTurn[];
  items: ReportItem[] | null;
  totals: Totals;
  /** Spent in the span, but asked for by no turn of it. */
  other_usage: UsageView;
}

/** Turns that belong together, with what came of them: a request and its follow-ups, in whatever session. */
export interface ReportItem {
  /** The first request, in one line. */
  asked: string;
  /** What came of it, in the words of the answers that say most, in order, at most three of them; none where nothing was said. */
  results: { text: string; citation: string }[];
  /** Of the last turn that was not taken back. */
  outcome: Outcome;
  /** It ended well by the agent's word alone. */
  unproven: boolean;
  /** Citations of its turns, in order. Every turn of a project is in one of its items. */
  turns: string[];
}

export interface ReportSession {
  session_ref: string;
  source: string;
  session_id: string;
  session_path: string | null;
  title: string | null;
  agent_version: string | null;
  turns: number;
  /** What a person put on the session itself; null where there is nothing. */
  marks: Marks | null;
}

export interface ReportTurn {
  /** `S0001/T0002:12-40`, unique within the project. */
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
  /** Calls that did not end well, named. */
  tool_problems: ToolProblem[];
  files: ReportFile[] | null;
  commits: ReportCommit[] | null;
  /** The last run of tests, a build or a linter: a turn that ended with a failed one is no success. */
  last_check: CheckRun | null;
  /** The words by which the agent says that what was asked for did not work, where the last thing it did failed. */
  fell_short: string | null;
  questions: AskedQuestion[] | null;
  todos: TodoList | null;
  children: ReportChild[] | null;
  last_words: Words | null;
  /** What came of it: the first sentence of the answer that says something; of a turn that was stopped, that it was. */
  result: Words | null;
  /** Of the turn itself. */
  usage: UsageView;
  /** With everything the turn caused; these add up to the totals. */
  usage_with_children: UsageView;
  /** What a person put on the turn or on its session; null where there is nothing. */
  marks: Marks | null;
}

/** Of a turn that was read. */
export interface ReadReportTurn extends Known<
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
  /** Its own file was read. */
  found: boolean;
}

/** What the records of one session tell a report. */
export interface SessionFacts {
  turns: ReadonlyMap<string, TurnFacts>;
  decisions: readonly DecisionView[];
  /** Null where its records are known; else what was counted in them where they are. */
  counted: ReadonlyMap<string, CountedTurn> | null;
}

/** What totals need of a turn, with the sessions it caused; null where nobody counted. */
export interface CountedTurn {
  commits: number | null;
  children: number | null;
  unproven: boolean | null;
}

/** A decision and where it stands in the report. */
export interface PlacedDecision extends DecisionView {
  citation: string;
  turn_ref: string;
}

export type LooseEndKind =
  | "aborted"
  | "failed"
  | "open"
  | "unanswered_question"
  | "open_todos"
  | "unfinished"
  | "request"
  | "promise";

export interface LooseEnd {
  kind: LooseEndKind;
  project: string;
  /** Of the turn that left it, by the report's zone; a citation of an earlier day is numbered as in that day's report. */
  day: string;
  time: string;
  citation: string;
  source: string;
  session_id: string;
  turn_ref: string;
  /** What is loose, in the words of whoever said it; for a turn that did not finish, why. */
  text: string;
  /** What the human had asked for. */
  asked: string;
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
