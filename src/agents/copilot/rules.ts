/** What each event is, and who wrote it; the names of all rules. */
import type {
  AssistantFinishedBody,
  ChildLinkedBody,
  RecordBody,
  TriggerEntry,
  TriggerKind,
  UserBody,
} from "../../record/record.ts";
import type { Lines } from "../kit/json-lines.ts";
import { list, num, obj, objects, str, type Native } from "../kit/native.ts";
import { nonTriggerBody, verdict, type RuleContext, type Verdict as KitVerdict } from "../kit/verdict.ts";
import { settle, startCall } from "./calls.ts";
import { contextChanges, dataOf, headerRecords, quietClass, SOURCE_ID, type ReaderState } from "./native.ts";
import { startRun, usageOfCompaction, usageOfMessage, usageOfRecord, usageOfShutdown } from "./usage.ts";

/**
 * Every rule of this reader, by the name `explain` and `audit` print. FORMAT.md explains them; a test checks that both
 * lists match what sessions produce.
 */
export const REASONS = [
  "copilot.abort",
  "copilot.assistant.message",
  "copilot.assistant.reasoning",
  "copilot.assistant.turn_end",
  "copilot.assistant.turn_start",
  "copilot.assistant.usage",
  "copilot.id.inherited",
  "copilot.id.repeated",
  "copilot.line.blank",
  "copilot.line.not_json",
  "copilot.line.not_object",
  "copilot.line.nul_bytes",
  "copilot.line.too_deep",
  "copilot.line.too_large",
  "copilot.line.torn",
  "copilot.model.call_failure",
  "copilot.session.compaction_complete",
  "copilot.session.context_changed",
  "copilot.session.error",
  "copilot.session.model_change",
  "copilot.session.quiet",
  "copilot.session.resume",
  "copilot.session.shutdown",
  "copilot.session.snapshot_rewind",
  "copilot.session.start",
  "copilot.session.task_complete",
  "copilot.session.title_changed",
  "copilot.session.usage_record",
  "copilot.subagent",
  "copilot.subagent.completed",
  "copilot.subagent.failed",
  "copilot.subagent.started",
  "copilot.system.message",
  "copilot.tool.execution_complete",
  "copilot.tool.execution_start",
  "copilot.tool.user_requested",
  "copilot.turn.quiet",
  "copilot.unknown",
  "copilot.user.agent_task",
  "copilot.user.autopilot",
  "copilot.user.cross_session",
  "copilot.user.injected",
  "copilot.user.notification",
  "copilot.user.queued",
  "copilot.user.skill",
  "copilot.user.steering",
  "copilot.user.typed",
] as const;

export type Reason = (typeof REASONS)[number];

export type Verdict = KitVerdict<Reason>;
type ClassifyContext = RuleContext<ReaderState>;

