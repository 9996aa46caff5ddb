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
/** `automated`: something suggests that a program asked, by itself, though nothing proves it. */
export type TriggerEntry = "interactive" | "headless" | "sdk" | "ide" | "automated" | "unknown";
export const TOOL_STATUSES = ["ok", "failed", "interrupted", "denied", "pending"] as const;
export type ToolStatus = (typeof TOOL_STATUSES)[number];
export type Relation = "subagent" | "companion" | "review" | "fork";

/** First record of a log; repeated when the agent repeats or changes its header. Later values win, absent ones keep. */
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
  /** The session all of this was made of, by an export for example: where that one is read too, this one counts nothing. */
  copy_of?: SessionRef | null;
  git?: GitState | null;
  /** False when nothing in the file says any of this: it has no header. */
  stated?: boolean;
}

export interface GitState {
  commit?: string | null;
  branch?: string | null;
  remote?: string | null;
  /** Commit an agent made aside to be able to undo. */
  ghost_commit?: string | null;
  /** What stood there when it was made: the commit below it, and what git did not know of. */
  ghost_parent?: string | null;
  untracked_files?: string[];
  untracked_dirs?: string[];
}

/**
 * A text that told the model how to work: the agent's own prompt (`base`), a file of instructions, a message of the client. A
 * later one of the same kind and path takes its place; of the kind `message` several stand side by side.
 */
export interface ContextSource {
  kind: string;
  path: string | null;
  /** SHA-256 of the text as the model got it; null when the text is not recorded. */
  hash: string | null;
  /** The model got less than there was, or what it got was cut when it was recorded. */
  truncated: boolean;
  /** What it applies to, in the writer's words: the user, the project, a directory. */
  scope?: string | null;
  /** Why it could not be loaded, where it could not. */
  error?: string | null;
}

/** Bytes that are part of a message and stand in a file of their own, named by its content. */
export interface Attachment {
  /** SHA-256 of the bytes, in hexadecimal. */
  hash: string;
  /** As in `image/png`. */
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

/** What ruled the work from here on. Absent fields are unchanged. */
export interface ContextBody {
  type: "context";
  native_turn_id?: string | null;
  model?: string | null;
  effort?: string | null;
  approval_policy?: string | null;
  sandbox?: string | null;
  network?: boolean | null;
  /** Places that the sandbox keeps closed although it would leave them open by itself, in the agent's words. */
  sandbox_excludes?: string[] | null;
  /** How the model's reasoning is summarised. */
  reasoning_summary?: string | null;
  /** Tokens that fit into the model's context. */
  context_window?: number | null;
  cwd?: string | null;
  git?: GitState | null;
  agent_version?: string | null;
  sources?: ContextSource[];
  rate_limits?: RateLimits | null;
}

/** A user-shaped message. `author` says who really wrote it: the human, the agent's client, or an agent. */
export interface UserBody {
  type: "user";
  author: "human" | "source" | "agent";
  text: string;
  native_turn_id?: string | null;
  /** Only for `author: "human"` messages that ask an agent to act. */
  kind?: TriggerKind;
  entry?: TriggerEntry;
  /** Images, documents and audio that came with the text. */
  attachments?: number;
  /** Those of them that were kept. */
  attached?: Attachment[];
  /** The agent writes a record when the turn ends: a turn without one was cut off, whatever was said last. */
  ends_stated?: boolean;
}

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
  duration_ms?: number | null;
  review?: Review | null;
  /** The provider's id of the request. */
  request_id?: string | null;
  /** What it cost, for writers that state it here instead of in a `usage` record. */
  usage?: ShortUsage;
}

/** Tokens as a writer may state them in short. What is absent is none; `input` is fresh input alone. */
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
  /** The call this one ran inside, for example a command started by a script tool. */
  parent_call_id?: string | null;
}

export type FileOperation = "created" | "modified" | "deleted" | "renamed";

export interface TouchedFile {
  path: string;
  operation: FileOperation;
}

