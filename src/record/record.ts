/**
 * The canonical session log, schema version 1: one JSON object per line, append-only. These types are the contract;
 * `schema.ts` holds the same shapes as runtime schemas and a compile-time check that both agree.
 */
export const SCHEMA_VERSION = 1;

export type SourceId = string;

export interface SessionRef {
  source: SourceId;
  session_id: string;
}

export type SessionKind = "root" | "subagent" | "companion" | "review" | "internal";
export type TriggerKind = "prompt" | "command" | "shell" | "queued" | "answer";
/** `automated`: the prompt was probably sent by a program on its own, though nothing proves it. */
export type TriggerEntry = "interactive" | "headless" | "sdk" | "ide" | "automated" | "unknown";
export const TOOL_STATUSES = ["ok", "failed", "interrupted", "denied", "pending"] as const;
export type ToolStatus = (typeof TOOL_STATUSES)[number];
export type Relation = "subagent" | "companion" | "review" | "fork";

/** First record of a log; repeated when the agent repeats or changes its header. Later values replace earlier ones. */
export interface SessionMetaBody {
  type: "session_meta";
  source: SourceId;
  kind: SessionKind;
  cwd: string | null;
  started_at: string | null;
  agent_version: string | null;
  originator?: string | null;
  provider?: string | null;
  model?: string | null;
  title?: string | null;
  parent?: SessionRef | null;
  /** Native id of the parent's turn that caused this session, where the agent records it. */
  parent_turn_id?: string | null;
  role?: string | null;
  forked_from?: string | null;
  /** The last `seq` of the log it was forked from that is part of its history; absent where the history was copied. */
  forked_at?: number;
  /** Position, in the session it was forked from, of the first record that is not part of its history. */
  forked_before?: number;
  /** The session this log was made from, for example by an export. When both are read, this one is not counted. */
  copy_of?: SessionRef | null;
  git?: GitState | null;
  /** False when the file has no header and none of this is stated in it. */
  stated?: boolean;
}

export interface GitState {
  commit?: string | null;
  branch?: string | null;
  remote?: string | null;
  /** A commit that the agent made outside the branch, to be able to undo. */
  ghost_commit?: string | null;
  /** Parent of the ghost commit; `untracked_*` list what was untracked when it was made. */
  ghost_parent?: string | null;
  untracked_files?: string[];
  untracked_dirs?: string[];
}

/**
 * A text with instructions for the model: the agent's own prompt (`base`), an instruction file, a message of the
 * client. A later one of the same kind and path replaces it; several of the kind `message` are in force side by side.
 */
export interface ContextSource {
  kind: string;
  path: string | null;
  /** SHA-256 of the text as the model got it; null when the text is not recorded. */
  hash: string | null;
  /** The text was truncated, either before the model got it or when it was recorded. */
  truncated: boolean;
  /** What it applies to, in the agent's words: the user, the project, a directory. */
  scope?: string | null;
  /** Why it could not be loaded. */
  error?: string | null;
}

/** Bytes that belong to a message and are stored in a separate file, named by their hash. */
export interface Attachment {
  /** SHA-256 of the bytes, in hexadecimal. */
  hash: string;
  /** For example `image/png`. */
  media_type: string;
  bytes: number;
  name?: string | null;
}

export interface RateLimitWindow {
  used_percent: number;
  window_minutes: number | null;
  resets_at: string | null;
}

export interface RateLimits {
  limit_id?: string | null;
  plan?: string | null;
  primary?: RateLimitWindow | null;
  secondary?: RateLimitWindow | null;
  credits?: { has_credits: boolean; unlimited: boolean; balance: string | null } | null;
}

/** Settings in force from here on. Absent fields are unchanged. */
export interface ContextBody {
  type: "context";
  native_turn_id?: string | null;
  model?: string | null;
  effort?: string | null;
  approval_policy?: string | null;
  sandbox?: string | null;
  network?: boolean | null;
  /** Places that the sandbox would allow by default but that are excluded, in the agent's words. */
  sandbox_excludes?: string[] | null;
  /** How the model's reasoning is summarised. */
  reasoning_summary?: string | null;
  /** Size of the model's context window in tokens. */
  context_window?: number | null;
  cwd?: string | null;
  git?: GitState | null;
  agent_version?: string | null;
  sources?: ContextSource[];
  rate_limits?: RateLimits | null;
}

