import type { ContextChange, QuestionTrace, ToolCall, UsageEvent } from "./model.ts";
import type { SavedSlices, StoredSlices, Slices } from "./slices.ts";
import type { TrackedTurn } from "./turn-ledger.ts";

/** The lists of a builder that grow with the session. */
export interface Lists {
  turns: TrackedTurn;
  tools: ToolCall;
  usage: UsageEvent;
  questions: QuestionTrace;
  contexts: ContextChange;
}

export type ListName = keyof Lists;

export type AllSlices = { [K in ListName]: Slices<Lists[K]> };
export type AllSaved = { [K in ListName]: SavedSlices<Lists[K]> };
export type AllStoredSlices = { [K in ListName]: StoredSlices<Lists[K]> };

/**
 * Elements per full slice: few, because a changed slice is rewritten whole; not too few, because each slice is a row.
 */
export const SLICE_SIZES: Readonly<Record<ListName, number>> = {
  turns: 16,
  tools: 64,
  usage: 128,
  questions: 32,
  contexts: 128,
};
