/** Agents whose store is another agent's: forks that kept its format. */
import type { RecordBody, SessionRef, SourceId } from "../../record/record.ts";
import type { Entry, Reading, Source } from "../contract.ts";

/** What a member of a family has for itself. Its rules are its base's, and keep their names. */
export type FamilyMember = Pick<
  Source,
  "id" | "name" | "capabilities" | "checked" | "unknowable" | "discover" | "recognises"
> &
  Partial<Pick<Source, "start" | "resume" | "mcp" | "headless">>;

/** A source that reads the stores of `member` as `base` reads its own. What tools do is looked up by name alone. */
export function memberOf(base: Source, member: FamilyMember): Source {
  return {
    ...member,
    sessionId: (ref) => base.sessionId(ref),
    read: (ref, cursor, ctx) => renamed(base.read(ref, cursor, ctx), base.id, member.id),
    ...(base.times ? { times: (ref) => base.times?.(ref) ?? null } : {}),
    ...(base.recordAt ? { recordAt: (ref, line, native) => base.recordAt?.(ref, line, native) ?? null } : {}),
    ...(base.partOf ? { partOf: (ref) => base.partOf?.(ref) ?? null } : {}),
  };
}

/** A reading whose records name the member where they named the base. */
function renamed(reading: Reading, base: SourceId, member: SourceId): Reading {
  return {
    *[Symbol.iterator](): Generator<Entry, void, undefined> {
      for (const entry of reading)
        yield { ...entry, records: entry.records.map((body) => inNameOf(member, base, body)) };
    },
    cursor: () => reading.cursor(),
    drift: () => reading.drift(),
  };
}

function inNameOf(member: SourceId, base: SourceId, body: RecordBody): RecordBody {
  const named = (ref: SessionRef): SessionRef => (ref.source === base ? { ...ref, source: member } : ref);
  if (body.type === "child_linked") return { ...body, child: named(body.child) };
  if (body.type !== "session_meta") return body;
  return { ...body, source: member, ...(body.parent ? { parent: named(body.parent) } : {}) };
}
