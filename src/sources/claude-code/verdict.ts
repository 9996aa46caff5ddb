import type { RecordBody, UserBody } from "../../format/record.ts";
import type { JsonLines } from "../kit/json-lines.ts";
import type { EntryClass } from "../contract.ts";
import { blocksOf, type Block } from "./native.ts";
import { obj, type Native } from "../kit/native.ts";
import type { Reason } from "./reasons.ts";
import type { ReaderState } from "./state.ts";

/** What a record is. `apply` writes its effects to the state and returns its canonical records. */
export interface Verdict {
  class: EntryClass;
  reason: Reason;
  /** The end of the file was reached before the verdict was certain. */
  open: boolean;
  /** The turn it belongs to, where that is not the one its record names. */
  turnId?: string | null;
  apply(): RecordBody[];
}

export interface ClassifyContext {
  lines: JsonLines;
  state: ReaderState;
  path: string;
  line: number;
  full: boolean;
}

export const NOTHING = (): RecordBody[] => [];

export function verdict(cls: EntryClass, reason: Reason, apply: () => RecordBody[] = NOTHING, open = false): Verdict {
  return { class: cls, reason, open, apply };
}

/** A subagent's record inside the main file, as versions 1.0 and 2.0 wrote them. */
export function isInline(record: Native, state: ReaderState): boolean {
  return record["isSidechain"] === true && state.kind === "root";
}

/** The text of a message as a `user` record of somebody who is not asking for work. */
export function bystander(author: UserBody["author"], text: string, full: boolean): UserBody {
  return { type: "user", author, text: full ? text : "" };
}

export function messageBlocks(record: Native): readonly Block[] {
  return blocksOf(obj(record["message"]));
}
