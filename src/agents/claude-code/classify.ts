/** What each record is, and the settings, instructions and titles that it states. */
import { instant } from "../../base/io/instant.ts";
import type { ContextBody, ContextSource, RecordBody, SessionMetaBody, UserBody } from "../../record/record.ts";
import {
  changedInstructions,
  NO_INSTRUCTIONS,
  toInstructions,
  type Instruction,
  type Instructions,
} from "../kit/instructions.ts";
import { list, num, obj, str, type Native } from "../kit/native.ts";
import { NO_RECORDS, verdict } from "../kit/verdict.ts";
import { assistantRecords, childOfNotification, childOfProgress, isSynthetic, retryRecord } from "./calls.ts";
import { parentFromPath, readAgentMeta, sessionIdFromPath, SOURCE_ID } from "./discover.ts";
import {
  absorbedText,
  beginAbsorbed,
  foreseeAttachment,
  foreseeChain,
  foreseeCompaction,
  foreseePrompt,
  judgeQueued,
  noteQueued,
  noteQueueOperation,
  startedText,
  type QueuedVerdict,
} from "./lookahead.ts";
import { parseCommand, triggerEntryOf } from "./markers.ts";
import {
  isKnownAttachment,
  isKnownProgress,
  nativeType,
  REQUEST_TYPES,
  SESSION_TYPES,
  SYSTEM_SUBTYPES,
} from "./native.ts";
import { isInline, reasonNamed, type ClassifyContext, type Verdict } from "./rules.ts";
import type { ReaderState } from "./state.ts";
import { classifyBlocked } from "./triggers.ts";
import { totalOf } from "./usage.ts";
import { classifyGoal, classifyUser, deliveredGoal } from "./user.ts";

/** Classifies without changing the state; only `apply` changes it, so that a tentative verdict can be discarded. */
export function classify(record: Native, ctx: ClassifyContext): Verdict {
  const type = str(record["type"]) ?? "";
  switch (type) {
    case "user":
      return classifyUser(record, ctx);
    case "assistant":
      return classifyAssistant(record, ctx);
    case "attachment":
      return classifyAttachment(record, ctx);
    case "system":
      return classifySystem(record, ctx);
    case "progress":
      return classifyProgress(record, ctx);
    default:
  }
  if (REQUEST_TYPES.has(type)) return classifyRequest(ctx);
  if (SESSION_TYPES.has(type)) return classifySession(type, record, ctx);
  return unknown(record);
}

function unknown(record: Native): Verdict {
  const native = nativeType(record);
  return verdict("unknown", "claude.unknown", () => [{ type: "unknown", native_type: native }]);
}

function classifySession(type: string, record: Native, ctx: ClassifyContext): Verdict {
  const name = type.replaceAll("-", "_");
  if (type === "queue-operation") {
    const absorbed = absorbedText(record, ctx.state);
    if (absorbed !== null) return classifyAbsorbed(record, absorbed, ctx);
    const started = startedText(record, ctx.state);
    if (started !== null) return classifyStarted(record, started, ctx);
    const operation = str(record["operation"]) ?? "operation";
    return verdict("session", reasonNamed("queue.", operation, "claude.queue.other"), () => {
      noteQueueOperation(record, ctx.state);
      return [];
    });
  }
  return verdict("session", reasonNamed("session.", name, "claude.unknown"), () => {
    if (type === "fork-context-ref") ctx.state.fork = true;
    if (type === "file-history-snapshot" && ctx.state.passage === "idle") ctx.state.passage = "snapshot";
    const total = type === "cost-state" ? totalOf(record) : null;
    if (total) return [total];
    return titleRecords(type, record, ctx.state);
  });
}

/** If 2.0 is killed before its first answer, the queue operations are the only trace of the prompt. */
function classifyStarted(record: Native, text: string, ctx: ClassifyContext): Verdict {
  const { state } = ctx;
  const ahead = foreseeChain(ctx.lines, text);
  const alone = !ahead.value && ahead.open;
  const apply = (): RecordBody[] => {
    noteQueueOperation(record, state);
    if (!alone) return [];
    state.triggers += 1;
    state.turn = "running";
    return [{ type: "user", author: "human", text, kind: "prompt", entry: state.entry }];
  };
  if (!alone) return verdict("session", "claude.queue.dequeue", apply);
  return verdict("trigger", "claude.queue.only", apply, true);
}

function classifyAbsorbed(record: Native, text: string, ctx: ClassifyContext): Verdict {
  const { state } = ctx;
  const ahead = foreseeAttachment(ctx.lines);
  const apply = (): RecordBody[] => {
    noteQueueOperation(record, state);
    if (ahead.value) return [];
    noteQueued(record, null, text, state);
    beginAbsorbed(state);
    return [{ type: "user", author: "human", text, kind: "queued", entry: state.entry }];
  };
  if (ahead.value) return verdict("session", "claude.queue.remove", apply, ahead.open);
  return verdict("trigger", "claude.queue.absorbed", apply, ahead.open);
}

