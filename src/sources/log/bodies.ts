import type { CancelledBody, LogRecord, RecordBody, SessionMetaBody, SessionRef } from "../../format/record.ts";
import { shortUsage } from "../../format/short-usage.ts";
import { SOURCE_ID } from "./identity.ts";
import type { ReaderState } from "./state.ts";

/** What a record of a log tells the rest of Daybook: its body, in the names of this reading. */
export function bodiesOf(record: LogRecord, line: number, state: ReaderState): RecordBody[] {
  const { schema_version: _v, seq, time: _t, session_id, origin: _o, turn_id, ...body } = record;
  switch (body.type) {
    case "session_meta":
      return [header(body, state)];
    case "user":
      return [turn_id === undefined ? body : { ...body, native_turn_id: turn_id }];
    case "child_linked":
      return [{ ...body, child: ofLogs(body.child, state) }];
    case "cancelled":
      return [withNames({ ...body, ...rewound(record, body, line, state) }, turn_id, state)];
    case "assistant_finished": {
      const { usage: _u, ...said } = body;
      const usage = shortUsage({ ...body, model: body.model ?? state.model }, { session_id, seq });
      return [withNames(said, turn_id, state), ...(usage ? [usage] : [])];
    }
    default:
      return [withNames(body, turn_id, state)];
  }
}

/** Sessions of the same agent are logs too; who wrote a log stays visible as the client that began it. */
function header(body: SessionMetaBody, state: ReaderState): SessionMetaBody {
  const parent = body.parent ? { parent: ofLogs(body.parent, state) } : {};
  return { ...body, source: SOURCE_ID, originator: body.originator ?? body.source, ...parent };
}

function ofLogs(ref: SessionRef, state: ReaderState): SessionRef {
  return ref.source === state.source ? { ...ref, source: SOURCE_ID } : ref;
}

/** The turn goes by the name the log gives it; what names another one still does. */
function withNames<B extends RecordBody>(body: B, turn: string | undefined, state: ReaderState): B {
  if (turn === undefined || !("native_turn_id" in body)) return body;
  const native = state.turns.get(turn)?.native;
  return native !== undefined && body.native_turn_id === native ? { ...body, native_turn_id: turn } : body;
}

/** From which line of the log on requests were taken back. */
function rewound(
  { origin }: LogRecord,
  { reason, from_turn, from_seq, from_line }: CancelledBody,
  line: number,
  state: ReaderState,
): Pick<CancelledBody, "from_line"> {
  if (reason !== "rewound") return {};
  // A turn of the log this one was forked from is not in this file.
  if (from_turn !== undefined) return { from_line: state.turns.get(from_turn)?.line ?? line };
  const path = origin.path ?? null;
  const until = origin.line ?? origin.row ?? Infinity;
  const first = [...state.turns.values()].find((request) => {
    if (from_seq !== undefined) return request.seq >= from_seq;
    const at = request.origin.line;
    return from_line !== undefined && at !== null && request.origin.path === path && at >= from_line && at < until;
  });
  return { from_line: first?.line ?? line };
}
