import { SESSION_HEADER, type Cursor, type ReadContext, type Reading, type SourceRef } from "../contract.ts";
import { millis, obj, str, type Native } from "../kit/native.ts";
import { readByRules, type RuleTable } from "../kit/reading.ts";
import { freshState, kindFromPath, noteDrift, openLines, sessionIdFromPath, type ReaderState } from "./native.ts";
import { OWNER } from "./owner.ts";
import { classify, headerRecords, nativeType, templatesFor, type Reason } from "./rules.ts";
import { usageOf } from "./usage.ts";

const TABLE: RuleTable<ReaderState, Reason> = {
  prefix: "gemini",
  freshState: (path) => freshState(kindFromPath(path)),
  open: openLines,
  sessionId: sessionIdFromPath,
  templates: templatesFor,
  facts(record) {
    const native = nativeType(record);
    return { native, time: timeOf(record), identity: identityOf(record, native) };
  },
  classify,
  noteDrift,
  header: (_record, path, state, native) =>
    state.meta || native === SESSION_HEADER ? [] : headerRecords({}, path, state),
  owner: OWNER,
  inherited: "gemini.message.inherited",
  copied: (record, header) => [...header, ...usageOf(record, "inherited")],
};

export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return readByRules(TABLE, ref, cursor, ctx);
}

function timeOf(record: Native): number | null {
  const set = obj(record["$set"]);
  return millis(record["timestamp"]) ?? millis(set ? set["lastUpdated"] : record["startTime"]);
}

/** Message ids are UUIDs. Shorter ids are derived from a message's text and are therefore equal in all sessions. */
function identityOf(record: Native, native: string): string | null {
  if (native === SESSION_HEADER) return str(record["sessionId"]);
  const id = str(record["id"]);
  return id !== null && id.length >= 36 ? id : null;
}
