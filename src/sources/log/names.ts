import type { LogMemory } from "../../format/entries/memory.ts";
import type { RecordBody, SessionRef } from "../../format/record.ts";
import { SOURCE_ID } from "./identity.ts";

/** Sessions of the same agent are logs too; who wrote a log stays visible as the client that began it. */
export function ofLogs(body: RecordBody, memory: LogMemory): RecordBody {
  switch (body.type) {
    case "session_meta": {
      const parent = body.parent ? { parent: refOf(body.parent, memory) } : {};
      return { ...body, source: SOURCE_ID, originator: body.originator ?? body.source, ...parent };
    }
    case "child_linked":
      return { ...body, child: refOf(body.child, memory) };
    default:
      return body;
  }
}

function refOf(ref: SessionRef, { source }: LogMemory): SessionRef {
  return ref.source === source ? { ...ref, source: SOURCE_ID } : ref;
}
