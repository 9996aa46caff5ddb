import type { ContextChange, QuestionTrace, ToolCall, UsageEvent } from "./model.ts";
import type { SavedSlices, Sleeping, Slices } from "./slices.ts";
import type { TurnAtWork } from "./turn-ledger.ts";

/** What a builder knows that grows with its session. */
export interface Lists {
  turns: TurnAtWork;
  tools: ToolCall;
  usage: UsageEvent;
  questions: QuestionTrace;
  contexts: ContextChange;
}

export type ListName = keyof Lists;

export type AllSlices = { [K in ListName]: Slices<Lists[K]> };
export type AllSaved = { [K in ListName]: SavedSlices<Lists[K]> };
export type AllSleeping = { [K in ListName]: Sleeping<Lists[K]> };

/** Elements of a full slice: short, because a changed one is laid down whole; not too short, because each is a row. */
export const SLICE: Readonly<Record<ListName, number>> = {
  turns: 16,
  tools: 64,
  usage: 128,
  questions: 32,
  contexts: 128,
};
