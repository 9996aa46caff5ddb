import type {
  AssistantFinishedBody,
  CancelledBody,
  ContextBody,
  FileOperation,
  GitState,
  ModelTokens,
  Relation,
  SessionKind,
  SessionRef,
  SourceId,
  ToolFinishedBody,
  ToolStartedBody,
  ToolStatus,
  TriggerEntry,
  TriggerKind,
} from "../format/record.ts";
import type { Stated } from "../format/restated.ts";
import type { NoHit } from "../shell/no-hit.ts";
import type { Diagnostic, Drift, EntryClass, SourceRef } from "../sources/contract.ts";

/** What one file says, read on its own. Resolution against other files happens in `lineage.ts`. Plain data, so threads can pass it. */
export interface FileDraft {
  ref: SourceRef;
  source: SourceId;
  path: string;
  session_id: string;
  meta: SessionMeta;
  turns: TurnDraft[];
  tools: ToolCall[];
  usage: UsageEvent[];
  children: ChildLink[];
  /** Positions from which earlier turns of this session, in this file or in the ones before it, were taken back. */
  rewinds: Rewind[];
  /** Records by which questions to the human are known; whole only where texts were read. */
  questions: QuestionTrace[];
  contexts: ContextChange[];
  records: RecordBalance;
  tokens: TokenBalance;
  stated: StatedTotal | null;
  /** Totals that hold more than the records of the file state, in order. */
  statements: Statement[];
  first_time: number | null;
  last_time: number | null;
  untimed: number;
  backwards: number;
  /** Native records of the session, and the number of the last one: equal unless the session stands inside a larger file. */
  lines: number;
  last_line: number;
  diagnostics: Diagnostic[];
  drift: Drift;
  /** Identities of another session's records that this file was found to repeat. */
  inherited_from: ReadonlySet<string> | null;
  /** Lines that repeat another session. */
  inherited_lines: LineRuns;
  /** The book's page of this file; null when it was read directly. */
  page: string | null;
  /** Why only the book still says this: the file is not there any more, or says something else now. Null: it says so itself. */
  gone: "deleted" | "rewritten" | null;
}

/** What became different of a file that grew. */
export interface DraftChanges {
  /** Its lists hold only turns, calls, responses and questions that are new or may have changed. */
  draft: FileDraft;
  /** The places of its calls among all calls of the file. */
  calls: number[];
  /** Rate limits as they were stated last, changed or not. */
  limits: ContextChange[];
  /** All turns there are, and those that are new. */
  turns: number;
  newTurns: number;
  /** A total was stated: it may change what earlier ones count for. */
  states: boolean;
  /** Something was said of a session it started: it may change what is said of that one. */
  links: boolean;
}

export interface SessionMeta {
  kind: SessionKind;
  cwd: string | null;
  started_at: string | null;
  agent_version: string | null;
  originator: string | null;
  provider: string | null;
  title: string | null;
  title_by: "human" | "agent" | null;
  parent: SessionRef | null;
  parent_turn_id: string | null;
  role: string | null;
  forked_from: string | null;
  /** The last record of the log it was forked from that is part of its history; absent where the history was copied. */
  forked_at?: number;
  /** The session its file was made of; absent when it is the session itself. */
  copy_of?: SessionRef;
  /** Put away; absent when it is not. */
  archived?: true;
  git: GitState | null;
  models: string[];
}