/** A message in the user role. `author` tells who really wrote it: the human, the agent's client, or an agent. */
export interface UserBody {
  type: "user";
  author: "human" | "source" | "agent";
  text: string;
  native_turn_id?: string | null;
  /** Only on messages with `author: "human"` that ask an agent to act. */
  kind?: TriggerKind;
  entry?: TriggerEntry;
  /** Number of images, documents and audio files sent with the text. */
  attachments?: number;
  /** Those attachments whose bytes were stored. */
  attached?: Attachment[];
  /** The agent always writes a record when a turn ends, so a turn without one was cut off. */
  ends_stated?: boolean;
  /**
   * The request whose conversation this one continues, if that is not the request before it: a session may be open in
   * several windows at once, and a human may return to an earlier point. Null: none. Native line of that request.
   */
  follows_line?: number | null;
  /** The same in a log: the id of the turn. */
  follows?: string | null;
  /** How it answers the plan that the agent showed before it, see `PlanAnswer`. */
  plan_answer?: PlanAnswer;
}

/** `unclear`: the next message after a plan, which neither tells the agent to carry it out nor to go on planning. */
export type PlanAnswer = "approved" | "refused" | "unclear";

export interface AssistantStartedBody {
  type: "assistant_started";
  native_turn_id?: string | null;
  message_id?: string | null;
  model?: string | null;
}

export interface ReviewFinding {
  title: string | null;
  body: string | null;
  priority: number | null;
  severity?: string | null;
  confidence: number | null;
  path: string | null;
  start_line: number | null;
  end_line: number | null;
}

export interface Review {
  findings: ReviewFinding[];
  overall_correctness: string | null;
  overall_explanation: string | null;
  overall_confidence?: number | null;
}

export interface AssistantFinishedBody {
  type: "assistant_finished";
  native_turn_id?: string | null;
  message_id?: string | null;
  model?: string | null;
  text: string;
  finish_reason?: string | null;
  /** True on the record that ends the turn normally. */
  turn_ended?: boolean;
  /**
   * Whether the response went on after this text. Absent if that is not known: as the last text of a session it counts
   * as the answer unless other turns have a stated end. False for agents that do not state every end.
   */
  unfinished?: boolean;
  duration_ms?: number | null;
  review?: Review | null;
  /** A plan that the human was asked to approve, where the agent asks without calling a tool. */
  plan?: string | null;
  /** The provider's id of the request. */
  request_id?: string | null;
  /** Usage, for writers that state it here instead of in a `usage` record. */
  usage?: ShortUsage;
}

/** Short form of token counts. Absent fields are zero; `input` is uncached input only. */
export interface ShortUsage {
  input?: number;
  cached_input?: number;
  cache_write?: number;
  output?: number;
  reasoning?: number;
}

export interface ReasoningFinishedBody {
  type: "reasoning_finished";
  text: string;
}

export interface ToolStartedBody {
  type: "tool_started";
  call_id: string;
  name: string;
  input: unknown;
  native_turn_id?: string | null;
  /** The call inside which this one ran, for example for a command started by a script tool. */
  parent_call_id?: string | null;
}

export type FileOperation = "created" | "modified" | "deleted" | "renamed";

export interface TouchedFile {
  path: string;
  operation: FileOperation;
}

/** How a tool call ended. May be repeated for the same call: the latest wins. */
export interface ToolFinishedBody {
  type: "tool_finished";
  call_id: string;
  status: ToolStatus;
  exit_code: number | null;
  duration_ms: number | null;
  /** Text of the result; `truncated` when it was cut. */
  output?: string | null;
  /** The result as structured data; `output` is its text. */
  structured?: unknown;
  truncated?: boolean;
  /** The call never ran, although nobody denied it. */
  skipped?: boolean;
  attached?: Attachment[];
  error?: string | null;
  files?: TouchedFile[];
}

export interface Tokens {
  /** Uncached input only: no cache reads, no cache writes. */
  input_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
  /** The part of `cache_write_tokens` cached for an hour, which has its own price. */
  cache_write_1h_tokens: number;
  /** Includes reasoning. */
  output_tokens: number;
  reasoning_tokens: number;
}

/**
 * A statement of usage by a native record. Every statement is kept; `verdict` tells whether it counts: `counted` once
 * per response, `duplicate` for repeats, `estimate` for numbers that the agent guessed, `inherited` for copies.
 */
export interface UsageBody extends Tokens {
  type: "usage";
  /** Identity of the model response, equal in every copy. Of several `counted` with the same id, the largest counts. */
  response_id: string;
  model: string | null;
  native_turn_id?: string | null;
  verdict: "counted" | "duplicate" | "estimate" | "inherited";
  /** The response was cut off: these numbers were stated before it ended. */
  cut?: boolean;
  /** For usage that has no native record: the rule that derived it from a total that the agent states. */
  reason?: string;
  /** The provider's id of the request. */
  request_id?: string | null;
}

