/** Records in the user's role. */
import type { RecordBody, ToolStatus, UserBody } from "../../record/record.ts";
import { obj, str, type Native } from "../kit/native.ts";
import { nonTriggerBody, verdict } from "../kit/verdict.ts";
import { childOfNotification, needsInterruptMarker, settle } from "./calls.ts";
import {
  foreseeCaveat,
  foreseeCommand,
  foreseeCompact,
  foreseeGoalCommand,
  foreseeInterrupt,
  isSessionNotice,
  repeatsQueued,
  wasQueued,
} from "./lookahead.ts";
import { entryOf, insideTag, isInterruptMarker, isLocalCommand, rawText, type SlashCommand } from "./markers.ts";
import { isSince } from "./native.ts";
import { isInline, messageBlocks, type ClassifyContext, type Verdict } from "./rules.ts";
import { parentOf, type ReaderState } from "./state.ts";
import { judgeUser, type UserVerdict } from "./triggers.ts";

/** Classifies a `user` record: a human's prompt, or one of the many things Claude Code writes in the user role. */
export function classifyUser(record: Native, ctx: ClassifyContext): Verdict {
  const { state, full } = ctx;
  if (state.fork) return classifyDirective(record, state);
  const sidechain = state.kind !== "root" || record["isSidechain"] === true;
  const judged = judgeUser(record, { sidechain, first: state.triggers === 0, running: state.turn === "running" });
  const goal = sidechain ? null : deliveredGoal(obj(record["origin"]), judged.text, state);
  if (goal !== null) return classifyDelivered(record, { ...judged, text: goal }, ctx);
  const note = (): RecordBody[] => [nonTriggerBody(judged.author, judged.text, full)];
  switch (judged.role) {
    case "tool_result":
      return classifyResult(record, judged, ctx);
    case "prompt":
      return classifyPrompt(record, judged, ctx);
    case "command":
      return classifyCommand(record, judged, ctx);
    case "caveat":
      return classifyCaveat(ctx, note);
    case "shell_input":
      return verdict("trigger", judged.reason, () => shellInput(record, judged, ctx));
    case "shell_output":
      return verdict("reaction", judged.reason, () => shellOutput(record, judged.text, state, full));
    case "command_output":
      return classifyOutput(judged, state, note);
    case "interrupt":
      return classifyInterrupt(record, judged, sidechain, state);
    case "notification":
      return verdict("reaction", judged.reason, () => {
        state.turn = "running";
        return [...note(), ...childOfNotification(judged.text, state)];
      });
    case "summary":
      return classifySummary(judged, ctx, note);
    case "probe":
      return verdict("session", judged.reason, note);
    case "injected":
      return classifyInjected(judged, sidechain, state, note);
    default:
      return judged.role satisfies never;
  }
}

/** The first own record of a forked subagent: results of its parent's calls, and the task. */
function classifyDirective(record: Native, state: ReaderState): Verdict {
  const text = rawText(messageBlocks(record));
  const task = text.replace(/^[\s\S]*<\/fork-boilerplate>\s*(?:Your directive: )?/, "");
  return verdict("reaction", "claude.sidechain.task", () => {
    state.fork = false;
    return [{ type: "user", author: "agent", text: task }];
  });
}

function classifyResult(record: Native, judged: UserVerdict, ctx: ClassifyContext): Verdict {
  const blocks = messageBlocks(record);
  // Without a terminal nobody can refuse a call: the refusal text is then only written for an interrupt.
  const headless = record["entrypoint"] === "sdk-cli";
  const asks = needsInterruptMarker(record, blocks);
  const named = str(record["interruptedMessageId"]) !== null;
  const ahead = asks && !headless && !named ? foreseeInterrupt(ctx.lines) : { value: headless || named, open: false };
  const marked = blocks.some((block) => block.type === "text" && isInterruptMarker(str(block["text"]) ?? ""));
  const asked = judged.class === "trigger" && !repeatsQueued(record, judged.text, ctx.state);
  const apply = (): RecordBody[] => {
    if (!isInline(record, ctx.state)) ctx.state.unanswered = true;
    const settled = settle(record, blocks, ctx.state, {
      interrupted: ahead.value,
      full: ctx.full,
      sessionPath: ctx.path,
    });
    // The interrupt marker may be in the record of the result instead of a separate one.
    if (marked && !asked && !isInline(record, ctx.state)) {
      ctx.state.turn = "interrupted";
      ctx.state.stop = null;
      return [...settled, { type: "cancelled", reason: "interrupted" }];
    }
    return asked ? [...settled, ...trigger(record, judged, ctx)] : settled;
  };
  return asked
    ? verdict("trigger", judged.reason, apply, ahead.open)
    : verdict("reaction", judged.class === "trigger" ? "claude.queued.repeated" : judged.reason, apply, ahead.open);
}

