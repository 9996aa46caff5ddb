import type { LogRecord, RecordBody } from "../record.ts";
import { bodiesOf } from "./bodies.ts";
import { classify, type Verdict } from "./classify.ts";
import { requestOf, type LogMemory } from "./memory.ts";

/** A record in the form that the turn builder takes. */
export interface RecordEntry {
  class: Verdict["class"];
  reason: Verdict["reason"];
  /** Epoch ms. */
  time: number | null;
  /** Equal in every copy of the record. */
  identity: string;
  turnId?: string;
  records: RecordBody[];
}

/**
 * Converts a canonical record to an entry, both for the log source and for replaying a live session. Records must come
 * in the order of `seq`; `line` is any number that increases with it.
 */
export function entryOf(record: LogRecord, line: number, memory: LogMemory): RecordEntry {
  const { type, turn_id } = record;
  memory.session_id ??= record.session_id;
  const verdict = classify(record, memory);
  if (type === "session_meta") {
    memory.source = record.source;
    memory.kind = record.kind;
  }
  if ((type === "session_meta" || type === "context") && record.model) memory.model = record.model;
  const begins = verdict.class === "trigger" || verdict.reason === "log.delegated";
  if (turn_id !== undefined && begins && !memory.turns.has(turn_id)) memory.turns.set(turn_id, requestOf(record, line));
  // Hot path: runs for every record, so the object is built without spreads.
  const entry: RecordEntry = {
    class: verdict.class,
    reason: verdict.reason,
    time: record.time === null ? null : Date.parse(record.time),
    identity: type === "session_meta" ? record.session_id : `${record.session_id}:${record.seq}`,
    records: bodiesOf(record, line, memory),
  };
  if (turn_id !== undefined) entry.turnId = turn_id;
  return entry;
}