/** Decides without changing any state: only `apply` does, so that an uncertain verdict can be discarded. */
export function classify(record: Native, ctx: ClassifyContext): Verdict {
  const { state, full } = ctx;
  const type = str(record["type"]) ?? "";
  const data = dataOf(record);
  const side = str(record["agentId"]) !== null;
  // Subagents write into the same file: their reactions get a common reason, and the native type tells what they did.
  const reaction = (reason: Reason, apply: () => RecordBody[]): Verdict =>
    verdict("reaction", side ? "copilot.subagent" : reason, apply);
  switch (type) {
    case "session.start":
      return verdict("session", "copilot.session.start", () => {
        startRun(state);
        return state.meta ? contextChanges(record, state) : headerRecords(record, ctx.path, state);
      });
    case "session.resume":
      return verdict("session", "copilot.session.resume", () => {
        startRun(state);
        return contextChanges(record, state);
      });
    case "session.model_change":
    case "session.context_changed":
      // A subagent's model does not affect the session.
      return side
        ? reaction(`copilot.${type}`, () => [])
        : verdict("session", `copilot.${type}`, () => contextChanges(record, state));
    case "session.title_changed":
      return verdict("session", "copilot.session.title_changed", () => renamed(data, ctx));
    case "session.shutdown":
      return verdict("session", "copilot.session.shutdown", () => usageOfShutdown(record, state));
    case "session.snapshot_rewind":
      return verdict("session", "copilot.session.snapshot_rewind", () => rewound(data, ctx));
    case "session.usage_record":
    case "assistant.usage":
      return reaction(`copilot.${type}`, () => usageOfRecord(record, state));
    case "session.compaction_complete":
      return reaction("copilot.session.compaction_complete", () => [
        ...compacted(data, full),
        ...usageOfCompaction(record, state),
      ]);
    case "session.task_complete":
      return reaction("copilot.session.task_complete", () => [reply(str(data["summary"]) ?? "", null, !side, full)]);
    case "session.error":
      return classifyError(record, ctx);
    case "model.call_failure":
      return reaction("copilot.model.call_failure", () => [{ type: "failed", ...errorOf(data), turn_ended: false }]);
    case "abort":
      return reaction("copilot.abort", () => aborted(side, ctx));
    case "user.message":
      return classifyUser(record, ctx);
    case "system.message":
      return verdict(state.triggers === 0 ? "setup" : "reaction", "copilot.system.message", () => {
        if (!side && data["role"] !== "developer" && state.entry !== "ide") state.entry = entryOfPrompt(record);
        return [];
      });
    case "assistant.turn_start":
      return reaction("copilot.assistant.turn_start", () => {
        state.steps = true;
        return side ? [] : [{ type: "assistant_started" }];
      });
    case "assistant.turn_end":
      return reaction("copilot.assistant.turn_end", () => stepEnded(side, ctx));
    case "assistant.reasoning":
      return reaction("copilot.assistant.reasoning", () => [
        { type: "reasoning_finished", text: full ? (str(data["content"]) ?? "") : "" },
      ]);
    case "assistant.message":
      return reaction("copilot.assistant.message", () => message(record, side, ctx));
    case "tool.user_requested":
      return classifyUserTool(record, ctx);
    case "tool.execution_start":
      return reaction("copilot.tool.execution_start", () =>
        startCall(str(data["toolCallId"]), str(data["toolName"]) ?? "", data["arguments"], record, state, full),
      );
    case "tool.execution_complete":
      return reaction("copilot.tool.execution_complete", () => {
        const settled = settle(record, state, full);
        // The model does not respond to a command the human ran, so the turn ends here.
        return dataOf(record)["isUserRequested"] === true ? [...settled, reply("", null, true, full)] : settled;
      });
    case "subagent.started":
    case "subagent.completed":
    case "subagent.failed":
      return verdict("reaction", `copilot.${type}`, () => [
        child(record, type === "subagent.started" ? "spawned" : "returned", ctx),
      ]);
    default: {
      const quiet = quietClass(type);
      if (quiet !== null) return verdict(quiet, quiet === "session" ? "copilot.session.quiet" : "copilot.turn.quiet");
      const native = type === "" ? "(untyped)" : type;
      return verdict("unknown", "copilot.unknown", () => [{ type: "unknown", native_type: native }]);
    }
  }
}

function classifyUser(record: Native, ctx: ClassifyContext): Verdict {
  const { state, full } = ctx;
  const user = readUser(record);
  const { reason } = user;
  if (user.author !== "human") return verdict("reaction", reason, () => [nonTriggerBody(user.author, user.text, full)]);
  const ahead = state.entry === "ide" ? { value: state.entry, open: false } : entryAhead(ctx.lines, state.entry);
  const steps = state.steps ? { value: true, open: false } : stepsAhead(ctx.lines);
  const apply = (): RecordBody[] => {
    state.triggers += 1;
    state.answered = false;
    const id = str(record["id"]);
    if (id !== null) state.lines.set(id, ctx.line);
    const body: UserBody = { type: "user", author: "human", text: user.text, kind: user.kind, entry: ahead.value };
    const attachments = list(dataOf(record)["attachments"]).length;
    if (attachments > 0) body.attachments = attachments;
    if (steps.value) body.ends_stated = true;
    return [body];
  };
  return verdict("trigger", reason, apply, ahead.open || steps.open);
}

/** A `!` command: the human runs a tool without involving the model. */
function classifyUserTool(record: Native, ctx: ClassifyContext): Verdict {
  const data = dataOf(record);
  const command = str(obj(data["arguments"])?.["command"]) ?? "";
  return verdict("trigger", "copilot.tool.user_requested", () => {
    ctx.state.triggers += 1;
    ctx.state.answered = false;
    const text = `!${command}`;
    const name = str(data["toolName"]) ?? "";
    const body: UserBody = { type: "user", author: "human", text, kind: "shell", entry: "interactive" };
    return [body, ...startCall(str(data["toolCallId"]), name, data["arguments"], record, ctx.state, ctx.full)];
  });
}

