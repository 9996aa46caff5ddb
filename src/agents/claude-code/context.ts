import type { ContextBody, ContextSource, RecordBody, SessionMetaBody } from "../../record/record.ts";
import { parentFromPath, readAgentMeta, sessionIdFromPath, SOURCE_ID } from "./identity.ts";
import { obj, str, type Native } from "../kit/native.ts";
import type { ReaderState } from "./state.ts";
import { instant } from "../../base/io/instant.ts";

/**
 * Claude Code writes no header. The session header is derived from the first records: once at the first record, so that
 * every session has one, and again at the first record with a working directory, which completes it.
 */
export function headerRecords(record: Native, path: string, state: ReaderState): RecordBody[] {
  state.firstTime ??= validTime(record);
  noteLineage(record, path, state);
  const cwd = str(record["cwd"]);
  const version = str(record["version"]);
  const complete = cwd !== null || (version !== null && str(record["uuid"]) !== null);
  if (state.meta === 2 || (state.meta === 1 && !complete)) return originRecords(state);
  state.meta = complete ? 2 : 1;
  const branch = str(record["gitBranch"]);
  Object.assign(state.ruling, { version: version ?? state.ruling.version, cwd: cwd ?? state.ruling.cwd, branch });
  const body: SessionMetaBody = {
    type: "session_meta",
    source: SOURCE_ID,
    kind: state.kind,
    cwd,
    started_at: state.firstTime,
    agent_version: version,
  };
  const originator = str(record["entrypoint"]);
  if (originator !== null) body.originator = originator;
  if (branch !== null && branch !== "") body.git = { branch };
  if (state.forkedFrom !== null) body.forked_from = state.forkedFrom;
  state.statedOrigin = state.forkedFrom;
  if (state.kind !== "root") addParent(body, record, path);
  return [body];
}

/** A copy of a copy begins with records of the oldest session; the last copied records name the direct parent. */
function originRecords(state: ReaderState): RecordBody[] {
  const from = state.forkedFrom;
  if (from === state.statedOrigin) return [];
  state.statedOrigin = from;
  const nothing = { cwd: null, started_at: null, agent_version: null };
  return [{ type: "session_meta", source: SOURCE_ID, kind: state.kind, ...nothing, forked_from: from }];
}

function validTime(record: Native): string | null {
  const text = str(record["timestamp"]);
  const time = text === null ? null : instant(Date.parse(text));
  return time === null ? null : new Date(time).toISOString();
}

/**
 * Derives from the first chain record whether this is a subagent's file, and from the leading copies who their owner
 * is.
 */
export function noteLineage(record: Native, path: string, state: ReaderState): void {
  if ((state.chained && !state.onlyCopies) || str(record["uuid"]) === null) return;
  const session = str(record["sessionId"]);
  // A root session's file may begin with a warm-up of its subagents (2.0.20).
  const own = session === sessionIdFromPath(path);
  if (!state.chained && record["isSidechain"] === true && state.kind === "root" && !own) state.kind = "subagent";
  state.chained = true;
  const forked = record["forkedFrom"];
  // Old versions resumed into a new file that began with the old session's records, its id unchanged.
  const from = str(obj(forked)?.["sessionId"]) ?? str(forked) ?? (own ? null : session);
  state.onlyCopies = state.kind === "root" && from !== null;
  if (state.onlyCopies) state.forkedFrom = from;
}

function addParent(body: SessionMetaBody, record: Native, path: string): void {
  const session = str(record["sessionId"]);
  const meta = readAgentMeta(path);
  const owner = parentFromPath(path)?.session_id ?? session;
  // All subagents of a session are in one directory, including those started by other subagents.
  const parent = meta.parentAgent === null ? owner : `agent-${meta.parentAgent}`;
  body.parent = parent === null ? null : { source: SOURCE_ID, session_id: parent };
  const role = meta.role ?? str(record["attributionAgent"]) ?? str(record["agentName"]);
  if (role !== null) body.role = role;
  // A subagent's first record repeats the prompt id of the turn that called it.
  const prompt = str(record["promptId"]);
  if (prompt !== null) body.parent_turn_id = prompt;
}

/** A `context` record with the settings that changed with this record; none if nothing changed. */
export function contextRecords(record: Native, state: ReaderState, sources: ContextSource[]): RecordBody[] {
  const body: ContextBody = { type: "context" };
  const ruling = state.ruling;
  const changed = (key: keyof typeof ruling, value: string | null): value is string => {
    if (value === null || value === "" || value === ruling[key]) return false;
    ruling[key] = value;
    return true;
  };
  const version = str(record["version"]);
  if (changed("version", version)) body.agent_version = version;
  const cwd = str(record["cwd"]);
  if (changed("cwd", cwd)) body.cwd = cwd;
  const branch = str(record["gitBranch"]);
  if (changed("branch", branch)) body.git = { branch };
  const permission = str(record["permissionMode"]);
  if (changed("permission", permission)) body.approval_policy = permission;
  // A subagent inside the main file may use another model, which is not the session's.
  if (record["type"] === "assistant" && (record["isSidechain"] !== true || state.kind !== "root")) {
    const model = str(obj(record["message"])?.["model"]);
    if (model !== "<synthetic>" && changed("model", model)) body.model = model;
    const effort = str(record["effort"]);
    if (changed("effort", effort)) body.effort = effort;
  }
  if (sources.length > 0) body.sources = sources;
  return Object.keys(body).length > 1 ? [body] : [];
}
