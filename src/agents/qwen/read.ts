/** One pass over a transcript, and the facts of the session that every record states. */
import type { ContextBody, RecordBody, SessionMetaBody } from "../../record/record.ts";
import type { Cursor, ReadContext, Reading, SourceRef } from "../contract.ts";
import { iso, millis, obj, str, type Native } from "../kit/native.ts";
import { readByRules, type RuleTable } from "../kit/reading.ts";
import {
  SOURCE_ID,
  freshState,
  kindFromPath,
  noteDrift,
  readAgentMeta,
  sessionIdFromPath,
  type ReaderState,
} from "./native.ts";
import { classify, nativeType, templatesFor, type Reason } from "./rules.ts";
import { OWNER } from "./windows.ts";

const TABLE: RuleTable<ReaderState, Reason> = {
  prefix: "qwen",
  freshState: (path) => freshState(kindFromPath(path)),
  sessionId: sessionIdFromPath,
  templates: templatesFor,
  // If the path does not tell, a subagent's file is recognised by its first record.
  prepare(record, state) {
    if (!state.meta && record["isSidechain"] === true) state.kind = "subagent";
  },
  facts: (record) => ({
    native: nativeType(record),
    time: millis(record["timestamp"]),
    identity: str(record["uuid"]),
  }),
  classify,
  noteDrift,
  repeated(record, state) {
    const uuid = str(record["uuid"]);
    return uuid !== null && !state.uuids.add(uuid) ? "qwen.uuid.repeated" : null;
  },
  header: headerRecords,
  owner: OWNER,
  inherited: "qwen.uuid.inherited",
};

export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return readByRules(TABLE, ref, cursor, ctx);
}

/** Qwen Code writes no header: every record carries the session's facts, and those of the first one are used. */
function headerRecords(record: Native, path: string, state: ReaderState): RecordBody[] {
  if (state.meta) return contextChanges(record, path, state);
  state.meta = true;
  if (record["isSidechain"] === true) state.kind = "subagent";
  const { ruling } = state;
  ruling.cwd = str(record["cwd"]);
  ruling.version = str(record["version"]);
  ruling.branch = str(record["gitBranch"]);
  const body: SessionMetaBody = {
    type: "session_meta",
    source: SOURCE_ID,
    kind: state.kind,
    cwd: ruling.cwd,
    started_at: iso(millis(record["timestamp"])),
    agent_version: ruling.version,
  };
  if (ruling.branch !== null) body.git = { branch: ruling.branch };
  const forked = str(obj(record["forkedFrom"])?.["sessionId"]);
  if (forked !== null) body.forked_from = forked;
  if (state.kind === "root") return [body];
  const meta = readAgentMeta(path);
  const session = str(record["sessionId"]);
  body.parent = meta.parent ?? (session === null ? null : { source: SOURCE_ID, session_id: session });
  body.role = meta.role ?? str(record["agentName"]);
  if (meta.model !== null) body.model = ruling.model = meta.model;
  return [body];
}

/** Facts that differ from those of the previous record. */
function contextChanges(record: Native, path: string, state: ReaderState): RecordBody[] {
  const { ruling } = state;
  const body: ContextBody = { type: "context" };
  const cwd = str(record["cwd"]);
  const version = str(record["version"]);
  const branch = str(record["gitBranch"]);
  // The file beside it may be written a moment after its first line.
  const late = state.kind === "subagent" && ruling.model === null && obj(record["usageMetadata"]) !== null;
  const model = str(record["model"]) ?? (late ? readAgentMeta(path).model : null);
  if (cwd !== null && cwd !== ruling.cwd) body.cwd = ruling.cwd = cwd;
  if (version !== null && version !== ruling.version) body.agent_version = ruling.version = version;
  if (branch !== null && branch !== ruling.branch) {
    ruling.branch = branch;
    body.git = { branch };
  }
  if (model !== null && model !== ruling.model) body.model = ruling.model = model;
  return Object.keys(body).length > 1 ? [body] : [];
}