export const OUTCOMES = ["completed", "aborted", "failed", "open"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface Trigger {
  time: number | null;
  line: number;
  echo_line: number | null;
  text: string;
  kind: TriggerKind;
  entry: TriggerEntry;
  reason: string;
  attachments: number;
}

export interface TurnDraft {
  /** Place in the file's list of turns. */
  index: number;
  /** Work asked for by an agent, in a session that no human spoke to: owned by the turn that caused the session. */
  delegated: boolean;
  native_turn_id: string | null;
  identity: string | null;
  trigger: Trigger;
  position: number;
  start_line: number;
  end_line: number;
  ended_at: number | null;
  outcome: Outcome;
  /** Why it ended so, in the agent's words where there are any. */
  outcome_detail: string | null;
  /** Taken back by the human; its cost stays. */
  taken_back: "rolled_back" | "rewound" | null;
  final_text: string;
  files: TouchedFileAt[];
  context: TurnContext;
  duration_ms: number | null;
  records: number;
  lines: LineRuns;
}

/** Lines of some records, in order: first and last of each run of them. */
export type LineRuns = number[];

export interface TouchedFileAt {
  path: string;
  operation: FileOperation;
  line: number;
}

export interface TurnContext {
  model: string | null;
  effort: string | null;
  approval_policy: string | null;
  sandbox: string | null;
  network: boolean | null;
  /** Places the sandbox keeps closed although it would leave them open by itself. */
  sandbox_excludes: string[] | null;
  reasoning_summary: string | null;
  /** Tokens that fit into the model's context. */
  context_window: number | null;
  cwd: string | null;
  git_branch: string | null;
  git_commit: string | null;
  agent_version: string | null;
}

/** A `context` record where it stood, with the turn it fell into. */
export interface ContextChange {
  line: number;
  time: number | null;
  turn: number | null;
  body: ContextBody;
}

export interface ToolCall {
  turn: number | null;
  call_id: string;
  parent_call_id: string | null;
  name: string;
  input: unknown;
  status: ToolStatus;
  /** A record settled it; false when the status is only what the missing result implies. */
  settled: boolean;
  exit_code: number | null;
  /**
   * Set where exit code 1 would be an ordinary answer, until an output speaks of an error; unread until it exits so. Only known
   * where texts were read.
   */
  answers: NoHit | "unread" | null;
  duration_ms: number | null;
  started_at: number | null;
  ended_at: number | null;
  start_line: number;
  end_line: number | null;
  error: string | null;
  /** All it gave back, as its settlements say together; only where it is asked for. */
  result?: ToolFinishedBody;
}

/** A response as the statements of it say together, and where the first of them stands. */
export interface UsageEvent extends Stated {
  response_id: string;
  line: number;
  turn: number | null;
  /** It was cut off, and is no part of a total the agent states. */
  cut?: true;
  /** No record states it: the rule by which it counts all the same. */
  reason?: string;
}

export interface ChildLink {
  child: SessionRef;
  relation: Relation;
  role: string | null;
  turn: number | null;
  spawn_line: number | null;
  result_line: number | null;
  /** When its end was stated last. */
  returned_at: number | null;
}

export interface Rewind {
  line: number;
  from_position: number;
}

/** A record that asks the human something, settles such a call, or takes something back. */
export interface QuestionTrace {
  line: number;
  time: number | null;
  turn: number | null;
  body: AssistantFinishedBody | ToolStartedBody | ToolFinishedBody | CancelledBody;
}

/** records_read = the sum of the rest. */
export interface RecordBalance {
  records_read: number;
  owned_by_turns: number;
  setup: number;
  session_level: number;
  inherited: number;
  duplicates: number;
  unknown: number;
  corrupt: number;
  /** `class · reason` → how many. */
  reasons: Record<string, number>;
}

/** tokens_read = counted + duplicates + inherited + estimates. A statement's tokens: input, cache reads, cache writes and output. */
export interface TokenBalance {
  tokens_read: number;
  counted: number;
  duplicates: number;
  inherited: number;
  estimates: number;
}

/** The total the agent of a file states last, without what other sessions had spent before. */
export interface StatedTotal {
  tokens: number;
  line: number;
  /** What was counted in the file up to there. */
  counted: number;
  includes_children: boolean;
  /** Every statement was written with its response. */
  exact: boolean;
}

/** A total the agent states, and what the records of its file say of it. */
export interface Statement {
  /** As in `usage_total`. */
  counter: string;
  includes_children: boolean;
  reason: string;
  since: number | null;
  elapsed: number | null;
  line: number;
  /** When something was spent last before it, and first after it, as far as records tell: a response, or a compaction. */
  time: number | null;
  next: number | null;
  total: ModelTokens[];
  /** Counted between the statement before and this one, by the process that states it; apart from that, what was cut off. */
  written: ModelTokens[];
  cut: ModelTokens[];
}

export interface LedgerRow {
  line: number;
  class: EntryClass;
  reason: string;
  native: string;
  time: number | null;
  turn: number | null;
  /** For setup: the turn it prepares. */
  prepares: number | null;
  records: string[];
}
