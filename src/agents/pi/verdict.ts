import type { Native } from "../kit/native.ts";
import type { CommandTemplates } from "../kit/prompts.ts";
import type * as kit from "../kit/verdict.ts";
import type { Reason } from "./reasons.ts";
import type { ReaderState } from "./state.ts";

export type Verdict = kit.Verdict<Reason>;

export interface Scene extends kit.RuleContext<ReaderState> {
  record: Native;
  /** Equal in every copy of the record; derived from the line if the record has no identity of its own. */
  identity: string;
  time: number | null;
  /** The texts that commands expand to. */
  templates: CommandTemplates;
}