export interface ModelTokens extends Tokens {
  /** Null in a total that is not split by model. */
  model: string | null;
}

/** What one or several responses of a model spent. */
export interface TimedTokens extends ModelTokens {
  /** Epoch ms; null when it is not stated, or when they were spent at different times. */
  time: number | null;
}

/**
 * The running total that the agent itself states. It serves to verify the counted usage; it is counted only as far as
 * `unwritten` says so. The latest statement of each counter is valid; counters add up.
 */
export interface UsageTotalBody {
  type: "usage_total";
  /** Names the running count. An agent that restarts from zero, for example on resume, starts another counter. */
  counter: string;
  /** The total includes sessions caused by this one. */
  includes_children: boolean;
  /**
   * The total is written with every response, so it is complete and any difference is an error. False when a process
   * keeps it in memory and may be killed before writing it.
   */
  exact: boolean;
  models: ModelTokens[];
  /** The part spent by other sessions: the counter of a fork starts with that of its origin. */
  inherited?: Tokens;
  /**
   * Names the rule by which the excess of this total over the recorded responses counts as usage of the session that
   * belongs to no turn: the agent is known to make requests without writing records. The total excludes responses that
   * were cut off.
   */
  unwritten?: string;
  /** When the counter started, ISO 8601 UTC; it excludes everything before. */
  since?: string;
  /** Total run time of the processes that kept the counter. */
  elapsed_ms?: number;
}

export interface CompactedBody {
  type: "compacted";
  trigger: "manual" | "auto" | "unknown";
  summary?: string | null;
  /** User messages that were kept verbatim and occur nowhere else in the file. */
  retained?: string[];
}

/** A session caused by this one: `spawned` when it began, `returned` when its result came back. */
export interface ChildLinkedBody {
  type: "child_linked";
  child: SessionRef;
  relation: Relation;
  phase: "spawned" | "returned";
  role?: string | null;
  call_id?: string | null;
}

/** Work that was stopped, or turns that were taken back. */
export interface CancelledBody {
  type: "cancelled";
  reason: "interrupted" | "replaced" | "review_ended" | "budget_limited" | "rolled_back" | "rewound" | "unknown";
  native_turn_id?: string | null;
  duration_ms?: number | null;
  /**
   * The client found the turn without an end when it opened the session: it was cut off, unless it still runs in another
   * window.
   */
  assumed?: boolean;
  /** `rolled_back`: number of turns, counted from the newest. */
  turns?: number;
  /** `rewound`: every turn whose trigger is at or after this native line. */
  from_line?: number;
  /** `rewound`: every turn whose trigger is at or after this `seq` of the log. */
  from_seq?: number;
  /** `rewound`: this turn and every later one. */
  from_turn?: string;
}

export interface FailedBody {
  type: "failed";
  message: string;
  code?: string | null;
  native_turn_id?: string | null;
  /** False when the agent continued on its own (a retried request). */
  turn_ended: boolean;
}

export interface SessionRenamedBody {
  type: "session_renamed";
  title: string | null;
  /** Who chose the title; a human's wins over a generated one, and the latest of equal rank wins. */
  by: "human" | "agent";
}

/** The session was archived or unarchived. The latest record wins. */
export interface SessionArchivedBody {
  type: "session_archived";
  archived: boolean;
}

export interface UnknownBody {
  type: "unknown";
  native_type: string;
}

export interface UnreadableBody {
  type: "unreadable";
  reason: string;
  bytes: number;
  hint: string;
}

export type RecordBody =
  | SessionMetaBody
  | ContextBody
  | UserBody
  | AssistantStartedBody
  | AssistantFinishedBody
  | ReasoningFinishedBody
  | ToolStartedBody
  | ToolFinishedBody
  | UsageBody
  | UsageTotalBody
  | CompactedBody
  | ChildLinkedBody
  | CancelledBody
  | FailedBody
  | SessionRenamedBody
  | SessionArchivedBody
  | UnknownBody
  | UnreadableBody;

export type RecordType = RecordBody["type"];

/** Position of the native record: a physical line of a file or the ordinal of a database row. */
export interface Origin {
  line?: number;
  row?: number;
  /** Set when the session has several files; absent means the first file. */
  path?: string;
}

export interface RecordEnvelope {
  schema_version: typeof SCHEMA_VERSION;
  /** 0, 1, 2 … without gaps. */
  seq: number;
  /** ISO 8601 UTC with milliseconds; null when the native record has no usable time. */
  time: string | null;
  session_id: string;
  origin: Origin;
  /** The turn that owns the record; absent on setup and session-level records. */
  turn_id?: string;
}

export type LogRecord = RecordEnvelope & RecordBody;
