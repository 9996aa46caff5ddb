/**
 * Every rule of this reader, by the name `explain` and `audit` print. FORMAT.md explains them; a test checks that both
 * lists match what sessions produce.
 */
export const REASONS = [
  "gemini.error",
  "gemini.header",
  "gemini.header.repeated",
  "gemini.line.blank",
  "gemini.line.not_json",
  "gemini.line.not_object",
  "gemini.line.nul_bytes",
  "gemini.line.too_deep",
  "gemini.line.too_large",
  "gemini.line.torn",
  "gemini.message.inherited",
  "gemini.message.repeated",
  "gemini.notice",
  "gemini.reply",
  "gemini.reply.completed",
  "gemini.rewind",
  "gemini.set.compressed",
  "gemini.set.context",
  "gemini.set.fields",
  "gemini.set.history",
  "gemini.set.repeated",
  "gemini.set.shell",
  "gemini.subagent.injected",
  "gemini.subagent.task",
  "gemini.unknown",
  "gemini.user.command",
  "gemini.user.injected",
  "gemini.user.prompt",
  "gemini.user.shell",
  "gemini.user.summary",
  "gemini.user.tool_result",
] as const;

export type Reason = (typeof REASONS)[number];

/** By the kind of input the human typed. */
export const TYPED: Readonly<Record<"prompt" | "command" | "shell", Reason>> = {
  prompt: "gemini.user.prompt",
  command: "gemini.user.command",
  shell: "gemini.user.shell",
};
