import type { AgentSettings } from "./agents/model.ts";

/** The settings in `[narrate]` of `config.toml`; flags take precedence. */
export interface NarrateSettings extends AgentSettings {
  /** Language of the texts, as a tag such as `de`; that of the requests when absent. */
  language?: string;
  /** Maximum number of parallel requests. */
  concurrency?: number;
  budget_usd?: number;
  budget_tokens?: number;
  /** Maximum number of attempts per request. */
  attempts?: number;
}

/** Default for `attempts`. */
export const DEFAULT_ATTEMPTS = 3;
