import { fieldsByType } from "../kit/drift.ts";

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
export const KNOWN_FIELDS: ReadonlyMap<string, ReadonlySet<string>> = fieldsByType(KNOWN);
