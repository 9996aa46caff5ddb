import type { RecordBody, UserBody } from "../../format/record.ts";
import type { Lines } from "../kit/document-lines.ts";
import type { EntryClass } from "../contract.ts";
import type { Reason } from "./reasons.ts";
import type { ReaderState } from "./state.ts";

/** What a record is. `apply` writes its effects to the state and returns its canonical records. */
export interface Verdict {
  class: EntryClass;
  reason: Reason;
  /** The end of the file was reached before the verdict was certain. */
  open: boolean;
  apply(): RecordBody[];
}

export interface ClassifyContext {
  lines: Lines;
  state: ReaderState;
  path: string;
  line: number;
  full: boolean;
}

export const NOTHING = (): RecordBody[] => [];

export function verdict(cls: EntryClass, reason: Reason, apply: () => RecordBody[] = NOTHING, open = false): Verdict {
  return { class: cls, reason, open, apply };
}

/** The text of a message as a `user` record of somebody who is not asking for work. */
export function bystander(author: UserBody["author"], text: string, full: boolean): UserBody {
  return { type: "user", author, text: full ? text : "" };
}
