/** One pass over a rollout, and its header. */
import type {
  CancelledBody,
  GitState,
  RecordBody,
  SessionKind,
  SessionMetaBody,
  TriggerEntry,
} from "../../record/record.ts";
import type { Cursor, Entry, LineStartCursor, ReadContext, Reading, SourceRef } from "../contract.ts";
import { DocumentLines } from "../kit/document-lines.ts";
import { JsonLines, problemEntry, skimmedEntry, type JsonLine, type Lines } from "../kit/json-lines.ts";
import { LineReading } from "../kit/reading.ts";
import { restoreState } from "../kit/state.ts";
import type { CommandTemplates } from "../kit/prompts.ts";
import { noteResponse } from "./calls.ts";
import { expectCopy, identityOf, inheritanceRule, inheritedVerdict } from "./children.ts";
import { compacted, settingsBody, statedInstructions } from "./context.ts";
import {
  fieldsOf,
  isFields,
  listOf,
  nameOf,
  nativePath,
  nativeRecord,
  nativeTurnId,
  noteDrift,
  numberOf,
  sessionIdFromPath,
  stringOf,
  wordOf,
  type Fields,
  type NativeRecord,
} from "./native.ts";
import { templatesFor } from "./prompts.ts";
import { event, mail, responseItem } from "./rules.ts";
import {
  LOOKAHEAD,
  initialState,
  noteAnswer,
  reaction,
  setup,
  unknownType,
  verdict,
  withInstructions,
  type ClassifyContext,
  type ReaderState,
  type Verdict,
} from "./state.ts";
import { ownedVerdict, turnOf } from "./turns.ts";
import { applySkipped, skimForUsage, skippedRecord, totalOf, usageOfRecord } from "./usage.ts";

export function readRollout(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return new RolloutReading(ref, cursor, ctx);
}

/** One pass over a rollout. Verdicts that need later lines peek at them. */
class RolloutReading extends LineReading<JsonLine, ReaderState, Lines> {
  readonly #templates: CommandTemplates;

  constructor(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext) {
    const state = restoreState(initialState(sessionIdFromPath(ref.path), ctx.inherited !== undefined), cursor);
    super(ctx, openLines(ref, cursor, ctx), state);
    this.#templates = templatesFor(ref.path);
  }

  /**
   * Judging a line changes the state. If lines that are not written yet may change the verdict, a cursor is made first.
   */
  protected override entryOf(line: JsonLine, before: LineStartCursor): Entry {
    const cursor = this.#mayChange(line) ? this.cursorAt(before) : null;
    const entry = this.#judge(line);
    if (entry.tentative && cursor !== null) this.holdCursorAt(cursor);
    return entry;
  }

  /** Whether a later reading may classify the line differently. */
  #mayChange(line: JsonLine): boolean {
    // Uses the same look-ahead as the rules, which ignores a line that is still being written.
    if (this.isHeld || this.#ahead(LOOKAHEAD - 1) !== null) return false;
    return !(line.terminated && line.skimmed === null && isCertain(this.#record(line), this.state));
  }

  #judge(line: JsonLine): Entry {
    if (line.value !== null) return this.#entry(line, this.#record(line));
    if (line.skimmed === null) return problemEntry(line, "codex");
    applySkipped(line.skimmed, this.state);
    const entry = skimmedEntry(line, "codex");
    return awaitsPrompt(this.state) && ASSISTANT.test(line.skimmed) ? { ...entry, class: "early" } : entry;
  }

  #record(line: JsonLine): NativeRecord {
    if (line.memo !== null) return line.memo as NativeRecord;
    const record =
      line.skimmed === null
        ? nativeRecord(line.value ?? {}, line.line, line.terminated)
        : skippedRecord(line.skimmed, line.line);
    line.memo = record;
    return record;
  }

