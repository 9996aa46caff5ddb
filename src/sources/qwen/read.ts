import type { ContextBody, RecordBody, SessionMetaBody } from "../../format/record.ts";
import type { Cursor, Entry, LineStartCursor, ReadContext, Reading, SourceRef } from "../contract.ts";
import { copiedRecords, isCopied } from "../kit/copies.ts";
import { JsonLines, type JsonLine } from "../kit/json-lines.ts";
import { JsonReading } from "../kit/json-reading.ts";
import { iso, millis, obj, str, type Native } from "../kit/native.ts";
import { restoreState } from "../kit/state.ts";
import type { CommandTemplates } from "../kit/templates.ts";
import {
  SOURCE_ID,
  freshState,
  kindFromPath,
  noteDrift,
  readAgentMeta,
  sessionIdFromPath,
  type ReaderState,
} from "./native.ts";
import { classify, nativeType, templatesFor, type Reason, type Verdict } from "./rules.ts";

export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return new QwenReading(ref, cursor, ctx);
}

class QwenReading extends JsonReading<ReaderState> {
  readonly #templates: CommandTemplates;

  constructor(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext) {
    const state = restoreState(freshState(kindFromPath(ref.path)), cursor);
    super({ ref, ctx, lines: new JsonLines(ref, cursor, ctx), state, prefix: "qwen" });
    this.#templates = templatesFor(ref.path);
  }

  protected override recordEntry(record: Native, line: JsonLine, before: LineStartCursor): Entry {
    const { lines, state, full } = this;
    const { path } = this.ref;
    // If the path does not tell, a subagent's file is recognised by its first record.
    if (!state.meta && record["isSidechain"] === true) state.kind = "subagent";
    const found = classify(record, { lines, state, path, line: line.line, full, templates: this.#templates });
    const facts = { native: nativeType(record), time: millis(record["timestamp"]), identity: str(record["uuid"]) };
    const entry = this.entryWithoutRecords(line, before, found, facts, () => sessionIdFromPath(path));
    noteDrift(this.counter, record, state, full);
    if (found.class === "unknown") this.counter.countUnknownType(state.met, facts.native);
    return this.#settle(entry, record, found);
  }

  /** Copies are recognised before their content is reported as new. */
  #settle(entry: Entry, record: Native, found: Verdict): Entry {
    const { state } = this;
    const uuid = str(record["uuid"]);
    if (uuid !== null && !state.uuids.add(uuid)) {
      entry.class = "duplicate";
      entry.reason = "qwen.uuid.repeated" satisfies Reason;
      return entry;
    }
    const header = headerRecords(record, this.ref.path, state);
    const copied = isCopied(this.ctx.inherited, state, uuid, found.class);
    if (copied) {
      entry.class = "inherited";
      entry.reason = "qwen.uuid.inherited" satisfies Reason;
    }
    // The effects of a copy are applied but not reported: later records of this session build on them.
    const records = [...header, ...found.apply()];
    entry.records = copied ? copiedRecords(records) : records;
    return entry;
  }
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
