/**
 * Every rule of this reader, by the name `explain` and `audit` print. FORMAT.md explains them; a test checks that both
 * lists match what sessions produce.
 */
export const REASONS = [
  "pi.active_tools_change",
  "pi.branch_summary",
  "pi.compaction",
  "pi.context_edit",
  "pi.custom",
  "pi.custom_message",
  "pi.id.inherited",
  "pi.id.repeated",
  "pi.label",
  "pi.line.blank",
  "pi.line.not_json",
  "pi.line.not_object",
  "pi.line.nul_bytes",
  "pi.line.too_deep",
  "pi.line.too_large",
  "pi.line.torn",
  "pi.message.assistant.aborted",
  "pi.message.assistant.answered",
  "pi.message.assistant.failed",
  "pi.message.assistant.retried",
  "pi.message.bash_execution",
  "pi.message.custom",
  "pi.message.summary",
  "pi.message.system",
  "pi.message.tool_result",
  "pi.message.unknown_role",
  "pi.message.user",
  "pi.message.user.delegated",
  "pi.message.user.queued",
  "pi.model_change",
  "pi.session",
  "pi.thinking_level_change",
  "pi.title",
  "pi.type.unknown",
  "pi.usage",
] as const;

export type Reason = (typeof REASONS)[number];

/** By the end of a response. */
export const ANSWER: Readonly<Record<"answered" | "aborted" | "failed" | "retried", Reason>> = {
  answered: "pi.message.assistant.answered",
  aborted: "pi.message.assistant.aborted",
  failed: "pi.message.assistant.failed",
  retried: "pi.message.assistant.retried",
};