/**
 * Copies of API requests are written independently of the conversation and may precede the prompt they contain. After a
 * finished turn such a copy belongs to the next prompt, not to the turn before.
 */
function classifyRequest(ctx: ClassifyContext): Verdict {
  const { state } = ctx;
  if (state.kind !== "root") return verdict("reaction", "claude.request.copy");
  if (state.triggers === 0) return verdict("setup", "claude.request.before_first_prompt");
  if (state.turn === "running") return verdict("reaction", "claude.request.copy");
  const ahead = foreseePrompt(ctx.lines);
  if (ahead.value) return verdict("setup", "claude.request.before_prompt");
  return verdict("reaction", "claude.request.copy", NO_RECORDS, ahead.open);
}

function classifyAssistant(record: Native, ctx: ClassifyContext): Verdict {
  const inline = isInline(record, ctx.state);
  const reason = inline
    ? "claude.sidechain.assistant"
    : record["isApiErrorMessage"] === true
      ? "claude.assistant.api_error"
      : isSynthetic(record)
        ? "claude.assistant.synthetic"
        : "claude.assistant";
  const apply = (): RecordBody[] => assistantRecords(record, ctx.state, { full: ctx.full, inline });
  return verdict("reaction", reason, apply);
}

function classifyAttachment(record: Native, ctx: ClassifyContext): Verdict {
  const attachment = obj(record["attachment"]);
  const type = str(attachment?.["type"]);
  if (!attachment || type === null || !isKnownAttachment(type)) return unknown(record);
  const { state } = ctx;
  const sidechain = state.kind !== "root" || record["isSidechain"] === true;
  if (type === "queued_command") return classifyQueued(record, attachment, sidechain, ctx);
  if (type === "goal_status" && !sidechain) return classifyGoal(attachment, ctx);
  if (!sidechain && (state.triggers === 0 || attachment["hookEvent"] === "SessionStart"))
    return verdict("setup", "claude.attachment.before_prompt");
  // A Stop hook with a blocking error makes the agent continue.
  const stopped = !sidechain && attachment["hookEvent"] === "Stop" && type !== "hook_blocking_error";
  return verdict(
    "reaction",
    reasonNamed("attachment.", type, "claude.attachment.hook_other"),
    stopped ? () => stopHooks(state) : NO_RECORDS,
  );
}

function classifyQueued(record: Native, attachment: Native, sidechain: boolean, ctx: ClassifyContext): Verdict {
  const { state } = ctx;
  const judged = judgeQueued(attachment, sidechain);
  const goal = sidechain ? null : deliveredGoal(obj(attachment["origin"]), judged.text, state);
  const queued: QueuedVerdict =
    goal === null ? judged : { ...judged, trigger: true, reason: "claude.goal.delivered", author: "human", text: goal };
  const body: UserBody = { type: "user", author: queued.author, text: queued.trigger || ctx.full ? queued.text : "" };
  if (!queued.trigger) {
    return verdict("reaction", queued.reason, () => {
      if (!sidechain) state.turn = "running";
      return [body, ...childOfNotification(queued.text, state)];
    });
  }
  return verdict("trigger", queued.reason, () => {
    noteQueued(record, attachment, queued.text, state);
    beginAbsorbed(state);
    if (goal !== null) state.goal.awaited = null;
    body.kind = queued.kind;
    body.entry = triggerEntryOf(record);
    if (queued.attachments > 0) body.attachments = queued.attachments;
    return [body];
  });
}

function classifyProgress(record: Native, ctx: ClassifyContext): Verdict {
  const type = str(obj(record["data"])?.["type"]);
  if (!isKnownProgress(type)) return unknown(record);
  const event = obj(record["data"])?.["hookEvent"];
  if (ctx.state.kind === "root" && (ctx.state.triggers === 0 || event === "SessionStart"))
    return verdict("setup", "claude.progress.before_prompt");
  const stopped = event === "Stop" && record["isSidechain"] !== true;
  return verdict("reaction", reasonNamed("progress.", type ?? "untyped", "claude.unknown"), () =>
    stopped ? stopHooks(ctx.state) : childOfProgress(record, ctx.state),
  );
}

function classifySystem(record: Native, ctx: ClassifyContext): Verdict {
  const subtype = str(record["subtype"]);
  const known = subtype === null ? undefined : SYSTEM_SUBTYPES.get(subtype);
  const { state } = ctx;
  switch (subtype) {
    case "turn_duration":
      return verdict("reaction", "claude.turn.duration", () => turnDuration(record, state));
    case "stop_hook_summary":
      if (state.kind === "root" && state.triggers > 0)
        return verdict("reaction", "claude.system.stop_hook_summary", () => stopHooks(state));
      break;
    case "api_error":
      return verdict("reaction", "claude.api.retry", () => [retryRecord(record)]);
    case "compact_boundary":
      return classifyBoundary(record, ctx);
    case "local_command":
      return verdict("session", "claude.command.local_record", () => localCommand(record, ctx.full));
    case "informational": {
      const blocked = classifyBlocked(record, ctx);
      if (blocked !== null) return blocked;
      break;
    }
    default:
  }
  if (known === undefined)
    return subtype === null && record["content"] !== undefined ? oldSystem(ctx) : unknown(record);
  if (known === "reaction" && state.kind === "root" && state.triggers === 0)
    return verdict("setup", "claude.system.before_first_prompt");
  return verdict(known, reasonNamed("system.", subtype ?? "", "claude.unknown"));
}

