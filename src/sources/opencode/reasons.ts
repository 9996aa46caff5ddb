/**
 * Every rule of this reader, by the name `explain` and `audit` print. FORMAT.md explains them; a test checks that both
 * lists match what sessions produce.
 */
export const REASONS = [
  "opencode.assistant.message",
  "opencode.copy.inherited",
  "opencode.go.results",
  "opencode.go.summary",
  "opencode.message.unknown",
  "opencode.part.agent",
  "opencode.part.compaction",
  "opencode.part.file",
  "opencode.part.patch",
  "opencode.part.reasoning",
  "opencode.part.retry",
  "opencode.part.snapshot",
  "opencode.part.source-url",
  "opencode.part.step-finish",
  "opencode.part.step-start",
  "opencode.part.subtask",
  "opencode.part.text",
  "opencode.part.tool",
  "opencode.part.unknown",
  "opencode.row.not_json",
  "opencode.row.too_deep",
  "opencode.session",
  "opencode.user.compact",
  "opencode.user.compaction",
  "opencode.user.delegated",
  "opencode.user.empty",
  "opencode.user.expanded",
  "opencode.user.replayed",
  "opencode.user.shell",
  "opencode.user.subtask",
  "opencode.user.synthetic",
  "opencode.user.typed",
  "opencode.v2.compaction",
  "opencode.v2.shell",
  "opencode.v2.switched",
] as const;

export type Reason = (typeof REASONS)[number];

/** The reason for a part, by its type. */
export const PART: Readonly<Record<string, Reason>> = {
  agent: "opencode.part.agent",
  compaction: "opencode.part.compaction",
  file: "opencode.part.file",
  patch: "opencode.part.patch",
  reasoning: "opencode.part.reasoning",
  retry: "opencode.part.retry",
  snapshot: "opencode.part.snapshot",
  "source-url": "opencode.part.source-url",
  "step-finish": "opencode.part.step-finish",
  "step-start": "opencode.part.step-start",
  subtask: "opencode.part.subtask",
  text: "opencode.part.text",
  tool: "opencode.part.tool",
};
