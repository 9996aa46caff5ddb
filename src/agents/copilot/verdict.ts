import type * as kit from "../kit/verdict.ts";
import type { Reason } from "./reasons.ts";
import type { ReaderState } from "./state.ts";

export type Verdict = kit.Verdict<Reason>;
export type ClassifyContext = kit.RuleContext<ReaderState>;