/** Version 1.0 wrote notices of running commands and hooks without a subtype. */
function oldSystem(ctx: ClassifyContext): Verdict {
  const reaction = ctx.state.kind !== "root" || ctx.state.triggers > 0;
  return verdict(reaction ? "reaction" : "setup", "claude.system.notice");
}

/** The most reliable end marker, except that it is also written after a turn that was interrupted or failed. */
function turnDuration(record: Native, state: ReaderState): RecordBody[] {
  const ended = state.turn === "running" || state.turn === "completed";
  if (ended) state.turn = "completed";
  const duration = num(record["durationMs"]);
  return [{ type: "assistant_finished", text: "", duration_ms: duration, ...(ended ? { turn_ended: true } : {}) }];
}

/** Stop hooks run after the answer, so they mark the end of a turn whose records have no stop reason. */
function stopHooks(state: ReaderState): RecordBody[] {
  if (state.turn !== "running") return [];
  state.turn = "completed";
  return [{ type: "assistant_finished", text: "", turn_ended: true }];
}

function localCommand(record: Native, full: boolean): RecordBody[] {
  const content = str(record["content"]) ?? "";
  const command = parseCommand(content);
  if (command) return [{ type: "user", author: "human", text: command.text }];
  return [{ type: "user", author: "source", text: full ? content : "" }];
}

function classifyBoundary(record: Native, ctx: ClassifyContext): Verdict {
  const stated = str(obj(record["compactMetadata"])?.["trigger"]);
  const trigger = stated === "manual" || stated === "auto" ? stated : "unknown";
  const { state } = ctx;
  const ahead = foreseeCompaction(ctx.lines, trigger === "manual" && state.command !== "compact");
  const place = ahead.value.command ? "setup" : "reaction";
  const apply = (): RecordBody[] => {
    state.compaction = place;
    return [{ type: "compacted", trigger, summary: ctx.full ? ahead.value.summary : null }];
  };
  return verdict(
    place,
    place === "setup" ? "claude.compact.before_command" : "claude.compact.boundary",
    apply,
    ahead.open,
  );
}

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

/**
 * Attachments with instructions for the model: instruction files (CLAUDE.md, rules, memories), those loaded later
 * because a directory was entered, and Claude Code's own system prompt.
 */
export function instructionsIn(record: Native, state: ReaderState): Instructions {
  const attachment = obj(record["attachment"]);
  switch (attachment?.["type"]) {
    case "instructions":
      return toInstructions(list(attachment["files"]).flatMap((file) => fileOf(obj(file))));
    case "nested_memory": {
      const file = obj(attachment["content"]);
      return toInstructions(fileOf({ ...file, path: attachment["path"] ?? file?.["path"], type: "nested_memory" }));
    }
    case "prompt_snapshot": {
      const text = list(attachment["systemPrompt"]).flatMap((part) => str(part) ?? []);
      // Claude Code attaches the snapshot again whenever any other part of the request changes.
      return changedInstructions(
        toInstructions([{ kind: "base", path: null, text: text.join("\n\n") }]),
        state.instructions,
      );
    }
    default:
      return NO_INSTRUCTIONS;
  }
}

/** `type` is the scope of the file: `User`, `Project`, `Local`, `Managed`, `AutoMem`. */
function fileOf(file: Native | null): Instruction[] {
  if (!file) return [];
  const [text, raw] = [str(file["content"]), str(file["rawContent"])];
  const truncated = text !== null && raw !== null && raw.length > text.length;
  return [{ kind: str(file["type"]) ?? "instructions", path: str(file["path"]), text, truncated }];
}

/** Titles are repeated with every block of metadata; only a change is a rename. */
function titleRecords(type: string, record: Native, state: ReaderState): RecordBody[] {
  switch (type) {
    case "custom-title":
      return rename("human", str(record["customTitle"]), state);
    case "ai-title":
      return rename("agent", str(record["aiTitle"]) ?? str(record["title"]), state);
    case "summary": {
      // Summaries at the start of a file often refer to another session's record: only one about this file is a title.
      const leaf = str(record["leafUuid"]);
      return leaf !== null && state.links.get(leaf) !== undefined ? rename("agent", str(record["summary"]), state) : [];
    }
    default:
      return [];
  }
}

function rename(by: "human" | "agent", title: string | null, state: ReaderState): RecordBody[] {
  const clean = title === null || title.trim() === "" ? null : title;
  if (state.titles[by] === clean) return [];
  state.titles[by] = clean;
  return [{ type: "session_renamed", title: clean, by }];
}
