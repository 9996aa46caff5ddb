/** The records as they are: their types, blocks and known fields. */
import { instant } from "../../base/io/instant.ts";
import { fieldsByType, type DriftCounter } from "../kit/drift.ts";
import { list, obj, str, type Native } from "../kit/native.ts";

/**
 * The parts of Claude Code's session records that Daybook relies on. Claude Code is closed source and adds fields with
 * almost every release, so records stay `Record<string, unknown>` and are read through accessors.
 */

/** A content block of a user or assistant message. */
export interface Block extends Native {
  type: string;
}

/** The content blocks of a message; a bare string is one text block. */
export function blocksOf(message: Native | null): readonly Block[] {
  const content = message?.["content"];
  if (typeof content === "string") return [{ type: "text", text: content }];
  const out: Block[] = [];
  for (const item of list(content)) {
    if (typeof item === "string") out.push({ type: "text", text: item });
    else {
      const block = obj(item);
      if (block && typeof block["type"] === "string") out.push(block as Block);
    }
  }
  return out;
}

export function hasToolResult(blocks: readonly Block[]): boolean {
  return blocks.some((block) => block.type === "tool_result");
}

/** Epoch ms of the record; a file-history snapshot only has a nested time. */
export function timeOf(record: Native): number | null {
  const text = str(record["timestamp"]) ?? str(obj(record["snapshot"])?.["timestamp"]);
  if (text === null) return null;
  return instant(Date.parse(text));
}

/** `type/subtype` of a record, the name used in reasons, drift reports and `explain`. */
export function nativeType(record: Native): string {
  const type = str(record["type"]);
  if (type === null) return "(untyped)";
  const detail = subtypeOf(type, record);
  return detail === null ? type : `${type}/${detail}`;
}

function subtypeOf(type: string, record: Native): string | null {
  switch (type) {
    case "user":
      return hasToolResult(blocksOf(obj(record["message"]))) ? "tool_result" : null;
    case "system":
      return str(record["subtype"]);
    case "attachment":
      return str(obj(record["attachment"])?.["type"]);
    case "queue-operation":
      return str(record["operation"]);
    case "progress":
      return str(obj(record["data"])?.["type"]);
    default:
      return null;
  }
}

/** Records about the session as a whole: never part of a turn. */
export const SESSION_TYPES: ReadonlySet<string> = new Set([
  "agent-color",
  "agent-name",
  "agent-setting",
  "ai-title",
  "artifact-autoreact-ledger",
  "artifact-comment-monitor",
  "atis-latch",
  "attribution-snapshot",
  "bridge-session",
  "content-replacement",
  "continued-in",
  "cost-state",
  "custom-title",
  "ended-by-model",
  "failed",
  "file-history-delta",
  "file-history-snapshot",
  "fork-context-ref",
  "frame-link",
  "history-suppression",
  "isolation-latch",
  "last-prompt",
  "launched",
  "marble-origami-commit",
  "marble-origami-reset",
  "marble-origami-snapshot",
  "mode",
  "observer-ref",
  "permission-mode",
  "pr-link",
  "queue-operation",
  "relocated",
  "result",
  "started",
  "summary",
  "tag",
  "task-summary",
  "tools-used",
  "worktree-state",
]);

/** Copies of API requests: evidence of work, but they may be written before or after the prompt they contain. */
export const REQUEST_TYPES: ReadonlySet<string> = new Set(["api-request", "api-request-blob", "api-request-shape"]);

/** Known `system` subtypes and their classes. */
export const SYSTEM_SUBTYPES: ReadonlyMap<string, "session" | "reaction"> = new Map([
  ["agents_killed", "reaction"],
  ["api_error", "reaction"],
  ["api_metrics", "reaction"],
  ["api_retry", "reaction"],
  ["away_summary", "session"],
  ["bridge_status", "session"],
  ["compact_boundary", "reaction"],
  ["hook_feedback", "reaction"],
  ["informational", "reaction"],
  ["init", "session"],
  ["local_command", "session"],
  ["memory_saved", "reaction"],
  ["microcompact_boundary", "reaction"],
  ["model_refusal_fallback", "reaction"],
  ["model_refusal_no_fallback", "reaction"],
  ["permission_retry", "reaction"],
  ["scheduled_task_fire", "reaction"],
  ["status", "session"],
  ["stop_hook_summary", "reaction"],
  ["summary", "session"],
  ["thinking", "reaction"],
  ["turn_duration", "reaction"],
]);

