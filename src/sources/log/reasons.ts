/**
 * Every rule of this reader, by the name `explain` and `audit` print. FORMAT.md explains them; a test checks that both
 * lists match what sessions produce.
 */
export const REASONS = [
  "log.before_the_request",
  "log.copied",
  "log.delegated",
  "log.line.blank",
  "log.line.not_json",
  "log.line.not_object",
  "log.line.nul_bytes",
  "log.line.too_deep",
  "log.line.too_large",
  "log.line.torn",
  "log.of_the_session",
  "log.of_the_turn",
  "log.preparation",
  "log.record.invalid",
  "log.record.unreadable",
  "log.request",
  "log.request.restated",
  "log.seq.repeated",
  "log.session.foreign",
  "log.turn.unasked",
  "log.type.unknown",
  "log.version.newer",
] as const;

export type Reason = (typeof REASONS)[number];
