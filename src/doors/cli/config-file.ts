import type { NarrateSettings } from "../../narrate/settings.ts";
import type { EmbeddingSettings } from "../../answers/daybook.ts";
import type { EmbeddingSettings } from "../../answers/daybook.ts";
import type { OwnRules } from "../../base/redact/own-rules.ts";
import type { OidcSettings } from "../../team/oidc.ts";
import type { TeamSettings } from "../../team/push/settings.ts";

export interface RecallSettings extends Partial<EmbeddingSettings> {
  /** Ask the agent of `[narrate]` for other wordings of each question of a person. */
  expand?: boolean;
}

export interface RecallSettings extends Partial<EmbeddingSettings> {
  /** Ask the agent of `[narrate]` for other wordings of each question of a person. */
  expand?: boolean;
}

/** The contents of `config.toml`. Flags and environment variables override it. */
export interface Config {
  /** Where the book and the index are kept. */
  home?: string;
  timezone?: string;
  /** Source id → directories or files to read instead of the agent's own places. */
  roots?: Record<string, string[]>;
  /** Directory → name of the project that everything in it belongs to. */
  projects?: Record<string, string>;
  /** From `redact.toml` in the same folder: additional patterns to hide, and exceptions. */
  redaction?: OwnRules;
  /** Directories with Aider histories. */
  aider_dirs?: string[];
  /** Which agent writes the narrative of a day, and how much it may cost. */
  narrate?: NarrateSettings;
  /** What `recall` may ask besides the index: a model for vectors, and the writing agent for other wordings. */
  recall?: RecallSettings;
  /** For `serve --team`: the identity provider that signs people in. */
  oidc?: OidcSettings;
  /** Where sessions are pushed to, and how much of them. */
  team?: TeamSettings;
  /** Headers sent to an OTLP collector along with the spans. */
  otlp?: { headers: Record<string, string> };
}