function classifyPrompt(record: Native, judged: UserVerdict, ctx: ClassifyContext): Verdict {
  if (repeatsQueued(record, judged.text, ctx.state)) return verdict("echo", "claude.queued.repeated");
  return verdict("trigger", judged.reason, () => {
    const queued = wasQueued(record, judged.text, ctx.state);
    return trigger(record, queued ? { ...judged, kind: "queued" } : judged, ctx);
  });
}

/** The goal that was typed during the turn before. */
function classifyDelivered(record: Native, judged: UserVerdict, ctx: ClassifyContext): Verdict {
  return verdict("trigger", "claude.goal.delivered", () => {
    ctx.state.goal.awaited = null;
    return trigger(record, { ...judged, kind: "queued" }, ctx);
  });
}

/** Starts a turn. If an earlier prompt has the same parent record, the human rewound the conversation to that point. */
function trigger(record: Native, judged: UserVerdict, ctx: ClassifyContext): RecordBody[] {
  const { state } = ctx;
  const out: RecordBody[] = [];
  const branch = judged.role === "tool_result" ? null : parentOf(record);
  if (branch !== null) {
    const abandoned = state.branches.get(branch);
    if (abandoned !== undefined) out.push({ type: "cancelled", reason: "rewound", from_line: abandoned[0] });
    state.branches.set(branch, [ctx.line, state.follows]);
  }
  state.triggers += 1;
  state.turn = "running";
  state.unanswered = true;
  state.absorbed = false;
  state.entry = entryOf(record, state);
  state.passage = "none";
  state.voice = { last: null, before: state.voice.last, prompt: str(record["promptId"]), earlier: state.voice.prompt };
  state.command = "none";
  state.shell = null;
  const body: UserBody = { type: "user", author: "human", text: judged.text, entry: judged.entry ?? state.entry };
  const turn = str(record["promptId"]);
  if (turn !== null) body.native_turn_id = turn;
  if (judged.kind !== undefined) body.kind = judged.kind;
  if (judged.attachments > 0) body.attachments = judged.attachments;
  out.push(body);
  return out;
}

function classifyCommand(record: Native, judged: UserVerdict, ctx: ClassifyContext): Verdict {
  const { state } = ctx;
  const command = judged.command as SlashCommand;
  const compact = command.name === "compact";
  const ahead = compact
    ? state.compaction === "setup"
      ? { value: "model" as const, open: false }
      : foreseeCompact(ctx.lines)
    : foreseeCommand(ctx.lines, command, {
        startsTurn: command.expanded === true || str(record["turnOrigin"]) !== null,
        prompt: str(record["promptId"]),
      });
  if (ahead.value !== "model") {
    const apply = (): RecordBody[] => {
      state.command = "local";
      return [nonTriggerBody("human", judged.text, true)];
    };
    return verdict("session", `claude.command.${ahead.value}`, apply, ahead.open);
  }
  const apply = (): RecordBody[] => {
    const records = trigger(record, judged, ctx);
    state.command = compact ? "compact" : "model";
    state.compaction = "none";
    return records;
  };
  return verdict("trigger", compact ? "claude.command.compact" : "claude.command.model", apply, ahead.open);
}

/** A caveat belongs to the command it announces. */
function classifyCaveat(ctx: ClassifyContext, note: () => RecordBody[]): Verdict {
  const ahead = foreseeCaveat(ctx.lines);
  const command = ahead.value;
  // Only the caveat of `/compact` precedes a request to the model; the client handles the other commands alone.
  const prepares = command !== null && command.name === "compact" && !isLocalCommand(command);
  return verdict(prepares ? "setup" : "session", "claude.command.caveat", note, ahead.open);
}

function classifyOutput(judged: UserVerdict, state: ReaderState, note: () => RecordBody[]): Verdict {
  if (state.command !== "compact" && state.command !== "model") return verdict("session", judged.reason, note);
  return verdict("reaction", judged.reason, () => {
    if (state.command !== "compact") return note();
    // A compaction leaves no reply of the model: the command's output is the only sign that it has ended.
    state.turn = "completed";
    return [...note(), { type: "assistant_finished", text: "", turn_ended: true }];
  });
}

function classifySummary(judged: UserVerdict, ctx: ClassifyContext, note: () => RecordBody[]): Verdict {
  const { state, full } = ctx;
  const place =
    state.compaction === "setup" ? "setup" : state.kind === "root" && state.triggers === 0 ? "setup" : "reaction";
  return verdict(place, judged.reason, () => {
    // Some versions write a summary without a boundary record.
    if (state.compaction === "none")
      return [{ type: "compacted", trigger: "unknown", summary: full ? judged.text : null }];
    if (state.compaction === "reaction") state.compaction = "none";
    return note();
  });
}