/**
 * Types found in genuine files or in public notes about such files; any other type is classed `unknown` and counted.
 */
const ATTACHMENTS: ReadonlySet<string> = new Set([
  "agent_listing_delta",
  "agent_mention",
  "already_read_file",
  "artifact_opening_prefetch",
  "async_hook_response",
  "async_hook_response_batch",
  "auto_mode",
  "auto_mode_exit",
  "bagel_console",
  "bash_output_audience_note",
  "batching_reminder_sent",
  "budget_usd",
  "command_permissions",
  "compact_file_reference",
  "compaction_reminder",
  "companion_intro",
  "context_efficiency",
  "context_sections",
  "coordinator_context",
  "cowork_memory_context",
  "credential_org",
  "critical_system_reminder",
  "current_session_memory",
  "date",
  "date_change",
  "deferred_tools_delta",
  "deferred_tools_record",
  "diagnostics",
  "dir_sync_notice",
  "directory",
  "dynamic_skill",
  "edited_image_file",
  "edited_text_file",
  "environment",
  "file",
  "fork_briefing",
  "goal_status",
  "inlined_image_paths",
  "instructions",
  "invoked_skills",
  "language",
  "max_turns_reached",
  "mcp_dropped_tools_delta",
  "mcp_instructions_delta",
  "mcp_resource",
  "model",
  "nested_memory",
  "new_file",
  "opened_file_in_ide",
  "output_style",
  "output_style_instructions",
  "output_token_usage",
  "pdf_reference",
  "plan_file_reference",
  "plan_mode",
  "plan_mode_exit",
  "plan_mode_reentry",
  "poll_events",
  "prompt_render_point",
  "prompt_snapshot",
  "queued_command",
  "read_truncation_notice",
  "relevant_memories",
  "remote_session_change",
  "selected_lines_in_diff",
  "selected_lines_in_ide",
  "session_context",
  "silent_turn_reminder",
  "skill_discovery",
  "skill_listing",
  "structured_output",
  "task_reminder",
  "task_status",
  "team_context",
  "teammate_mailbox",
  "teammate_shutdown_batch",
  "thinking_drop",
  "thinking_stripped",
  "todo",
  "todo_reminder",
  "token_usage",
  "total_tokens_reminder",
  "ultra_effort_enter",
  "ultra_effort_exit",
  "ultrathink_effort",
  "unknown_command_fallback",
  "verify_plan_reminder",
]);

/** Hook outcomes (`hook_success`, `hook_cancelled`, …) differ between releases and are recognised by their prefix. */
export function isKnownAttachment(type: string): boolean {
  return ATTACHMENTS.has(type) || type.startsWith("hook_");
}

const PROGRESS: ReadonlySet<string> = new Set([
  "agent_progress",
  "bash_progress",
  "hook_progress",
  "mcp_progress",
  "powershell_progress",
  "query_update",
  "search_results_received",
  "skill_progress",
  "task_progress",
  "waiting_for_task",
  "web_search_progress",
  "workflow_progress",
]);

export function isKnownProgress(type: string | null): boolean {
  return type === null || PROGRESS.has(type);
}

/** Fields that every record of the conversation chain may have. */
const CHAIN =
  "agentId agentName agentSetting attributionAgent attributionMcpServer attributionPlugin attributionSkill cwd entrypoint " +
  "forkedFrom gitBranch isMeta isSidechain logicalParentUuid parentUuid promptId sessionId sessionKind session_id slug " +
  "subtype teamName timestamp type userType uuid version";

