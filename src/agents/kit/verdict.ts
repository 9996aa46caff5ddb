import type { RecordBody, UserBody } from "../../record/record.ts";
import type { EntryClass } from "../contract.ts";
import type { Instructions } from "./instructions.ts";
import type { Lines } from "./json-lines.ts";
import type { Native } from "./native.ts";

/** How a record is classified. `apply` writes its effects to the state and returns its canonical records. */
export interface Verdict<Reason extends string = string> {
  class: EntryClass;
  reason: Reason;
  /** The end of the file was reached before the verdict was certain. */
  open: boolean;
  /** The turn it belongs to, if that is not the turn the record names. */
  turnId?: string | null;
  apply(): RecordBody[];
  /** Instructions for the model that the record holds; called after `apply`. */
  given?(): Instructions;
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

/**
 * Looks at the records that follow until one tells: `judge` returns null for those that do not. `open`: the file ended
 * before, so a later read may decide otherwise.
 */
export function lookAhead(lines: Lines, judge: (record: Native) => boolean | null): { value: boolean; open: boolean } {
  for (let k = 0; ; k++) {
    const line = lines.peek(k);
    if (!line || (line.value === null && !line.terminated)) return { value: false, open: true };
    const told = line.value === null ? null : judge(line.value);
    if (told !== null) return { value: told, open: false };
  }
}
