/**
 * Daybook as a library: one typed reader for the session files of coding agents.
 *
 * ```ts
 * import { Daybook } from "agent-daybook";
 *
 * const daybook = new Daybook({ timezone: "Europe/Berlin" });
 * for (const turn of await daybook.turns({ since: "yesterday" })) {
 *   console.log(turn.trigger.time, turn.project, turn.trigger.text, turn.outcome, turn.usage.cost_usd);
 * }
 * ```
 */
export { DaybookError, type ErrorCode, type ErrorDetail } from "./base/errors.ts";
export {
  Daybook,
  SEARCH_KINDS,
  sourceIds,
  validateFile,
  type BlameQuery,
  type BlameView,
  type BookHealth,
  type CommitView,
  type FileView,
  type Changes,
  type DamagedPage,
  type DaybookOptions,
  type DocKind,
  type DoctorAnswer,
  type DoctorReport,
  type Explanation,
  type ForgetPlan,
  type RemoteDemand,
  type RemoteList,
  type RemoteCall,
  type RemoteFacts,
  type RemoteRows,
  type RemoteSum,
  type RemoteText,
  type TextCounts,
  type ForgetQuery,
  type ForgottenView,
  type Handoff,
  type HandoffQuery,
  type InstructionPlace,
  type InstructionPlaces,
  type LabelCount,
  type MarkDemand,
  type MarkedView,
  type Probed,
  type Progress,
  type Query,
  type ReportQuery,
  type ResumeView,
  type EmbeddingSettings,
  type VectorCount,
  type VectorDemand,
  type RecallAnswer,
  type RecallEmbeddings,
  type RecallField,
  type RecallLikeness,
  type RecallMatch,
  type RecallOptions,
  type RecallResult,
  type SearchKind,
  type SearchFound,
  type SearchResult,
  type WatchedChange,
  type Snippet,
  type SourceHealth,
  type SyncDemand,
  type SyncReport,
  type TextQuery,
  type Validation,
  type ValidationProblem,
  type WatchOptions,
  type AnswerTo,
  type QueryFor,
  type QuestionName,
  type Questions,
} from "./answers/daybook.ts";
export type { Field, FieldTable, QueryOf, ValueOf } from "./views/query/field.ts";
export type { Answers } from "./answers/json.ts";
export {
  openSources,
  readSessions,
  type OpenedSources,
  type OpenOptions,
  type ReadResult,
} from "./book/reading/library.ts";
export { readFile as readSession, type ReadOptions } from "./book/reading/read-file.ts";
export { logRecords } from "./book/reading/records.ts";
export type { Option } from "./turns/decisions/brief.ts";
export type { Decision } from "./turns/decisions/model.ts";
export type { ContextView } from "./answers/report/context-view.ts";
export type { ChangeView, CommitTurn, TouchingTurn } from "./answers/blame/file-view.ts";
export type { BlameLine, BlameTurn, RecordedAt } from "./answers/blame/view.ts";
export type { UnknownReason } from "./answers/blame/model.ts";
export type { HandoffItem, HandoffSection, SectionName } from "./answers/report/handoff/model.ts";
export type { CitedLines, FoundTarget } from "./answers/find.ts";
export type { UnreadAgent } from "./agents/unread.ts";
export type { ContextField, ContextShift } from "./views/context-trail.ts";
export type { ReviewResult, TurnFacts } from "./views/facts/facts.ts";
export type { WorkCounts } from "./views/facts/record-facts.ts";
export type { EvidenceKind } from "./answers/report/loose/evidence.ts";
export type { Deed, Step } from "./views/facts/steps.ts";
export type * from "./answers/report/model.ts";
export type { Span, SpanInput } from "./answers/report/window.ts";
export { renderHtml } from "./render/html.ts";
export type { EditsOf } from "./answers/report.ts";
export { renderMarkdown } from "./render/markdown.ts";
export { renderStandup } from "./render/standup.ts";
export { redact, Redactor, type JsonValue } from "./base/redact/redact.ts";
export type { Span as SecretSpan } from "./base/redact/named.ts";
export type { OwnRules } from "./base/redact/own-rules.ts";
export type { RangeInput, TimeRange } from "./base/time/range.ts";
export type { Zone } from "./base/time/zone.ts";
export type { AuditReport, SessionAudit } from "./views/audit-view.ts";
export type { Label, MarkChoice, Marks, Note, SessionMarks, TurnMarks } from "./views/marks.ts";
export type { SessionView } from "./views/session-view.ts";
export type { TitleSource } from "./views/title.ts";
export type { ToolView } from "./views/tool-view.ts";
export type { LimitView } from "./views/limit-view.ts";
export type { LostPrompt } from "./views/lost-view.ts";
export type { Project } from "./views/projects/project.ts";
export type { ChangedFile } from "./views/list-rows.ts";
export type { CommandCount } from "./views/command-counts.ts";
export type { ToolChoice, ToolOrder } from "./views/list-filter.ts";
export { RISKS, risksOf, type Place, type Risk } from "./views/risk/risk.ts";
export type { TurnView, ChildView, ToolCounts } from "./views/turn-view.ts";
export type { BlockQuery, BurnRate, LimitStatus, Projection, UsageBlock } from "./views/blocks.ts";
export type { KnownCost } from "./views/pricing/cost.ts";
export type { CountedResponse } from "./views/response.ts";
export type { Known, NotPushed, ReadViews, RemovedDays } from "./views/not-pushed.ts";
export type { DecisionView } from "./views/decision-view.ts";
export type { SessionDetail } from "./views/rows.ts";
export type { Level } from "./views/push-level.ts";
export type { AgentUsage, ModelUsage, UsageGroup, UsageQuery, UsageReport, UsageRow } from "./views/usage-view.ts";
export type { Weekday } from "./base/time/zone.ts";
export type { UsageView } from "./views/usage-sum.ts";
export type * from "./turns/model.ts";
export type { Child, OwnedCall, OwnedUsage, Session, Turn } from "./turns/session.ts";
export type { Assembly } from "./turns/assemble.ts";
export type { BuildOptions } from "./turns/builder.ts";
export type { BuildLedger } from "./turns/record-counter.ts";
export type {
  ClaimKind,
  ClosedPoint,
  DecidedPoint,
  Missing,
  OpenPoint,
  PlacedPoint,
  ReadBy,
  ReadByModel,
  ReadPoint,
  ResultPoint,
} from "./views/day-review.ts";
export type { NoHit } from "./base/shell/no-hit.ts";
export type * from "./agents/contract.ts";
export { registerSource } from "./agents/registry.ts";
export type * from "./record/fields.ts";
export type * from "./record/record.ts";
export { LogWriter, type NewRecord, type ShortBody, type SyncPolicy, type WriterOptions } from "./record/writer.ts";
export { openSession, type NewBody, type OpenSession, type OpenLogOptions } from "./turns/live/session.ts";
export { sessionRecords, type History } from "./turns/live/history.ts";
export { followSession, type FollowOptions } from "./turns/live/follow.ts";
export { listSessions, type ListedLog } from "./turns/live/listing.ts";
export type { AssistantMessage, Message, ToolResult } from "./turns/live/conversation.ts";
export {
  readLog,
  type LogDiagnostic,
  type LogDiagnosticCode,
  type LogReading,
  type RecordCheck,
  type ReadOptions as LogReadOptions,
  type SeqRange,
} from "./record/reader.ts";
export type { Recovery } from "./record/recovery.ts";
export type { Stated } from "./record/merge-statements.ts";
export type { ReadMeter } from "./base/io/bytes.ts";
export { createReplay, replay, type Replay } from "./turns/live/replay.ts";
export { apply, type ReplayPoint } from "./turns/live/apply.ts";
export type * from "./turns/live/state.ts";
