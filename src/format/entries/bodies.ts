import type { CancelledBody, LogRecord, RecordBody, RecordEnvelope } from "../record.ts";
import { shortUsage } from "../short-usage.ts";
import type { LogMemory } from "./memory.ts";

/**
 * What a record of a log tells the builder of turns: its body, where turns and lines go by the names of the log. The fields of the
 * envelope may still stand around it: there are many records, and a copy of each costs more than to look past them.
 */
export function bodiesOf(record: LogRecord, line: number, memory: LogMemory): RecordBody[] {
  const { turn_id, origin } = record;
  switch (record.type) {
    case "user":
      return [turn_id === undefined ? record : { ...record, native_turn_id: turn_id }];
    case "cancelled":
      return [withNames({ ...record, ...rewound(record, record, line, memory) }, turn_id, memory)];
    case "assistant_finished": {
      if (record.usage === undefined) return [withNames(record, turn_id, memory)];
      const { usage: _u, ...said } = record;
      const usage = shortUsage({ ...record, model: record.model ?? memory.model }, record);
      return [withNames(said, turn_id, memory), ...(usage ? [usage] : [])];
    }
    case "usage_total":
      // Each file of a session has counters of its own.
      return [origin.path === undefined ? record : { ...record, counter: `${record.counter} ${origin.path}` }];
    default:
      return [withNames(record, turn_id, memory)];
  }
}

/** The body alone. */
export function withoutEnvelope<B extends RecordBody>(body: B & Partial<RecordEnvelope>): B {
  const { schema_version: _v, seq: _s, time: _t, session_id: _i, origin: _o, turn_id: _n, ...rest } = body;
  return rest as unknown as B;
}

/** The turn goes by the name the log gives it; what names another one still does. */
function withNames<B extends RecordBody>(body: B, turn: string | undefined, memory: LogMemory): B {
  if (turn === undefined || !("native_turn_id" in body)) return body;
  const native = memory.turns.get(turn)?.native;
  return native !== undefined && body.native_turn_id === native ? { ...body, native_turn_id: turn } : body;
}

/** From which line of the log on requests were taken back. */
function rewound(
  { origin }: LogRecord,
  { reason, from_turn, from_seq, from_line }: CancelledBody,
  line: number,
  memory: LogMemory,
): Pick<CancelledBody, "from_line"> {
  if (reason !== "rewound") return {};
  // A turn of the log this one was forked from is not in this file.
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
