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
export { DaybookError, type ErrorCode, type ErrorDetail } from "./errors.ts";
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
  type DoctorReport,
  type Explanation,
  type ForgetPlan,
  type RemoteDemand,
  type RemoteList,
  type RemoteCall,
  type RemoteFacts,
  type RemoteResponse,
  type RemoteRows,
  type RemoteText,
  type TurnTime,
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
  type RecallAnswer,
  type RecallField,
  type RecallLikeness,
  type RecallMatch,
  type RecallOptions,
  type RecallResult,
  type SearchKind,
  type SearchFound,
  type SearchResult,
  type SessionChange,
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
} from "./daybook.ts";
export type { Field, FieldTable, QueryOf, ValueOf } from "./questions/field.ts";
export type { Answers } from "./daybook/json.ts";
export { openSources, readSessions, type OpenedSources, type OpenOptions, type ReadResult } from "./reading/library.ts";
export { readFile as readSession, type ReadOptions } from "./reading/read-file.ts";
export { logRecords } from "./reading/records.ts";
export type { Option } from "./decisions/brief.ts";
export type { Decision } from "./decisions/model.ts";
export type { ContextView } from "./report/context-view.ts";
export type { ChangeView, CommitTurn, TouchingTurn } from "./blame/file-view.ts";
export type { BlameLine, BlameTurn, RecordedAt } from "./blame/view.ts";
export type { UnknownReason } from "./blame/model.ts";
export type { HandoffItem, HandoffSection, SectionName } from "./report/handoff/model.ts";
export type { Cited } from "./report/cited.ts";
export type { ContextField, ContextShift } from "./answers/context-trail.ts";
export type { ReviewResult, TurnFacts } from "./report/facts.ts";
export type * from "./report/model.ts";
export type { Span, SpanInput } from "./report/window.ts";
export { renderHtml, type EditsOfTurn } from "./report/render/html.ts";
export { renderMarkdown } from "./report/render/markdown.ts";
export { renderStandup } from "./report/render/standup.ts";
export { redact, Redactor, type JsonValue } from "./redact/redact.ts";
export type { Span as SecretSpan } from "./redact/named.ts";
export type { OwnRules } from "./redact/own-rules.ts";
export type { RangeInput, TimeRange } from "./time/range.ts";
export type { Zone } from "./time/zone.ts";
export type { AuditReport, SessionAudit } from "./answers/audit-view.ts";
export type { Label, MarkChoice, Marks, Note, SessionMarks, TurnMarks } from "./answers/marks.ts";
export type { ReadSessionView, SessionView } from "./answers/session-view.ts";
export type { TitleSource } from "./answers/title.ts";
export type { ReadToolView, ToolView } from "./answers/tool-view.ts";
export type { LimitView } from "./answers/limit-view.ts";
export type { LostPrompt } from "./answers/lost-view.ts";
export type { Project } from "./answers/projects/project.ts";
export type { ChangedFile, FileChoice } from "./answers/changed-files.ts";
export type { CommandCount } from "./answers/command-counts.ts";
export type { ToolChoice, ToolOrder } from "./answers/tool-list.ts";
export { RISKS, risksOf, type Place, type Risk } from "./answers/risk/risk.ts";
export type { ReadTurnView, TurnView, ChildView, ToolCounts } from "./answers/turn-view.ts";
export type { BlockQuery, BurnRate, LimitStatus, Projection, UsageBlock } from "./answers/blocks.ts";
export type { KnownCost } from "./answers/pricing/cost.ts";
export type { OwnedResponse, UsageResponse } from "./answers/usage-response.ts";
export type { Known, NotPushed, RemovedDays } from "./answers/not-pushed.ts";
export type { DecisionView } from "./answers/decision-view.ts";
export type { SessionDetail } from "./answers/rows.ts";
export type { Level } from "./answers/push-level.ts";
export type { AgentUsage, ModelUsage, UsageGroup, UsageQuery, UsageReport, UsageRow } from "./answers/usage-view.ts";
export type { Weekday } from "./time/zone.ts";
export type { UsageView } from "./answers/usage-sum.ts";
export type * from "./turns/model.ts";
export type { Child, OwnedCall, OwnedUsage, Session, Turn } from "./turns/session.ts";
export type { Assembly } from "./turns/assemble.ts";
export type { BuildOptions } from "./turns/builder.ts";
export type { BuildLedger } from "./turns/record-counter.ts";
export type { NoHit } from "./shell/no-hit.ts";
export type * from "./sources/contract.ts";
export { registerSource } from "./sources/registry.ts";
export type * from "./format/record.ts";
export { LogWriter, type NewRecord, type ShortBody, type SyncPolicy, type WriterOptions } from "./format/writer.ts";
export { openSession, type NewBody, type OpenSession, type SessionOptions } from "./live/session.ts";
export { sessionRecords, type History } from "./live/history.ts";
export { followSession, type FollowOptions } from "./live/follow.ts";
export { listSessions, type ListedSession } from "./live/listing.ts";
export type { AssistantMessage, Message, ToolResult } from "./live/conversation.ts";
export {
  readLog,
  type LogDiagnostic,
  type LogDiagnosticCode,
  type LogReading,
  type RecordCheck,
  type ReadOptions as LogReadOptions,
  type SeqRange,
} from "./format/reader.ts";
export type { Recovery } from "./format/recovery.ts";
export type { Stated } from "./format/merge-statements.ts";
export type { ReadMeter } from "./io/bytes.ts";
export { createReplay, replay, type Replay } from "./live/replay.ts";
export { apply, type SessionPoint } from "./live/apply.ts";
export type * from "./live/state.ts";
