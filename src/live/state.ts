import type {
  ContextSource,
  Origin,
  RateLimits,
  Relation,
  SessionRef,
  SourceId,
  Tokens,
  ToolStatus,
  TouchedFile,
  TriggerEntry,
  TriggerKind,
} from "../format/record.ts";
import type { Outcome, SessionMeta, StatedTotal, TokenBalance, TurnContext } from "../turns/model.ts";
import type { AssistantMessage, Message } from "./conversation.ts";

/** What a log says about its session when all its records are taken together. Plain JSON. */
export interface SessionState {
  session_id: string | null;
  records: number;
  /** -1 before the first record. */
  last_seq: number;
  first_time: string | null;
  last_time: string | null;
  /** Null before the first header. */
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
  /** Calls that were settled and whose start is not in the log. */
  orphan_settlements: number;
  /** What a model is given to go on: since the last compaction, without what was taken back. */
  messages: Message[];
  usage: UsageState;
  children: ChildState[];
  compactions: number;
  unknown: { count: number; types: Record<string, number> };
  unreadable: { count: number; bytes: number; reasons: Record<string, number> };
}

export interface MetaState extends Omit<SessionMeta, "title" | "title_by" | "archived" | "forked_at"> {
  source: SourceId;
  /** The last `seq` of the log it was forked from that is part of the history; null where the history was copied. */
  forked_at: number | null;
}

export interface ContextState extends TurnContext {
  /** Instructions in force. */
  sources: ContextSource[];
  rate_limits: RateLimits | null;
}

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

export interface TurnState {
  /** Null for work an agent asked for, where the log does not call it a turn. */
  turn_id: string | null;
  native_turn_id: string | null;
  /** Asked for by an agent, in a session that no human spoke to. */
  delegated: boolean;
  trigger: TriggerState;
  /** The request, and the last record of what it caused before the next request. */
  first_seq: number;
  last_seq: number;
  started_at: string | null;
  ended_at: string | null;
  duration_ms: number | null;
  records: number;
  /** Everything the agent said, also before a compaction. */
  assistant: AssistantMessage[];
  final_text: string;
  outcome: Outcome;
  /** False when no record says how the turn ended and the outcome follows from what came after. */
  outcome_stated: boolean;
  outcome_detail: string | null;
  taken_back: "rolled_back" | "rewound" | null;
  /** Touched by calls that succeeded. */
  files: TouchedFile[];
  /** In force when the agent began to work. */
  context: TurnContext;
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
  /** What all statements together say, and what of it counts. */
  balance: TokenBalance;
  /** The total the agent states itself, without what other sessions had spent; null when it states none. */
  stated: (Omit<StatedTotal, "line"> & { seq: number }) | null;
}

export interface ChildState {
  child: SessionRef;
  relation: Relation;
  role: string | null;
  turn_id: string | null;
  /** The call that started it. */
  call_id: string | null;
  /** Where it was started, by its call where that is known, and where its result came back. */
  spawn_seq: number | null;
  result_seq: number | null;
  returned_at: string | null;
}
