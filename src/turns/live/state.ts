import type { ContextSource, Origin, RateLimits, SourceId, Tokens, TouchedFile } from "../../record/record.ts";
import type {
  ChildLink,
  SessionMeta,
  StatedTotal,
  TokenBalance,
  ToolCall,
  Trigger,
  TurnContext,
  TurnDraft,
} from "../model.ts";
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

export interface TriggerState extends Pick<Trigger, "text" | "kind" | "entry" | "attachments"> {
  seq: number;
  time: string | null;
  origin: Origin;
  author: "human" | "agent";
}

export interface TurnState extends Pick<
  TurnDraft,
  "delegated" | "duration_ms" | "records" | "final_text" | "outcome" | "outcome_detail" | "taken_back" | "context"
> {
  /** Null for work requested by an agent, if the log gives it no turn id. */
  turn_id: string | null;
  native_turn_id: string | null;
  trigger: TriggerState;
  /** The first record is the request; the last one is the last record it caused before the next request. */
  first_seq: number;
  last_seq: number;
  started_at: string | null;
  ended_at: string | null;
  /** Everything the agent said, including messages before a compaction. */
  assistant: AssistantMessage[];
  /** False if no record states how the turn ended; the outcome is then inferred from what followed. */
  outcome_stated: boolean;
  /** Files touched by calls that succeeded. */
  files: TouchedFile[];
  usage: Tokens;
}

export interface ToolState extends Pick<
  ToolCall,
  "call_id" | "parent_call_id" | "name" | "input" | "status" | "settled" | "exit_code" | "duration_ms" | "error"
> {
  turn_id: string | null;
  started_at: string | null;
  ended_at: string | null;
  start_seq: number;
  end_seq: number | null;
  output: string | null;
  truncated: boolean;
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

export interface ChildState extends Pick<ChildLink, "child" | "relation" | "role"> {
  turn_id: string | null;
  /** The call that started the child. */
  call_id: string | null;
  /** Where the child was started (at its call if known), and where its result was returned. */
  spawn_seq: number | null;
  result_seq: number | null;
  returned_at: string | null;
}
