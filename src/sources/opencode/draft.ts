import type { RecordBody } from "../../format/record.ts";
import { HINTS } from "../kit/json-lines.ts";
import type { EntryClass, SharedText } from "../contract.ts";
import type { SingleVersionDrift } from "../kit/drift.ts";
import { time } from "./native.ts";
import type { Native } from "../kit/native.ts";
import type { Reason } from "./reasons.ts";
import type { NativeRow } from "./rows.ts";
import type { SessionFacts } from "./session-row.ts";
import type { CommandTemplates } from "../kit/templates.ts";
import type { ReaderState } from "./state.ts";

/** An entry without its line number. */
export interface EntryDraft {
  class: EntryClass;
  reason: Reason;
  native: string;
  time: number | null;
  bytes: number;
  records: RecordBody[];
  texts?: readonly SharedText[];
  identity?: string;
  turnId?: string;
}

/** A part of a message: a row of its own, or (in the oldest and newest formats) a node inside the message. */
export interface MessagePart {
  data: Native | null;
  row: NativeRow | null;
}

/** A message ready to be classified. */
export interface Message {
  id: string;
  data: Native;
  row: NativeRow;
  pieces: readonly MessagePart[];
  identity: string;
  /** Creation time stated in the message itself. */
  time: number | null;
}

export interface MessageContext {
  state: ReaderState;
  facts: SessionFacts;
  drift: SingleVersionDrift;
  full: boolean;
  /** The texts that commands expand to. */
  templates: CommandTemplates;
  /** The message after this one, for the few verdicts that need it. */
  next(): Message | null;
}

/** The entry for a row whose document cannot be parsed. */
export function corrupt(row: NativeRow, native: string): EntryDraft {
  const { bytes, tooDeep } = row;
  const draft = { class: "corrupt" as const, native, time: row.time, bytes };
  if (tooDeep) {
    const records: RecordBody[] = [{ type: "unreadable", reason: "too_deep", bytes, hint: HINTS.too_deep }];
    return { ...draft, reason: "opencode.row.too_deep", records };
  }
  const hint = "this row does not hold a JSON object and was skipped; the rest of the session is still read";
  const records: RecordBody[] = [{ type: "unreadable", reason: "not_json", bytes, hint }];
  return { ...draft, reason: "opencode.row.not_json", records };
}

/**
 * Time of a part: its own time first. In a copy, the row's column has the time of the fork, so it is used only if it
 * lies between the message's start and end.
 */
export function pieceTime(piece: MessagePart, message: Message, start: number | null): number | null {
  const column = piece.row?.time ?? null;
  const end = finishedAt(message.data);
  if (start !== null) return start;
  if (column === null || message.time === null || column < message.time) return message.time;
  return end !== null && column > end ? end : column;
}

export function finishedAt(message: Native): number | null {
  const times = message["time"];
  return typeof times === "object" && times !== null ? time((times as Native)["completed"]) : null;
}
