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
} from "../../record/record.ts";
import type { Outcome, SessionMeta, StatedTotal, TokenBalance, TurnContext } from "../model.ts";
import type { AssistantMessage, Message } from "./conversation.ts";

/** What all records of a log together say about its session. Plain JSON. */
export interface SessionState {
  session_id: string | null;
  records: number;
  /** -1 before the first record. */
  last_seq: number;
  first_time: string | null;
  last_time: string | null;
  /** Null before the first header. */
  meta: MetaState | null;
  /** The current title: one given by the human takes precedence over a generated one, then the latest. */
  title: string | null;
  title_by: "human" | "agent" | null;
  archived: boolean;
  /** The settings in force after the last record. */
  context: ContextState;
  /** In the order they began. */
  turns: TurnState[];
  /** In the order they began; `turn_id` names the owner. */
  tools: ToolState[];
  /** Number of settled calls whose start is not in the log. */
  orphan_settlements: number;
  /** The messages a model needs to continue: since the last compaction, without what was taken back. */
  messages: Message[];
  usage: UsageState;
  children: ChildState[];
  compactions: number;
  unknown: { count: number; types: Record<string, number> };
  unreadable: { count: number; bytes: number; reasons: Record<string, number> };
}

export interface MetaState extends Omit<SessionMeta, "title" | "title_by" | "archived" | "forked_at"> {
  source: SourceId;
  /** The last `seq` of the parent log that is part of the history; null if the history was copied. */
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
  /** Null for work requested by an agent, if the log gives it no turn id. */
  turn_id: string | null;
  native_turn_id: string | null;
  /** Requested by an agent, in a session that no human spoke to. */
  delegated: boolean;
  trigger: TriggerState;
  /** The first record is the request; the last one is the last record it caused before the next request. */
  first_seq: number;
  last_seq: number;
  started_at: string | null;
  ended_at: string | null;
  duration_ms: number | null;
  records: number;
  /** Everything the agent said, including messages before a compaction. */
  assistant: AssistantMessage[];
  final_text: string;
  outcome: Outcome;
  /** False if no record states how the turn ended; the outcome is then inferred from what followed. */
  outcome_stated: boolean;
  outcome_detail: string | null;
  taken_back: "rolled_back" | "rewound" | null;
  /** Files touched by calls that succeeded. */
  files: TouchedFile[];
  /** Settings in force when the agent began to work. */
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
  /** False if the status is only inferred from a missing settlement. */
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
  /** Every response counted once. */
  totals: Tokens;
  responses: number;
  /** By model; responses of an unnamed model are listed under the empty name. */
  models: Record<string, Tokens>;
  /** What all statements add up to, and how much of it counts. */
  balance: TokenBalance;
  /** The total the agent itself states, without what other sessions had spent; null if it states none. */
  stated: (Omit<StatedTotal, "line"> & { seq: number }) | null;
}

export interface ChildState {
  child: SessionRef;
  relation: Relation;
  role: string | null;
  turn_id: string | null;
  /** The call that started the child. */
  call_id: string | null;
  /** Where the child was started (at its call if known), and where its result was returned. */
  spawn_seq: number | null;
  result_seq: number | null;
  returned_at: string | null;
}
