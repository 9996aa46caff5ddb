import type { AgentSettings } from "./agents/model.ts";

/** What `[narrate]` in `config.toml` may say; flags win over it. */
export interface NarrateSettings extends AgentSettings {
  /** Of what is written, as a tag such as `de`; that of the requests when absent. */
  language?: string;
  /** Requests under way at once. */
  concurrency?: number;
  budget_usd?: number;
  budget_tokens?: number;
  /** How often one thing is asked for. */
  attempts?: number;
}

/** Of one thing, where nothing else is said. */
export const ATTEMPTS = 3;
