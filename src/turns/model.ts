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
} from "../record/record.ts";
import type { Stated } from "../record/merge-statements.ts";
import type { NoHit } from "../base/shell/no-hit.ts";
import type { Diagnostic, Drift, EntryClass, SourceRef } from "../agents/contract.ts";

/**
 * What one file says, read on its own. `assemble.ts` resolves it against other files. Plain data, so that it can be
 * passed between threads.
 */
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
  /** Positions from which earlier turns of this session, in this file or an earlier one, were taken back. */
  rewinds: Rewind[];
  /** Records that ask the human something or settle such a question; complete only if texts were read. */
  questions: QuestionTrace[];
  contexts: ContextChange[];
  records: RecordBalance;
  tokens: TokenBalance;
  stated: StatedTotal | null;
  /** Stated totals that include more than the file's records do, in order. */
  statements: Statement[];
  first_time: number | null;
  last_time: number | null;
  untimed: number;
  backwards: number;
  /**
   * Number of native records of the session, and the number of the last one: equal unless the session is part of a
   * larger file.
   */
  lines: number;
  last_line: number;
  diagnostics: Diagnostic[];
  drift: Drift;
  /** Identities of another session's records that this file repeats. */
  inherited_from: ReadonlySet<string> | null;
  /** Lines that are copies from another session. */
  inherited_lines: LineRuns;
  /** The book's page of this file; null when it was read directly. */
  page: string | null;
  /**
   * Set if only the book still holds this: the file was deleted, or was rewritten with other content. Null if the file
   * still says so.
   */
  gone: "deleted" | "rewritten" | null;
}

/** What changed in a file that grew. */
export interface DraftChanges {
  /** Its lists hold only turns, calls, responses, questions and settings that are new or may have changed. */
  draft: FileDraft;
  /** The indexes of these calls among all calls of the file. */
  calls: number[];
  /** The latest statement of each rate limit, changed or not. */
  limits: ContextChange[];
  /** The number of all turns, and of new ones. */
  turns: number;
  newTurns: number;
  /** A total was stated, which may change what earlier totals count for. */
  states: boolean;
  /** A link to a child session was added or changed, which may change how the child is reported. */
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
  /** The last record of the parent log that belongs to this session's history; absent if the history was copied. */
  forked_at?: number;
  /** Position in the parent of the first record that does not; only if the agent states it. */
  forked_before?: number;
  /** The identity of the last prompt that was copied from the parent; only if the history was copied. */
  forked_after?: string;
  /** The session this file is a copy of; absent if it is the original. */
  copy_of?: SessionRef;
  /** Archived; absent otherwise. */
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
  /** Index in the file's list of turns. */
  index: number;
  /** Work asked for by an agent, in a session that no human spoke to: owned by the turn that caused the session. */
  delegated: boolean;
  native_turn_id: string | null;
  identity: string | null;
  trigger: Trigger;
  position: number;
  /** The index of the turn it continues, if that is not the one before it; null if it continues none. */
  follows?: number | null;
  start_line: number;
  end_line: number;
  ended_at: number | null;
  outcome: Outcome;
  /** Why it ended that way, in the agent's words if it gave any. */
  outcome_detail: string | null;
  /** Taken back by the human; its cost still counts. */
  taken_back: "rolled_back" | "rewound" | null;
  final_text: string;
  files: TouchedFileAt[];
  context: TurnContext;
  duration_ms: number | null;
  records: number;
  lines: LineRuns;
}

/** Sorted line numbers as runs: the first and last line of each run. */
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
  /** Paths the sandbox denies although its mode would allow them. */
  sandbox_excludes: string[] | null;
  reasoning_summary: string | null;
  /** Size of the model's context window, in tokens. */
  context_window: number | null;
  cwd: string | null;
  git_branch: string | null;
  git_commit: string | null;
  agent_version: string | null;
}

/** A `context` record with its line and the turn it falls into. */
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
  /** True if a record settled the call; false if the status is only inferred from the missing result. */
  settled: boolean;
  exit_code: number | null;
  /**
   * Set if exit code 1 of this command would be an ordinary answer, and cleared when its output reports an error.
   * `unread`: not determined yet, because the call has not exited that way. Only known if texts were read.
   */
  answers: NoHit | "unread" | null;
  duration_ms: number | null;
  started_at: number | null;
  ended_at: number | null;
  start_line: number;
  end_line: number | null;
  error: string | null;
  /** The combined result of all its settlements; only if requested. */
  result?: ToolFinishedBody;
}

/** The combined statements of one response, at the line of the first of them. */
export interface UsageEvent extends Stated {
  response_id: string;
  line: number;
  turn: number | null;
  /** The response was cut off and is not part of a total the agent states. */
  cut?: true;
  /** Set if no record states this usage: the rule by which it counts anyway. */
  reason?: string;
}

export interface ChildLink {
  child: SessionRef;
  relation: Relation;
  role: string | null;
  turn: number | null;
  spawn_line: number | null;
  result_line: number | null;
  /** When its end was last stated. */
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

/** `records_read` is the sum of the other counts. */
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

/**
 * tokens_read = counted + duplicates + inherited + estimates. The tokens of one statement are the sum of input, cache
 * reads, cache writes and output.
 */
export interface TokenBalance {
  tokens_read: number;
  counted: number;
  duplicates: number;
  inherited: number;
  estimates: number;
}

/** The latest total the file's agent states, without what other sessions had spent before. */
export interface StatedTotal {
  tokens: number;
  line: number;
  /** What was counted in the file up to that line. */
  counted: number;
  includes_children: boolean;
  /** True if every statement was written together with its response. */
  exact: boolean;
}

/** A total the agent states, with the matching numbers from the records of its file. */
export interface Statement {
  /** As in `usage_total`. */
  counter: string;
  includes_children: boolean;
  reason: string;
  since: number | null;
  elapsed: number | null;
  line: number;
  /**
   * Times of the last spending before the statement and the first after it (a response or a compaction), as far as
   * records tell.
   */
  time: number | null;
  next: number | null;
  total: ModelTokens[];
  /**
   * What records state between the previous statement and this one, by the same process; responses that were cut off
   * are summed separately in `cut`.
   */
  written: ModelTokens[];
  cut: ModelTokens[];
  /** What records state since then from before this process began: of other processes, which may state totals too. */
  earlier?: ModelTokens[];
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
