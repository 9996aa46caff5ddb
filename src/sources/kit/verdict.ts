import type { RecordBody, UserBody } from "../../format/record.ts";
import type { EntryClass } from "../contract.ts";
import type { Lines } from "./json-lines.ts";

/** What a record is. `apply` writes its effects to the state and returns its canonical records. */
export interface Verdict<Reason extends string = string> {
  class: EntryClass;
  reason: Reason;
  /** The end of the file was reached before the verdict was certain. */
  open: boolean;
  /** The turn it belongs to, where that is not the one its record names. */
  turnId?: string | null;
  apply(): RecordBody[];
}

/** What rules may look at besides the record. */
export interface Scene<State> {
  lines: Lines;
  state: State;
  path: string;
  line: number;
  full: boolean;
}

export const NOTHING = (): RecordBody[] => [];

export function verdict<Reason extends string>(
  cls: EntryClass,
  reason: Reason,
  apply: () => RecordBody[] = NOTHING,
  open = false,
): Verdict<Reason> {
  return { class: cls, reason, open, apply };
}

/** The text of a message as a `user` record of somebody who is not asking for work. */
export function bystander(author: UserBody["author"], text: string, full: boolean): UserBody {
  return { type: "user", author, text: full ? text : "" };
}
