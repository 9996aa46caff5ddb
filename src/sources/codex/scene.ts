import type { RecordBody } from "../../format/record.ts";
import type { EntryClass, SharedText } from "../contract.ts";
import { addInstructions, type Instructions } from "../kit/instructions.ts";
import type { Templates } from "../kit/templates.ts";
import { nativeTurnId, type NativeRecord } from "./native.ts";
import type { Reason } from "./reasons.ts";
import type { ReaderState } from "./state.ts";

/** How far ahead a verdict may look. Fixed, so that the reader knows when the end of the file may matter. */
export const LOOKAHEAD = 16;

/** One record with what the rules may use to judge it. */
export interface Scene {
  record: NativeRecord;
  state: ReaderState;
  /** Build texts, inputs and outputs. */
  full: boolean;
  /** False when only tokens are asked for: settings nobody will look at are not reported. */
  detailed: boolean;
  /** Texts that commands stand for. */
  templates: Templates;
  /** The k-th record after this one; null when the file ends before it (it may still grow). */
  ahead(k: number): NativeRecord | null;
}

/** The model or a tool did something: what is due to the turn, unless the record is a late one of an earlier turn. */
export function worked({ record, state }: Scene): void {
  state.last = "w";
  state.compacted = "";
  const turnId = nativeTurnId(record);
  if (state.turn && (turnId === null || state.turn.id === null || turnId === state.turn.id)) state.turn.output = true;
}

/** A response was paid for: whatever the model said, it answered. */
export function answered({ record, state }: Scene): void {
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

/** With the instructions its record holds: the last of what it says. */
export function instructed({ detailed, full }: Scene, found: Verdict, given: () => Instructions): Verdict {
  if (detailed) addInstructions(found, given(), full);
  return found;
}

/** A type this reader does not know: kept, named and counted, never dropped. */
export function unknown(native: string): Verdict {
  return verdict("unknown", "codex.type.unknown", [{ type: "unknown", native_type: native }]);
}
