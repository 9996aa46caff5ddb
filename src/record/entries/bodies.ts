import type { CancelledBody, LogRecord, RecordBody, RecordEnvelope, UserBody } from "../record.ts";
import { shortUsage } from "../short-usage.ts";
import type { LogMemory } from "./memory.ts";

/**
 * The bodies that the turn builder gets for a record of a log, with turn ids and line numbers of the log in place of
 * the native ones. A body may still carry the fields of the envelope: copying every record to remove them would be
 * slow.
 */
export function bodiesOf(record: LogRecord, line: number, memory: LogMemory): RecordBody[] {
  const { turn_id, origin } = record;
  switch (record.type) {
    case "user":
      return [turn_id === undefined ? record : { ...record, native_turn_id: turn_id, ...followedLine(record, memory) }];
    case "cancelled":
      return [withLogTurnId({ ...record, ...rewindStart(record, record, line, memory) }, turn_id, memory)];
    case "assistant_finished": {
      if (record.usage === undefined) return [withLogTurnId(record, turn_id, memory)];
      const { usage: _u, ...said } = record;
      const usage = shortUsage({ ...record, model: record.model ?? memory.model }, record);
      return [withLogTurnId(said, turn_id, memory), ...(usage ? [usage] : [])];
    }
    case "usage_total":
      // Each native file of a session has its own counters.
      return [origin.path === undefined ? record : { ...record, counter: `${record.counter} ${origin.path}` }];
    default:
      return [withLogTurnId(record, turn_id, memory)];
  }
}

/** The line of the request that this one continues. */
function followedLine({ follows }: UserBody, memory: LogMemory): Pick<UserBody, "follows_line"> {
  if (follows === undefined) return {};
  const line = follows === null ? null : memory.turns.get(follows)?.line;
  // A turn of the log that this one was forked from is not in this file.
  return line === undefined ? {} : { follows_line: line };
}

/** Removes the fields of the envelope. */
export function withoutEnvelope<B extends RecordBody>(body: B & Partial<RecordEnvelope>): B {
  const { schema_version: _v, seq: _s, time: _t, session_id: _i, origin: _o, turn_id: _n, ...rest } = body;
  return rest as unknown as B;
}

/** Replaces the native id of the record's own turn by the log's turn id; ids of other turns stay. */
function withLogTurnId<B extends RecordBody>(body: B, turn: string | undefined, memory: LogMemory): B {
  if (turn === undefined || !("native_turn_id" in body)) return body;
  const native = memory.turns.get(turn)?.native;
  return native !== undefined && body.native_turn_id === native ? { ...body, native_turn_id: turn } : body;
}

/** For a rewind: the line of the log from which on requests were taken back. */
function rewindStart(
  { origin }: LogRecord,
  { reason, from_turn, from_seq, from_line }: CancelledBody,
  line: number,
  memory: LogMemory,
): Pick<CancelledBody, "from_line"> {
  if (reason !== "rewound") return {};
  // A turn of the log that this one was forked from is not in this file.
  if (from_turn !== undefined) return { from_line: memory.turns.get(from_turn)?.line ?? line };
  const path = origin.path ?? null;
  const until = origin.line ?? origin.row ?? Infinity;
  const first = [...memory.turns.values()].find((request) => {
    if (from_seq !== undefined) return request.seq >= from_seq;
    const at = request.origin.line;
    return from_line !== undefined && at !== null && request.origin.path === path && at >= from_line && at < until;
  });
  return { from_line: first?.line ?? line };
}
