import type { NarrateSettings } from "../narrate/settings.ts";
import type { OwnRules } from "../redact/own-rules.ts";
import type { OidcSettings } from "../team/oidc.ts";
import type { TeamSettings } from "../team/push/settings.ts";

/** What `config.toml` may say. Flags and environment win over it. */
export interface Config {
  /** Where the book and the index are kept. */
  home?: string;
  timezone?: string;
  /** Source id → directories or files to read instead of the agent's own places. */
  roots?: Record<string, string[]>;
  /** Directory → name of the project all in it belongs to. */
  projects?: Record<string, string>;
  /** From `redact.toml` beside it: what is hidden as well, and what never is. */
  redaction?: OwnRules;
  /** Directories with Aider histories. */
  aider_dirs?: string[];
  /** Who writes the narrative of a day, and how much it may cost. */
  narrate?: NarrateSettings;
  /** For `serve --team`: who signs people in. */
  oidc?: OidcSettings;
  /** Where sessions are pushed to, and how much of them. */
  team?: TeamSettings;
  /** What a collector that spans are sent to is shown with them. */
  otlp?: { headers: Record<string, string> };
}