/** How a call ended. May come again for the same call: the latest wins. */
export interface ToolFinishedBody {
  type: "tool_finished";
  call_id: string;
  status: ToolStatus;
  exit_code: number | null;
  duration_ms: number | null;
  /** Text of the result, possibly cut; `truncated` says so. */
  output?: string | null;
  /** The result as data; `output` is its text. */
  structured?: unknown;
  truncated?: boolean;
  /** The call was never run, and nobody refused it. */
  skipped?: boolean;
  attached?: Attachment[];
  error?: string | null;
  files?: TouchedFile[];
}

export interface Tokens {
  /** Fresh input only: no cache reads, no cache writes. */
  input_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
  /** Part of `cache_write_tokens` kept for an hour, priced apart. */
  cache_write_1h_tokens: number;
  /** Includes reasoning. */
  output_tokens: number;
  reasoning_tokens: number;
}

/**
 * A statement of usage by a native record. Every statement is kept; `verdict` says what it counts for:
 * `counted` once per response, `duplicate` for repeats, `estimate` for numbers the agent itself guessed, `inherited` for copies.
 */
export interface UsageBody extends Tokens {
  type: "usage";
  /** Identity of the model response, equal in every copy of it. Of several `counted` with the same id the largest counts. */
  response_id: string;
  model: string | null;
  native_turn_id?: string | null;
  verdict: "counted" | "duplicate" | "estimate" | "inherited";
  /** The response was cut off: what stands here was stated before it ended. */
  cut?: boolean;
  /** The agent wrote no record of it: the rule by which it counts, found in a total that holds more than its records. */
  reason?: string;
  /** The provider's id of the request. */
  request_id?: string | null;
}

export interface ModelTokens extends Tokens {
  /** Null in a count that knows no models. */
  model: string | null;
}

/**
 * What the agent itself states as the total so far. It is there to be compared with what was counted; only what `unwritten`
 * names counts. The latest statement of a counter holds; counters add up.
 */
export interface UsageTotalBody {
  type: "usage_total";
  /** Which running count it is: an agent that begins again from zero, on resume for example, begins another one. */
  counter: string;
  /** Sessions this one caused are part of it. */
  includes_children: boolean;
  /**
   * It is written with every response, so that none is missing from it: a difference is an error. False where a process keeps
   * it in memory and may be killed before it is written.
   */
  exact: boolean;
  models: ModelTokens[];
  /** The part of it that other sessions spent: the count of a fork begins with its origin's. */
  inherited?: Tokens;
  /**
   * The rule by which what it holds beyond the responses that have records of their own is usage of the session, of no turn:
   * the agent is known to ask models for things it writes no record of. Responses that were cut off are no part of the total.
   */
  unwritten?: string;
  /** When the counter began, ISO 8601 UTC: nothing before that is part of it. */
  since?: string;
  /** How long the processes that kept it ran, all together. */
  elapsed_ms?: number;
}

export interface CompactedBody {
  type: "compacted";
  trigger: "manual" | "auto" | "unknown";
  summary?: string | null;
  /** Messages of the user that were kept word for word and stand nowhere else in the file. */
  retained?: string[];
}

/** A session caused by this one. `spawned` when it began, `returned` when its result came back. */
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
  /** `rolled_back`: how many turns, counted from the newest. */
  turns?: number;
  /** `rewound`: every turn whose trigger stands at or after this native line. */
  from_line?: number;
  /** The same by the log's own count: at or after this `seq`. */
  from_seq?: number;
  /** The same by name: this turn and every later one. */
  from_turn?: string;
}

export interface FailedBody {
  type: "failed";
  message: string;
  code?: string | null;
  native_turn_id?: string | null;
  /** False when the agent went on by itself (a retried request). */
  turn_ended: boolean;
}

export interface SessionRenamedBody {
  type: "session_renamed";
  title: string | null;
  /** Who chose it; a human's title beats a generated one, the latest of equal rank wins. */
  by: "human" | "agent";
}

/** The session was put away, or taken out again. The latest holds. */
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

/** Where the native record stands: a physical line of a file or the ordinal of a database row. */
export interface Origin {
  line?: number;
  row?: number;
  /** Set when the session has several files; the first one is meant when absent. */
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
