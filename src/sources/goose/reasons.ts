/**
 * Every rule of this reader, by the name `explain` and `audit` print. FORMAT.md explains them; a test checks that both
 * lists match what sessions produce.
 */
export const REASONS = [
  "goose.assistant",
  "goose.content.unknown",
  "goose.copy.inherited",
  "goose.ledger",
  "goose.ledger.carried_forward",
  "goose.line.blank",
  "goose.line.not_json",
  "goose.line.not_message",
  "goose.line.not_object",
  "goose.line.nul_bytes",
  "goose.line.too_deep",
  "goose.line.too_large",
  "goose.line.torn",
  "goose.role.unknown",
  "goose.row.not_json",
  "goose.row.too_deep",
  "goose.session",
  "goose.user.archived",
  "goose.user.delegated",
  "goose.user.elicited",
  "goose.user.empty",
  "goose.user.hidden",
  "goose.user.local_command",
  "goose.user.recipe",
  "goose.user.results",
  "goose.user.rewritten",
  "goose.user.scheduled",
  "goose.user.summary",
  "goose.user.turn_context",
  "goose.user.typed",
  "goose.user.utility",
] as const;

export type Reason = (typeof REASONS)[number];