function message(record: Native, side: boolean, ctx: ClassifyContext): RecordBody[] {
  const { state, full } = ctx;
  const data = dataOf(record);
  const out: RecordBody[] = [];
  const thought = str(data["reasoningText"]) ?? "";
  if (thought !== "") out.push({ type: "reasoning_finished", text: full ? thought : "" });
  const text = str(data["content"]) ?? "";
  if (text !== "") out.push(reply(text, data, false, full));
  const requests = objects(data["toolRequests"]);
  for (const request of requests) {
    const name = str(request["name"]) ?? "";
    out.push(...startCall(str(request["toolCallId"]), name, request["arguments"], record, state, full));
  }
  // A message without text is also an answer if the model requested nothing more.
  if (!side) state.answered = requests.length === 0;
  return [...out, ...usageOfMessage(record, state)];
}

function reply(text: string, data: Native | null, ends: boolean, full: boolean): AssistantFinishedBody {
  const body: AssistantFinishedBody = { type: "assistant_finished", text: full ? text : "" };
  if (data) {
    body.message_id = str(data["messageId"]);
    body.model = str(data["model"]);
  }
  if (ends) body.turn_ended = true;
  return body;
}

/** A step is one request to the model. It ends the turn if the model requested nothing more. */
function stepEnded(side: boolean, ctx: ClassifyContext): RecordBody[] {
  if (side || !ctx.state.answered) return [];
  ctx.state.answered = false;
  return [reply("", null, true, ctx.full)];
}

function aborted(side: boolean, ctx: ClassifyContext): RecordBody[] {
  if (side) return [];
  ctx.state.answered = false;
  return [{ type: "cancelled", reason: "interrupted" }];
}

function errorOf(data: Native): { message: string; code: string | null } {
  const message = str(data["message"]) ?? str(data["errorMessage"]) ?? "error";
  return { message, code: num(data["statusCode"])?.toString() ?? str(data["errorType"]) };
}

/** An error ends the turn unless the agent continues on its own. */
function classifyError(record: Native, ctx: ClassifyContext): Verdict {
  const side = str(record["agentId"]) !== null;
  const ahead = side ? { value: true, open: false } : agentContinues(ctx.lines);
  const apply = (): RecordBody[] => [{ type: "failed", ...errorOf(dataOf(record)), turn_ended: !ahead.value }];
  return verdict("reaction", "copilot.session.error", apply, ahead.open);
}

function compacted(data: Native, full: boolean): RecordBody[] {
  if (data["success"] === false) return [];
  const trigger = str(data["customInstructions"]) === null ? "unknown" : "manual";
  return [{ type: "compacted", trigger, summary: full ? str(data["summaryContent"]) : null }];
}

function renamed(data: Native, { state }: ClassifyContext): RecordBody[] {
  const title = str(data["title"]);
  if (title === null || title === state.title) return [];
  state.title = title;
  return [{ type: "session_renamed", title, by: "agent" }];
}

function rewound(data: Native, { state }: ClassifyContext): RecordBody[] {
  const line = state.lines.get(str(data["upToEventId"]) ?? "");
  return line === undefined ? [] : [{ type: "cancelled", reason: "rewound", from_line: line }];
}

/** Subagents write into the same file; they are reported as children without a file of their own. */
function child(record: Native, phase: ChildLinkedBody["phase"], { state }: ClassifyContext): ChildLinkedBody {
  const data = dataOf(record);
  const call = str(data["toolCallId"]);
  const id = str(record["agentId"]) ?? call ?? str(record["id"]) ?? "";
  const role = str(data["agentName"]) ?? state.agents.get(id) ?? null;
  if (role !== null) state.agents.set(id, role);
  const ref = { source: SOURCE_ID, session_id: id };
  return { type: "child_linked", child: ref, relation: "subagent", phase, role, call_id: call };
}

/** A slash command, not a path: `/usr/bin/env …` has a second slash in its first word. */
const COMMAND = /^\/[A-Za-z][\w:.-]*(?=\s|$)/;
const NOTIFICATION = /^\s*<system_notification>/;
const SKILL = /^\s*<skill-context/;
const CROSS = "<cross_session_message>";

