import type { RecordBody, UserBody } from "../../record/record.ts";
import type { EntryClass } from "../contract.ts";
import type { Lines } from "./json-lines.ts";

/** How a record is classified. `apply` writes its effects to the state and returns its canonical records. */
export interface Verdict<Reason extends string = string> {
  class: EntryClass;
  reason: Reason;
  /** The end of the file was reached before the verdict was certain. */
  open: boolean;
  /** The turn it belongs to, if that is not the turn the record names. */
  turnId?: string | null;
  apply(): RecordBody[];
}

/** What rules may look at besides the record. */
export interface RuleContext<State> {
  lines: Lines;
  state: State;
  path: string;
  line: number;
  full: boolean;
}

export const NO_RECORDS = (): RecordBody[] => [];

export function verdict<Reason extends string>(
  cls: EntryClass,
  reason: Reason,
  apply: () => RecordBody[] = NO_RECORDS,
  open = false,
): Verdict<Reason> {
  return { class: cls, reason, open, apply };
}

/** A `user` record for a message that is not a request; its text is only kept in `full` detail. */
export function nonTriggerBody(author: UserBody["author"], text: string, full: boolean): UserBody {
  return { type: "user", author, text: full ? text : "" };
}
