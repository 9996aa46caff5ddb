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
export { DaybookError, type ErrorCode } from "./errors.ts";
export { Daybook, type DaybookOptions, type Query, type ReportQuery } from "./daybook.ts";
export { openSources, readSessions, type OpenedSources, type OpenOptions, type ReadResult } from "./reading/library.ts";
export { readFile as readSession, type ReadOptions } from "./reading/read-file.ts";
export { logRecords } from "./reading/records.ts";
export type { Asked, Decision } from "./decisions/model.ts";
export type { ContextView } from "./report/context-view.ts";
export type * from "./report/model.ts";
export { renderHtml } from "./report/render/html.ts";
export { renderMarkdown } from "./report/render/markdown.ts";
export { renderStandup } from "./report/render/standup.ts";
export { redact } from "./redact/redact.ts";
export type { AuditReport, SessionAudit } from "./answers/audit-view.ts";
export type { SessionView } from "./answers/session-view.ts";
export type { ToolView } from "./answers/tool-view.ts";
export type { ToolChoice } from "./answers/tool-list.ts";
export { RISKS, risksOf, type Place, type Risk } from "./answers/risk/risk.ts";
export type { TurnView, ChildView, ToolCounts } from "./answers/turn-view.ts";
export type { UsageGroup, UsageReport, UsageRow } from "./answers/usage-view.ts";
export type { UsageView } from "./answers/usage-sum.ts";
export type { FileDraft, TurnDraft, ToolCall, UsageEvent } from "./turns/model.ts";
export type * from "./sources/contract.ts";
export { registerSource } from "./sources/registry.ts";
export type * from "./format/record.ts";
export { LogWriter, type NewRecord, type ShortBody, type SyncPolicy, type WriterOptions } from "./format/writer.ts";
export { openSession, type NewBody, type OpenSession, type SessionOptions } from "./live/session.ts";
export { sessionRecords, type History } from "./live/history.ts";
export { followSession, type FollowOptions } from "./live/follow.ts";
export { listSessions, type ListedSession } from "./live/listing.ts";
export type { AssistantMessage, Message, ToolResult } from "./live/conversation.ts";
export { readLog } from "./format/reader.ts";
export { createReplay, replay, type Replay } from "./live/replay.ts";
export { apply, type SessionPoint } from "./live/apply.ts";
export type * from "./live/state.ts";
