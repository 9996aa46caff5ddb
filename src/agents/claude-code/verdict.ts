import { obj, type Native } from "../kit/native.ts";
import type * as kit from "../kit/verdict.ts";
import { blocksOf, type Block } from "./native.ts";
import type { Reason } from "./reasons.ts";
import type { ReaderState } from "./state.ts";

export type Verdict = kit.Verdict<Reason>;
export type ClassifyContext = kit.RuleContext<ReaderState>;

/** Whether this is a subagent's record inside the main file, as written by versions 1.0 and 2.0. */
export function isInline(record: Native, state: ReaderState): boolean {
  return record["isSidechain"] === true && state.kind === "root";
}

export function messageBlocks(record: Native): readonly Block[] {
  return blocksOf(obj(record["message"]));
}
