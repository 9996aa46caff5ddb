/**
 * Every rule of this reader, by the name `explain` and `audit` print. FORMAT.md explains them; a test checks that both
 * lists match what sessions produce.
 */
export const REASONS = [
  "aider.command.local",
  "aider.command.model",
  "aider.command.shell",
  "aider.header",
  "aider.line.blank",
  "aider.line.nul_bytes",
  "aider.line.too_large",
  "aider.message",
  "aider.message.action",
  "aider.message.announcement",
  "aider.message.error",
  "aider.message.interrupt",
  "aider.message.interrupt.idle",
  "aider.message.more",
  "aider.message.unmarked",
  "aider.message.usage",
  "aider.prompt",
  "aider.prompt.architect",
  "aider.prompt.blank",
  "aider.prompt.confirmation",
  "aider.prompt.generated",
  "aider.prompt.more",
  "aider.prompt.repeated",
  "aider.reply",
  "aider.reply.more",
] as const;

export type Reason = (typeof REASONS)[number];
