import { CHOICES } from "./fields.ts";
import type { BODIES, Choice, ENVELOPE, Flat, ObjectOf, OBJECTS } from "./fields.ts";

/**
 * The types of the canonical session log, schema version 1: one JSON object per line, append-only. Their fields are in
 * `fields.ts`.
 */
export const SCHEMA_VERSION = 1;

export type SourceId = string;

export interface SessionRef extends ObjectOf<typeof OBJECTS.session_ref> {}

export type SessionKind = Choice<"session_kind">;
export type TriggerKind = Choice<"trigger_kind">;
/** `automated`: the prompt was probably sent by a program on its own, though nothing proves it. */
export type TriggerEntry = Choice<"trigger_entry">;
export type ToolStatus = Choice<"tool_status">;
export const TOOL_STATUSES: readonly ToolStatus[] = CHOICES.tool_status;
export type Relation = Choice<"relation">;
/** `unclear`: the next message after a plan, which neither tells the agent to carry it out nor to go on planning. */
export type PlanAnswer = Choice<"plan_answer">;
export type FileOperation = Choice<"operation">;

export interface GitState extends ObjectOf<typeof OBJECTS.git> {}

/**
 * A text with instructions for the model: the agent's own prompt (`base`), an instruction file, a message of the
 * client. A later one of the same kind and path replaces it; several of the kind `message` are in force side by side.
 */
export interface ContextSource extends ObjectOf<typeof OBJECTS.context_source> {}

/** Bytes that belong to a message and are stored in a separate file, named by their hash. */
export interface Attachment extends ObjectOf<typeof OBJECTS.attachment> {}
export interface RateLimitWindow extends ObjectOf<typeof OBJECTS.limit_window> {}
export interface RateLimits extends ObjectOf<typeof OBJECTS.rate_limits> {}
export interface ReviewFinding extends ObjectOf<typeof OBJECTS.finding> {}
export interface Review extends ObjectOf<typeof OBJECTS.review> {}
/** Short form of token counts. Absent fields are zero; `input` is uncached input only. */
export interface ShortUsage extends ObjectOf<typeof OBJECTS.short_usage> {}
export interface TouchedFile extends ObjectOf<typeof OBJECTS.touched_file> {}
export interface Tokens extends ObjectOf<typeof OBJECTS.tokens> {}
export interface ModelTokens extends ObjectOf<typeof OBJECTS.model_tokens> {}

/** What one or several responses of a model spent. */
export interface TimedTokens extends ModelTokens {
  /** Epoch ms; null when it is not stated, or when they were spent at different times. */
  time: number | null;
}

/** Position of the native record: a physical line of a file or the ordinal of a database row. */
export interface Origin extends ObjectOf<typeof OBJECTS.origin> {}

/** Objects whose types have a name. */
export interface NamedObjects {
  session_ref: SessionRef;
  origin: Origin;
  git: GitState;
  limit_window: RateLimitWindow;
  rate_limits: RateLimits;
  context_source: ContextSource;
  attachment: Attachment;
  short_usage: ShortUsage;
  finding: ReviewFinding;
  review: Review;
  touched_file: TouchedFile;
  tokens: Tokens;
  model_tokens: ModelTokens;
}

export type RecordType = keyof typeof BODIES;
export type BodyOf<Type extends RecordType> = Flat<{ type: Type } & ObjectOf<(typeof BODIES)[Type]>>;

/** First record of a log; repeated when the agent repeats or changes its header. Later values replace earlier ones. */
export interface SessionMetaBody extends BodyOf<"session_meta"> {}
/** Settings in force from here on. Absent fields are unchanged. */
export interface ContextBody extends BodyOf<"context"> {}
/** A message in the user role. `author` tells who really wrote it: the human, the agent's client, or an agent. */
export interface UserBody extends BodyOf<"user"> {}
export interface AssistantStartedBody extends BodyOf<"assistant_started"> {}
export interface AssistantFinishedBody extends BodyOf<"assistant_finished"> {}
export interface ReasoningFinishedBody extends BodyOf<"reasoning_finished"> {}
export interface ToolStartedBody extends BodyOf<"tool_started"> {}
/** How a tool call ended. May be repeated for the same call: the latest wins. */
export interface ToolFinishedBody extends BodyOf<"tool_finished"> {}
/**
 * A statement of usage by a native record. Every statement is kept; `verdict` tells whether it counts: `counted` once
 * per response, `duplicate` for repeats, `estimate` for numbers that the agent guessed, `inherited` for copies.
 */
export interface UsageBody extends BodyOf<"usage"> {}
/**
 * The running total that the agent itself states. It serves to verify the counted usage; it is counted only as far as
 * `unwritten` says so. The latest statement of each counter is valid; counters add up.
 */
export interface UsageTotalBody extends BodyOf<"usage_total"> {}
export interface CompactedBody extends BodyOf<"compacted"> {}
/** A session caused by this one: `spawned` when it began, `returned` when its result came back. */
export interface ChildLinkedBody extends BodyOf<"child_linked"> {}
/** Work that was stopped, or turns that were taken back. */
export interface CancelledBody extends BodyOf<"cancelled"> {}
export interface FailedBody extends BodyOf<"failed"> {}
export interface SessionRenamedBody extends BodyOf<"session_renamed"> {}
/** The session was archived or unarchived. The latest record wins. */
export interface SessionArchivedBody extends BodyOf<"session_archived"> {}
export interface UnknownBody extends BodyOf<"unknown"> {}
export interface UnreadableBody extends BodyOf<"unreadable"> {}

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

export interface RecordEnvelope extends ObjectOf<typeof ENVELOPE> {}
export type LogRecord = RecordEnvelope & RecordBody;
