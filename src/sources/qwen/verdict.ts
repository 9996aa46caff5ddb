import type { CommandTemplates } from "../kit/templates.ts";
import type * as kit from "../kit/verdict.ts";
import type { Reason } from "./reasons.ts";
import type { ReaderState } from "./state.ts";

export type Verdict = kit.Verdict<Reason>;

export interface ClassifyContext extends kit.RuleContext<ReaderState> {
  /** The texts that commands expand to. */
  templates: CommandTemplates;
}
