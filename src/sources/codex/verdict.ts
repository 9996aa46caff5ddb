import type { RecordBody } from "../../format/record.ts";
import type { EntryClass, SharedText } from "../contract.ts";
import { addInstructions, type Instructions } from "../kit/instructions.ts";
import type { CommandTemplates } from "../kit/templates.ts";
import { nativeTurnId, type NativeRecord } from "./native.ts";
import type { Reason } from "./reasons.ts";
import type { ReaderState } from "./state.ts";

/** How far ahead a rule may look. Fixed, so that the reader knows when the end of the file may affect a verdict. */
export const LOOKAHEAD = 16;

/** One record with everything that the rules may use to classify it. */
export interface ClassifyContext {
  record: NativeRecord;
  state: ReaderState;
  /** Build texts, inputs and outputs. */
  full: boolean;
  /** False with detail `usage`: settings and totals are not reported then. */
  detailed: boolean;
  /** Recognises the expanded text of commands. */
  templates: CommandTemplates;
  /** The k-th record after this one; null when the file ends before it (it may still grow). */
  ahead(k: number): NativeRecord | null;
}

/** Notes that the model or a tool produced output in the current turn, unless the record belongs to an earlier turn. */
export function noteOutput({ record, state }: ClassifyContext): void {
  state.last = "w";
  state.compacted = "";
  const turnId = nativeTurnId(record);
  if (state.turn && (turnId === null || state.turn.id === null || turnId === state.turn.id)) state.turn.output = true;
}

/** Notes that the turn has an answer: usage was stated for it, even if the answer was empty. */
export function noteAnswer({ record, state }: ClassifyContext): void {
  const turnId = nativeTurnId(record);
  if (state.turn && state.turn.prompts > 0 && (turnId === null || turnId === state.turn.id)) state.turn.output = true;
}

export interface Verdict {
  class: EntryClass;
  reason: Reason;
  records: readonly RecordBody[];
  texts?: readonly SharedText[];
  /** The file ended before the verdict was certain. */
  tentative?: boolean;
}

export function verdict(
  cls: EntryClass,
  reason: Reason,
  records: RecordBody[] = [],
  tentative: boolean = false,
): Verdict {
  return { class: cls, reason, records, tentative };
}

export function reaction(reason: Reason, ...records: RecordBody[]): Verdict {
  return verdict("reaction", reason, records);
}

export function setup(reason: Reason, ...records: RecordBody[]): Verdict {
  return verdict("setup", reason, records);
}

/** Adds the instructions in the record to its verdict, after all other records. */
export function withInstructions(
  { detailed, full }: ClassifyContext,
  found: Verdict,
  given: () => Instructions,
): Verdict {
  if (detailed) addInstructions(found, given(), full);
  return found;
}

/** A type this reader does not know: kept, named and counted, never dropped. */
export function unknownType(native: string): Verdict {
  return verdict("unknown", "codex.type.unknown", [{ type: "unknown", native_type: native }]);
}