const KNOWN: Readonly<Record<string, string>> = {
  user:
    `${CHAIN} holdsPersonsWords imagePasteIds interruptedMessageId isCompactSummary isVisibleInTranscriptOnly mcpMeta message origin ` +
    "permissionDecision permissionMode planContent promptSource queueSkipAttachments queueTranscriptOnly sandboxed sourceToolAssistantUUID " +
    "sourceToolUseID summarizeMetadata thinkingMetadata todos toolDenialBeforeRun toolDenialKind toolUseResult turnCompanion turnOrigin turnPosition " +
    "userFeedback",
  assistant:
    `${CHAIN} advisorModel apiBlockIndex apiError apiErrorParams apiErrorStatus apiErrorType costUSD durationMs effort ` +
    "error errorDetails failedResponseHadNoToolCall isAbortedMidStream isApiErrorMessage isVirtual madeBy message " +
    "perTurnEffort promptCacheRequested requestId requestRef requestSessionId requestedModel research thinkingDisplay thinkingDurationMs " +
    "toolInputStreamMs",
  attachment: `${CHAIN} attachment rendered renderedBesideToolResult renderedInHumanTurn renderedRole`,
  system:
    `${CHAIN} cause commandRun compactMetadata content direction durationMs error fallbackModel hasOutput hookAdditionalContext ` +
    "hookCount hookErrors hookInfos hookLabel level maxRetries messageCount microcompactMetadata originalModel " +
    "pendingBackgroundAgentCount pendingWorkflowCount preventedContinuation retractedMessageUuids retryAttempt retryInMs " +
    "scheduledTaskId source stopReason toolUseID totalDurationMs trigger url writtenPaths",
  progress: `${CHAIN} data parentToolUseID toolUseID`,
  summary: "leafUuid sessionId summary timestamp type uuid cwd",
  "agent-color": "agentColor sessionId type",
  "agent-name": "agentName sessionId type",
  "agent-setting": "agentSetting sessionId type",
  "ai-title": "aiTitle sessionId title type",
  "api-request":
    "agentId base cacheControl id keep params querySource requestDigest sessionId shapeHash tail timestamp type version",
  "api-request-blob": "agentId hash message sessionId type",
  "api-request-shape": "agentId sessionId shape shapeHash timestamp type version",
  "atis-latch": "atis sessionId type",
  "cost-state":
    "hasUnknownModelCost modelUsage sessionId startTime totalAPIDuration totalAPIDurationWithoutRetries totalCostUSD " +
    "totalDuration totalLinesAdded totalLinesRemoved totalToolDuration type",
  "custom-title": "customTitle sessionId type",
  "file-history-snapshot": "isSnapshotUpdate messageId snapshot type",
  "fork-context-ref": "agentId contextLength parentLastUuid parentSessionId sessionId type",
  "last-prompt": "explicit lastPrompt leafUuid sessionId type",
  mode: "mode sessionId type",
  "permission-mode": "permissionMode sessionId type",
  "pr-link": "prNumber prRepository prUrl sessionId timestamp type",
  "queue-operation": "commandUuid content deliveryId operation reason sessionId timestamp type",
  result: "agentId key result timestamp type",
  started: "agentId key timestamp type",
  "tools-used": "sessionId tools type",
};

/** Fields written by the releases that were checked. Types without a list are not checked for drift. */
const KNOWN_FIELDS: ReadonlyMap<string, ReadonlySet<string>> = fieldsByType(KNOWN);

/** `state.met` is the version stated last, which also applies to records without one. */
export function noteDrift(counter: DriftCounter, record: Native, state: { met: string }, checkFields: boolean): void {
  const version = str(record["version"]);
  if (version !== null) {
    state.met = version;
    counter.countVersion(version);
  }
  if (!checkFields) return;
  const type = str(record["type"]) ?? "(untyped)";
  counter.countUnknownFields(state.met, type, record, KNOWN_FIELDS.get(type));
}

/** Whether a release is `first` or a later one; a missing version counts as older than any. */
export function isSince(version: string | null, first: readonly number[]): boolean {
  const parts = (version ?? "").split(".").map(Number);
  for (const [i, least] of first.entries()) {
    const part = parts[i] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}