  #ahead(k: number): NativeRecord | null {
    const line = this.lines.peek(k);
    // A torn last line counts as the end: the agent may still be writing it.
    if (line === null || (line.value === null && !line.terminated)) return null;
    return this.#record(line);
  }

  #entry(line: JsonLine, record: NativeRecord): Entry {
    const state = this.state;
    const full = this.ctx.detail === "full";
    const detailed = this.ctx.detail === "full" || this.ctx.detail === "lean";
    const ctx: ClassifyContext = {
      record,
      state,
      full,
      detailed,
      templates: this.#templates,
      ahead: (k) => this.#ahead(k),
    };
    const wanted = this.ctx.identities === true || this.ctx.inherited !== undefined;
    // The oldest formats never echo prompts. A state marker alone does not show that the file has such a format.
    if (record.type === "response_item" || record.type === "event_msg") state.bare = record.bare;
    let identity = wanted || record.type === "session_meta" ? identityOf(record) : undefined;

    const copy = inheritanceRule(record, state, this.ctx.inherited, identity);
    const own =
      record.type === "session_meta" && (state.header === null || wordOf(record.payload.id) === state.sessionId);
    const unnamed = state.header === null && AFTER_HEADER.has(record.type) ? [missingHeader(state)] : [];
    const found = copy !== null && !own ? inheritedVerdict(ctx, copy) : ownedVerdict(judge(ctx), record, state);
    if (found.class === "trigger") {
      identity ??= identityOf(record);
      state.inheriting = false;
    }
    if (record.type === "session_meta" && found.class === "session") identity = state.sessionId;
    noteDrift(this.counter, record, state.version, found.class === "unknown", full);

    const entry: Entry = {
      line: line.line,
      offset: line.offset,
      bytes: line.bytes,
      class: isEarly(found, state) ? "early" : found.class,
      reason: found.reason,
      native: nativePath(record),
      time: record.time,
      position: record.ordinal ?? line.line,
      records: unnamed.length === 0 ? found.records : [...unnamed, ...found.records],
      tentative: found.tentative === true || !line.terminated,
    };
    const turnId = turnOf(record, state);
    if (turnId !== null) entry.turnId = turnId;
    if (identity !== undefined) entry.identity = identity;
    if (found.texts !== undefined) entry.texts = found.texts;
    return entry;
  }
}

/** Whether the running task has not received its prompt yet. */
function awaitsPrompt({ turn }: ReaderState): boolean {
  return turn !== null && turn.prompts === 0 && !turn.silent;
}

const COMPACTS = /^codex\.(?:usage|compact)/;
const ASSISTANT = /\/message\/assistant$/;

/** Compactions in a task before its prompt, and their usage, are caused by that prompt. */
function isEarly(found: Verdict, state: ReaderState): boolean {
  return found.class === "reaction" && awaitsPrompt(state) && COMPACTS.test(found.reason);
}

/** Types that are always preceded by a header in a complete file. */
const AFTER_HEADER: ReadonlySet<string> = new Set(["response_item", "event_msg", "turn_context", "compacted"]);

const CERTAIN: ReadonlySet<string> = new Set([
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "reasoning",
  "task_complete",
  "turn_aborted",
]);

/** Kinds whose class no later line can change. */
function isCertain(record: NativeRecord, state: ReaderState): boolean {
  // In files without tasks a token count may belong to a compaction before the next prompt.
  if (record.kind === "token_count") return state.lifecycle;
  if (CERTAIN.has(record.kind)) return true;
  if (record.kind === "message") return record.payload.role === "assistant" || record.payload.role === "developer";
  return record.type === "turn_context" || record.type === "token_usage_record";
}

function usageRecord(ctx: ClassifyContext): Verdict {
  const { record, state, detailed } = ctx;
  noteAnswer(ctx);
  noteResponse(state, record.time);
  const usage = usageOfRecord(record.payload, state);
  const total = detailed && isFields(record.payload.thread_token_usage) ? totalOf(state) : null;
  return reaction("codex.usage.counted", usage, ...(total === null ? [] : [total]));
}

/** The rules, by top-level type. */
function judge(ctx: ClassifyContext): Verdict {
  const { record, state } = ctx;
  switch (record.type) {
    case "session_meta":
      return sessionMeta(ctx);
    case "turn_context":
      if (state.last === "m") state.last = "r";
      return withInstructions(
        ctx,
        setup("codex.turn_context", settingsBody(record.payload, nativeTurnId(record), state)),
        () => statedInstructions(ctx),
      );
    case "response_item":
      return responseItem(ctx);
    case "event_msg":
      return event(ctx);
    case "compacted":
      return compacted(ctx);
    case "token_usage_record":
      return usageRecord(ctx);
    case "world_state":
      return setup("codex.world_state");
    case "inter_agent_communication":
      return mail(ctx);
    case "inter_agent_communication_metadata":
      return reaction("codex.agent_mail.metadata");
    case "retained_context":
      return reaction("codex.retained_context");
    case "security_risk_score":
      return reaction("codex.risk_score");
    case "record_type/state":
      return setup("codex.state_marker");
    default:
      return unknownType(nativePath(record));
  }
}

