import type { RecordBody, UserBody } from "../../record/record.ts";
import { assistantRecords, isSynthetic, retryRecord } from "./assistant.ts";
import { childOfNotification, childOfProgress } from "./children.ts";
import { classifyBlocked } from "./blocked.ts";
import { classifyGoal, deliveredGoal } from "./goal.ts";
import { foreseeAttachment, foreseeChain, foreseeCompaction, foreseePrompt } from "./lookahead.ts";
import {
  isKnownAttachment,
  isKnownProgress,
  nativeType,
  REQUEST_TYPES,
  SESSION_TYPES,
  SYSTEM_SUBTYPES,
} from "./native.ts";
import { num, obj, str, type Native } from "../kit/native.ts";
import {
  absorbedText,
  beginAbsorbed,
  judgeQueued,
  noteQueued,
  noteQueueOperation,
  startedText,
  type QueuedVerdict,
} from "./queue.ts";
import { reasonNamed } from "./reasons.ts";
import type { ReaderState } from "./state.ts";
import { triggerEntryOf } from "./entry.ts";
import { classifyUser } from "./user.ts";
import { NO_RECORDS, verdict } from "../kit/verdict.ts";
import { isInline, type ClassifyContext, type Verdict } from "./verdict.ts";
import { parseCommand } from "./commands.ts";
import { totalOf } from "./usage.ts";
import { titleRecords } from "./titles.ts";

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