/** Origins the event itself names; any other value also means the client. */
const BY_SOURCE: ReadonlyMap<string, Reason> = new Map([
  ["skill", "copilot.user.skill"],
  ["autopilot", "copilot.user.autopilot"],
]);

interface UserMessage {
  author: "human" | "source" | "agent";
  /** The rule that decided. */
  reason: Reason;
  text: string;
  kind: TriggerKind;
}

/** Who wrote a `user.message`: the event names its origin, or none if a human typed it. */
function readUser(record: Native): UserMessage {
  const data = dataOf(record);
  const text = str(data["content"]) ?? "";
  const source = str(data["source"]) ?? "";
  const base: UserMessage = { author: "source", reason: "copilot.user.injected", text, kind: "prompt" };
  if (str(record["agentId"]) !== null || source.startsWith("agent-"))
    return { ...base, author: "agent", reason: "copilot.user.agent_task" };
  if (data["isAutopilotContinuation"] === true) return { ...base, reason: "copilot.user.autopilot" };
  if (source !== "" && source !== "user")
    return { ...base, reason: BY_SOURCE.get(source.replace(/[-:].*$/s, "")) ?? "copilot.user.injected" };
  if (NOTIFICATION.test(text)) return { ...base, reason: "copilot.user.notification" };
  if (SKILL.test(text)) return { ...base, reason: "copilot.user.skill" };
  // Another session's message is wrapped on its way to the model; if a human quotes the tag, the typed text contains it
  // too.
  const sent = str(data["transformedContent"]) ?? "";
  if (sent.includes(CROSS) && !text.includes(CROSS))
    return { ...base, author: "agent", reason: "copilot.user.cross_session" };
  const delivery = str(data["delivery"]);
  const queued = delivery === "steering" || delivery === "queued";
  const kind: TriggerKind = queued ? "queued" : COMMAND.test(text) ? "command" : "prompt";
  return {
    author: "human",
    reason: queued ? (delivery === "steering" ? "copilot.user.steering" : "copilot.user.queued") : "copilot.user.typed",
    text,
    kind,
  };
}

/** How many records a verdict may look ahead. */
const REACH = 16;

interface Lookahead<T> {
  value: T;
  /** The file ended before the following records could decide. */
  open: boolean;
}

function scan<T>(lines: Lines, look: (type: string, record: Native) => T | undefined, otherwise: T): Lookahead<T> {
  for (let k = 0; k < REACH; k++) {
    const line = lines.peek(k);
    if (line === null || !line.terminated) return { value: otherwise, open: true };
    const record = line.value;
    // Events of subagents come in between; they decide nothing about the session.
    if (!record || str(record["agentId"]) !== null) continue;
    const value = look(str(record["type"]) ?? "", record);
    if (value !== undefined) return { value, open: false };
  }
  return { value: otherwise, open: false };
}

/** The system prompt says how the process is used; a process writes it once, right after its first prompt. */
function entryOfPrompt(record: Native): TriggerEntry {
  return /non-interactive mode/i.test((str(dataOf(record)["content"]) ?? "").slice(0, 4096))
    ? "headless"
    : "interactive";
}

function entryAhead(lines: Lines, known: TriggerEntry): Lookahead<TriggerEntry> {
  return scan<TriggerEntry>(
    lines,
    (type, record) => {
      if (type === "system.message" && dataOf(record)["role"] !== "developer") return entryOfPrompt(record);
      return type.startsWith("assistant.") || type === "user.message" || type === "session.shutdown"
        ? known
        : undefined;
    },
    known,
  );
}

/**
 * Whether the version marks where a request to the model begins and ends: then an answer without an end was cut off.
 */
function stepsAhead(lines: Lines): Lookahead<boolean> {
  return scan(
    lines,
    (type) => {
      if (type === "assistant.turn_start") return true;
      return type === "assistant.message" || type === "user.message" || type === "session.shutdown" ? false : undefined;
    },
    false,
  );
}

/** Whether the model continued before the next human message: then an error did not end the turn. */
function agentContinues(lines: Lines): Lookahead<boolean> {
  return scan(
    lines,
    (type) => {
      if (type === "assistant.message" || type === "assistant.turn_start" || type.startsWith("tool.")) return true;
      return type === "user.message" || type === "session.shutdown" || type === "session.resume" ? false : undefined;
    },
    false,
  );
}