/** Opens the lines of a session. With detail `usage`, lines that are irrelevant to usage are not parsed. */
function openLines(ref: SourceRef, from: LineStartCursor | null, ctx: ReadContext): Lines {
  // Copies are recognised by the content of their records, so a file that repeats another is parsed completely.
  const whole = ctx.inherited !== undefined || ctx.identities === true;
  const skim = !whole && ctx.detail === "usage" ? skimForUsage : undefined;
  return ref.container === "json" ? new DocumentLines(ref, from, ctx, itemsOf) : new JsonLines(ref, from, ctx, skim);
}

/**
 * The first client wrote a session as one JSON document, `{session, items}`: the header is line 1, item n is line n +
 * 1.
 */
function itemsOf(document: Fields): unknown[] {
  const { session, items } = document;
  return isFields(session) ? [session, ...listOf(items)] : [document];
}

/** The header for a file that begins in the middle: only its name identifies the session. */
function missingHeader(state: ReaderState): SessionMetaBody {
  const body: SessionMetaBody = {
    type: "session_meta",
    source: "codex",
    kind: "root",
    cwd: null,
    started_at: null,
    agent_version: null,
    stated: false,
  };
  state.header = { ...body };
  return body;
}

/**
 * `session_meta`: the first one identifies the file, later ones change it, those of other sessions belong to copied
 * history.
 */
function sessionMeta(ctx: ClassifyContext): Verdict {
  const { record, state } = ctx;
  const { payload } = record;
  const id = nameOf(payload.id);
  if (Object.keys(payload).length === 0) return verdict("session", "codex.header.empty");
  // If a header has no id, the next one that has an id names the session.
  if (state.header !== null && (state.named || id === null)) {
    if (id !== null && id !== state.sessionId) return verdict("inherited", "codex.header.foreign");
    const now = metaBody(payload);
    const change = changedMeta(state.header, now);
    state.version = now.agent_version ?? state.version;
    if (change === null)
      return withInstructions(ctx, verdict("session", "codex.header.repeated"), () => statedInstructions(ctx));
    state.header = { ...state.header, ...change };
    return withInstructions(ctx, verdict("session", "codex.header.changed", [change]), () => statedInstructions(ctx));
  }
  const body = metaBody(payload);
  if (id !== null) {
    state.sessionId = id;
    state.named = true;
  }
  state.bare = record.bare;
  state.kind = body.kind;
  state.entry = triggerEntryOf(payload);
  state.version = body.agent_version;
  state.cwd = body.cwd;
  state.historyStart = numberOf(payload.subagent_history_start_ordinal);
  state.header = { ...body };
  const records: RecordBody[] = [body];
  const base = fieldsOf(payload.history_base);
  const based = wordOf(base.thread_id) !== null;
  if (based && wordOf(payload.forked_from_id) === null && id !== null) {
    const from = numberOf(base.end_ordinal_exclusive);
    // A revert continues under the same thread id: everything from this point on in the older segment was undone.
    const body: CancelledBody = { type: "cancelled", reason: "rewound", ...(from === null ? {} : { from_line: from }) };
    records.push(body);
  }
  const next = ctx.ahead(0);
  const following = next?.type === "session_meta" ? nameOf(next.payload.id) : null;
  const copied = id !== null && following !== null && following !== id;
  if (!based && (copied || wordOf(payload.forked_from_id) !== null)) expectCopy(state, record);
  return withInstructions(ctx, verdict("session", "codex.header", records, next === null), () =>
    statedInstructions(ctx),
  );
}

/**
 * Who drives the session. Only a root has human triggers: the prompts of all others were written by an agent or by
 * Codex itself, although they are echoed just like human ones.
 */
