import type { LogMemory } from "../../format/entries/memory.ts";
import type { LogRecord, RecordBody, SessionMetaBody, SessionRef } from "../../format/record.ts";
import { SOURCE_ID } from "./identity.ts";

/** Maps references to sessions of the same agent to logs; the agent that wrote the log is reported as its client. */
export function toLogReferences(body: RecordBody, record: LogRecord, memory: LogMemory): RecordBody {
  switch (body.type) {
    case "session_meta": {
      const parent = body.parent ? { parent: refOf(body.parent, memory) } : {};
      // A position in native files says nothing about a log.
      const { forked_before: _native, ...stated } = body;
      const header = { ...stated, source: SOURCE_ID, originator: body.originator ?? body.source, ...parent };
      const copied = copiedFrom(body, record);
      return copied ? { ...header, copy_of: copied } : header;
    }
    case "child_linked":
      return { ...body, child: refOf(body.child, memory) };
    default:
      return body;
  }
}

/**
 * A log whose header has an origin in another file was created from that session. For a copy of a copy, the first
 * original is used.
 */
function copiedFrom({ source, copy_of }: SessionMetaBody, { origin, session_id }: LogRecord): SessionRef | null {
  if (copy_of) return copy_of;
  return Object.keys(origin).length > 0 && source !== SOURCE_ID ? { source, session_id } : null;
}

function refOf(ref: SessionRef, { source }: LogMemory): SessionRef {
  return ref.source === source ? { ...ref, source: SOURCE_ID } : ref;
}
