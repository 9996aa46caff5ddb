import type { Message } from "./conversation.ts";
import type {
  ContextSource,
  GitState,
  Origin,
  RateLimits,
  Relation,
  SessionKind,
  SessionRef,
  SourceId,
  Tokens,
  ToolStatus,
  TouchedFile,
  TriggerEntry,
  TriggerKind,
} from "./record.ts";

/** What a log says about its session when all its records are taken together. Plain JSON. */
export interface SessionState {
  session_id: string | null;
  records: number;
  /** -1 before the first record. */
  last_seq: number;
  first_time: string | null;
  last_time: string | null;
  meta: MetaState | null;
  /** The title in force: a human's choice before a generated one, then the latest. */
  title: string | null;
  title_by: "human" | "agent" | null;
  archived: boolean;
  /** What rules the work after the last record. */
  context: ContextState;
  /** In the order they began. */
  turns: TurnState[];
  /** In the order they began; `turn_id` names the owner. */
  tools: ToolState[];
  /** Settlements of calls whose start is not in the log. */
  orphan_settlements: number;
  /** What a model is given to go on: since the last compaction, without what was taken back. */
  messages: Message[];
  usage: UsageState;
  children: ChildState[];
  compactions: number;
  unknown: { count: number; types: Record<string, number> };
  unreadable: { count: number; bytes: number; reasons: Record<string, number> };
}

export interface MetaState {
  source: SourceId;
  kind: SessionKind;
  cwd: string | null;
  started_at: string | null;
  agent_version: string | null;
  originator: string | null;
  provider: string | null;
  model: string | null;
  title: string | null;
  parent: SessionRef | null;
  parent_turn_id: string | null;
  role: string | null;
  forked_from: string | null;
  /** The last `seq` of that log that is part of the history; null where the history was copied. */
  forked_at: number | null;
  git: GitState | null;
}

export interface Settings {
  model: string | null;
  effort: string | null;
  approval_policy: string | null;
  sandbox: string | null;
  network: boolean | null;
  sandbox_excludes: string[] | null;
  reasoning_summary: string | null;
  context_window: number | null;
  cwd: string | null;
  git: GitState | null;
  agent_version: string | null;
}

export interface ContextState extends Settings {
  sources: ContextSource[];
  rate_limits: RateLimits | null;
}

export type TurnOutcome = "completed" | "aborted" | "failed" | "open";

export interface TriggerState {
  seq: number;
  time: string | null;
  origin: Origin;
  author: "human" | "agent";
  text: string;
  kind: TriggerKind;
  entry: TriggerEntry;
  attachments: number;
}

export interface AssistantText {
  seq: number;
  time: string | null;
  message_id: string | null;
  model: string | null;
  text: string;
}

export interface TurnState {
  turn_id: string;
  native_turn_id: string | null;
  /** Null when the log holds work of a turn but not what asked for it. */
  trigger: TriggerState | null;
  first_seq: number;
  last_seq: number;
  started_at: string | null;
  ended_at: string | null;
  duration_ms: number | null;
  records: number;
  assistant: AssistantText[];
  final_text: string;
  outcome: TurnOutcome;
  /** False when no record says how the turn ended and the outcome follows from what came after. */
  outcome_stated: boolean;
  outcome_detail: string | null;
  taken_back: "rolled_back" | "rewound" | null;
  /** Touched by calls that succeeded. */
  files: TouchedFile[];
  /** In force when the agent began to work. */
  context: Settings;
  usage: Tokens;
}

export interface ToolState {
  call_id: string;
  turn_id: string | null;
  parent_call_id: string | null;
  name: string;
  input: unknown;
  status: ToolStatus;
  /** False when the status only follows from the missing settlement. */
  settled: boolean;
  exit_code: number | null;
  duration_ms: number | null;
  started_at: string | null;
  ended_at: string | null;
  start_seq: number;
  end_seq: number | null;
  output: string | null;
  truncated: boolean;
  error: string | null;
  files: TouchedFile[];
}

export interface UsageState {
  /** Every response once. */
  totals: Tokens;
  responses: number;
  /** By model; responses of an unnamed model stand under the empty name. */
  models: Record<string, Tokens>;
  /** Statements met, by verdict. */
  statements: Record<string, number>;
  /** The total the agent states itself, without what other sessions had spent; null when it states none. */
  stated: Tokens | null;
}

export interface LinkPoint {
  seq: number;
  time: string | null;
  origin: Origin;
}

export interface ChildState {
  child: SessionRef;
  relation: Relation;
  role: string | null;
  turn_id: string | null;
  call_id: string | null;
  spawned: LinkPoint | null;
  returned: LinkPoint | null;
}