function kindOf(meta: Fields): SessionKind {
  const originator = stringOf(meta.originator);
  if (originator === "Claude Code") return "companion";
  if (originator === "prompt_diary") return "internal";
  const source = fieldsOf(meta.source);
  const { subagent } = source;
  const thread = wordOf(meta.thread_source);
  if (subagent !== undefined && subagent !== null) {
    if (subagent === "review") return "review";
    if (isFields(subagent) && "thread_spawn" in subagent) return "subagent";
    const labelled = typeof subagent === "string" || (isFields(subagent) && "other" in subagent);
    return !labelled && thread === "subagent" ? "subagent" : "internal";
  }
  if (source.internal !== undefined && source.internal !== null) return "internal";
  if (thread === "subagent" || wordOf(meta.parent_thread_id) !== null) return "subagent";
  return thread === null || thread === "user" ? "root" : "internal";
}

/**
 * How the human reached the agent. The originator is free text, the source an enum; the daemon's TUI states `vscode`.
 */
function triggerEntryOf(meta: Fields): TriggerEntry {
  const originator = stringOf(meta.originator) ?? "";
  const source = stringOf(meta.source) ?? "";
  if (/sdk/i.test(originator)) return "sdk";
  if (source === "exec" || originator === "codex_exec") return "headless";
  if (originator === "codex-tui") return "interactive";
  if (source === "vscode" || originator.startsWith("codex_vscode")) return "ide";
  // Before there was a source (0.36, 0.42) `exec` called itself `codex_cli_rs` as well.
  if (source === "cli") return "interactive";
  if (source === "mcp" || isFields(meta.source)) return "sdk";
  return "unknown";
}

function gitOf(value: unknown): GitState | null {
  if (!isFields(value)) return null;
  return {
    commit: stringOf(value.commit_hash),
    branch: stringOf(value.branch),
    remote: stringOf(value.repository_url),
  };
}

function metaBody(meta: Fields): SessionMetaBody {
  const spawn = fieldsOf(fieldsOf(fieldsOf(meta.source).subagent).thread_spawn);
  const parent = wordOf(meta.parent_thread_id) ?? wordOf(spawn.parent_thread_id);
  const role =
    wordOf(meta.agent_role) ?? wordOf(meta.agent_type) ?? wordOf(spawn.agent_role) ?? wordOf(spawn.agent_type);
  const body: SessionMetaBody = {
    type: "session_meta",
    source: "codex",
    kind: kindOf(meta),
    cwd: nameOf(meta.cwd),
    started_at: wordOf(meta.timestamp),
    agent_version: wordOf(meta.cli_version),
    originator: stringOf(meta.originator),
    provider: stringOf(meta.model_provider),
  };
  if (parent !== null) body.parent = { source: "codex", session_id: parent };
  if (role !== null) body.role = role;
  const forked = wordOf(meta.forked_from_id);
  if (forked !== null) body.forked_from = forked;
  const before = forked === null ? null : forkedBefore(meta, forked);
  if (before !== null) body.forked_before = before;
  const git = gitOf(meta.git);
  if (git !== null) body.git = git;
  return body;
}

/** The ordinal from which on the records of the other thread are not its history. */
function forkedBefore(meta: Fields, forked: string): number | null {
  const base = fieldsOf(meta.history_base);
  const until = wordOf(base.thread_id) === forked ? numberOf(base.end_ordinal_exclusive) : null;
  return numberOf(meta.forked_from_ordinal_exclusive) ?? until;
}

/** Codex repeats its header to change parts of it. Returns only what differs; absent values keep their old value. */
function changedMeta(before: Readonly<Record<string, unknown>>, now: SessionMetaBody): SessionMetaBody | null {
  const held = (name: "cwd" | "started_at" | "agent_version"): string | null => now[name] ?? stringOf(before[name]);
  const change: SessionMetaBody = {
    type: "session_meta",
    source: now.source,
    kind: now.kind,
    cwd: held("cwd"),
    started_at: held("started_at"),
    agent_version: held("agent_version"),
  };
  let differs = change.cwd !== before.cwd || change.agent_version !== before.agent_version || now.kind !== before.kind;
  for (const name of ["originator", "provider", "parent", "role", "forked_from", "git"] as const) {
    const value = now[name];
    if (value === undefined || value === null || JSON.stringify(value) === JSON.stringify(before[name])) continue;
    Object.assign(change, { [name]: value });
    differs = true;
  }
  return differs ? change : null;
}