function classifyInjected(
  judged: UserVerdict,
  sidechain: boolean,
  state: ReaderState,
  note: () => RecordBody[],
): Verdict {
  if (sidechain) return verdict("reaction", judged.reason, note);
  if (isSessionNotice(judged.text) || judged.reason === "claude.user.unknown_command")
    return verdict("session", judged.reason, note);
  if (state.triggers === 0 && judged.author === "source") return verdict("setup", judged.reason, note);
  return verdict("reaction", judged.reason, () => {
    state.turn = "running";
    return note();
  });
}

function classifyInterrupt(record: Native, judged: UserVerdict, sidechain: boolean, state: ReaderState): Verdict {
  const reason = sidechain ? "claude.sidechain.interrupt" : judged.reason;
  const { voice } = state;
  const cut = str(record["interruptedMessageId"]);
  // A queued prompt is sent immediately, before the marker of the interrupted turn is written.
  const late = cut !== null && cut === voice.before && cut !== voice.last && voice.earlier !== null;
  const found = verdict("reaction", reason, () => {
    if (isInline(record, state)) return [];
    if (!late) state.turn = "interrupted";
    state.stop = null;
    return [{ type: "cancelled", reason: "interrupted" }];
  });
  return late ? { ...found, turnId: voice.earlier } : found;
}

function shellInput(record: Native, judged: UserVerdict, ctx: ClassifyContext): RecordBody[] {
  const records = trigger(record, judged, ctx);
  const call = `shell-${str(record["uuid"]) ?? ctx.line}`;
  ctx.state.shell = call;
  const input = ctx.full ? { command: judged.text.slice(1) } : null;
  return [...records, { type: "tool_started", call_id: call, name: "user_shell", input }];
}

function shellOutput(record: Native, text: string, state: ReaderState, full: boolean): RecordBody[] {
  const call = state.shell;
  if (call === null) return [nonTriggerBody("source", text, full)];
  state.shell = null;
  const out = insideTag(text, "bash-stdout") ?? "";
  const err = insideTag(text, "bash-stderr") ?? "";
  const output = err === "" ? out : out === "" ? err : `${out}\n${err}`;
  const settled: RecordBody = {
    type: "tool_finished",
    call_id: call,
    status: shellStatus(record, out, err),
    exit_code: null,
    duration_ms: null,
    ...(full ? { output } : {}),
  };
  // Newer versions let the model comment on the output, and say so with `turnOrigin`.
  if (str(record["turnOrigin"]) !== null) return [settled];
  state.turn = "completed";
  return [settled, { type: "assistant_finished", text: "", turn_ended: true }];
}

/**
 * No exit code is recorded. Since 2.1.88 at the latest, all output of a failed command is in stderr, and a successful
 * command without output says so. Before that both look the same, and the outcome is unknown.
 */
function shellStatus(record: Native, out: string, err: string): ToolStatus {
  if (err.startsWith("Command failed: ")) return "failed";
  if (out === "(Bash completed with no output)") return "ok";
  if (!isSince(str(record["version"]), [2, 1, 88])) return "pending";
  return out === "" ? "failed" : "ok";
}

/**
 * `/goal <request>` makes the agent work until a check says that the request is met. An attachment (`sentinel`) notes
 * that a goal was set or cleared: before the command that set it, at once if the command was typed while the agent
 * works, and once more after a compaction.
 */
export function classifyGoal(attachment: Native, ctx: ClassifyContext): Verdict {
  const { state } = ctx;
  const condition = str(attachment["condition"]);
  const active = attachment["met"] === true || attachment["failed"] === true ? null : condition;
  const note = (awaited: string | null): [] => {
    state.goal = { active, awaited };
    return [];
  };
  const status = (awaited: string | null): Verdict =>
    verdict("reaction", "claude.attachment.goal_status", () => note(awaited));
  if (attachment["sentinel"] !== true || active === state.goal.active) return status(state.goal.awaited);
  if (active === null) return verdict("session", "claude.goal.cleared", () => note(null));
  const ahead = foreseeGoalCommand(ctx.lines);
  if (!ahead.value) return { ...status(active), open: ahead.open };
  return verdict("setup", "claude.goal.before_command", () => note(null), ahead.open);
}

/**
 * A goal that was typed while the agent worked has no record of the command. It reaches the model as a text of the
 * client that quotes it, as part of the running turn or as the next one. Returns the command; null for other texts.
 */
export function deliveredGoal(origin: Native | null, text: string, { goal }: ReaderState): string | null {
  const quoted = origin?.["kind"] === "auto-continuation" && goal.awaited !== null && text.endsWith(goal.awaited);
  return quoted ? `/goal ${goal.awaited}` : null;
}
