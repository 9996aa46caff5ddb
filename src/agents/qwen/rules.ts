/** What each record is, and who wrote it; the names of all rules. */
import type { AssistantFinishedBody, ContextBody, RecordBody, TriggerKind, UserBody } from "../../record/record.ts";
import { attachmentsIn, templatesIn, textIn } from "../gemini/family.ts";
import { expandedBody, expansionText, type BuiltInCommand, type CommandTemplates } from "../kit/prompts.ts";
import type { Lines } from "../kit/json-lines.ts";
import { num, obj, objects, str, type Native } from "../kit/native.ts";
import type { TemplateContext } from "../kit/reading.ts";
import { nonTriggerBody, verdict, type Verdict as KitVerdict } from "../kit/verdict.ts";
import { childOfNotification, isCancelled, settle, settleByTelemetry, startCall } from "./calls.ts";
import { kindOf, partsOf, typedText, type ReaderState } from "./native.ts";
import { agentOf, usageOfReply, usageOfTelemetry } from "./usage.ts";

/**
 * Every rule of this reader, by the name `explain` and `audit` print. FORMAT.md explains them; a test checks that both
 * lists match what sessions produce.
 */
export const REASONS = [
  "qwen.assistant",
  "qwen.assistant.cut_off",
  "qwen.command.compressed",
  "qwen.command.expanded",
  "qwen.command.hidden",
  "qwen.command.local",
  "qwen.command.model",
  "qwen.command.result",
  "qwen.line.blank",
  "qwen.line.not_json",
  "qwen.line.not_object",
  "qwen.line.nul_bytes",
  "qwen.line.too_deep",
  "qwen.line.too_large",
  "qwen.line.torn",
  "qwen.subagent.injected",
  "qwen.subagent.message",
  "qwen.subagent.task",
  "qwen.system.approval",
  "qwen.system.background_task",
  "qwen.system.bookkeeping",
  "qwen.system.compression",
  "qwen.system.model",
  "qwen.system.rewind",
  "qwen.system.title",
  "qwen.telemetry.error",
  "qwen.telemetry.other",
  "qwen.telemetry.response",
  "qwen.telemetry.tool",
  "qwen.tool_result",
  "qwen.unknown",
  "qwen.user.cron",
  "qwen.user.expanded_command",
  "qwen.user.generated",
  "qwen.user.goal_runtime",
  "qwen.user.mid_turn",
  "qwen.user.notification",
  "qwen.user.prompt",
  "qwen.user.tool_result",
  "qwen.uuid.inherited",
  "qwen.uuid.repeated",
] as const;

export type Reason = (typeof REASONS)[number];

type Verdict = KitVerdict<Reason>;

type ClassifyContext = TemplateContext<ReaderState>;

const USER_SUBTYPES: ReadonlySet<string> = new Set([
  "agent_launch_prompt",
  "cron",
  "goal_runtime",
  "mid_turn_user_message",
  "notification",
  "realtime_message",
]);

export function nativeType(record: Native): string {
  const type = str(record["type"]) ?? "(untyped)";
  const subtype = str(record["subtype"]);
  if (subtype === null) return type;
  const event = str(obj(obj(record["systemPayload"])?.["uiEvent"])?.["event.name"]);
  return event === null ? `${type}/${subtype}` : `${type}/${subtype}/${event.replace(/^qwen-code\./, "")}`;
}

/** Decides without changing any state: only `apply` does, so that an uncertain verdict can be discarded. */
export function classify(record: Native, ctx: ClassifyContext): Verdict {
  const subtype = str(record["subtype"]);
  switch (record["type"]) {
    case "user": {
      const human = str(record["provenance"]) === "real_user";
      if (subtype !== null && !USER_SUBTYPES.has(subtype) && !human) break;
      return classifyUser(record, ctx);
    }
    case "assistant":
      return classifyAssistant(record, ctx);
    case "tool_result":
      return classifyResult(record, ctx);
    case "system": {
      const system = classifySystem(record, ctx);
      if (system) return system;
      break;
    }
    default:
  }
  return verdict("unknown", "qwen.unknown", () => [{ type: "unknown", native_type: nativeType(record) }]);
}

/** Escape cancels running calls; Qwen Code then does not ask the model again. */
function classifyResult(record: Native, ctx: ClassifyContext): Verdict {
  const { state } = ctx;
  const ahead = state.kind === "root" && isCancelled(record) ? agentContinues(ctx.lines) : { value: true, open: false };
  const apply = (): RecordBody[] => {
    state.responded = false;
    const settled = settle(record, state, ctx.full);
    return ahead.value ? settled : [...settled, { type: "cancelled", reason: "interrupted" }];
  };
  return verdict("reaction", "qwen.tool_result", apply, ahead.open);
}

/** Subtypes of `user` records that no human typed. */
const INJECTED: ReadonlyMap<string | null, Reason> = new Map([
  ["cron", "qwen.user.cron"],
  ["goal_runtime", "qwen.user.goal_runtime"],
]);

/** A `user` record: a human's prompt, or something Qwen Code writes in the user's name. */
function classifyUser(record: Native, ctx: ClassifyContext): Verdict {
  const { state, full } = ctx;
  const parts = partsOf(record);
  const text = textIn(parts);
  const subtype = str(record["subtype"]);
  // Versions before `tool_result` records sent results back as plain user records.
  if (text.trim() === "" && parts.some((part) => obj(part["functionResponse"]) !== null)) {
    return verdict("reaction", "qwen.user.tool_result", () => {
      state.responded = false;
      return settle(record, state, full);
    });
  }
  if (subtype === "notification") {
    return verdict("reaction", "qwen.user.notification", () => {
      state.responded = false;
      return [nonTriggerBody("source", text, full), ...childOfNotification(record, text, state)];
    });
  }
  const provenance = str(record["provenance"]);
  const note = (): RecordBody[] => [nonTriggerBody("source", text, full)];
  const injected = INJECTED.get(subtype);
  if (injected !== undefined) return verdict("reaction", injected, note);
  if (state.kind !== "root") return classifyTask(record, text, ctx);
  if (provenance !== null && provenance !== "real_user") return verdict("reaction", "qwen.user.generated", note);
  const queued = subtype === "mid_turn_user_message";
  return classifyPrompt(record, parts, queued, ctx);
}

function classifyPrompt(record: Native, parts: readonly Native[], queued: boolean, ctx: ClassifyContext): Verdict {
  const { state } = ctx;
  const command = queued ? null : state.command;
  const typed = kindOf(command ?? typedText(record, parts));
  const expansion = command === null && typed.kind === "prompt" ? ctx.templates.expansion(typed.text) : null;
  const text = expansion ? expansionText(expansion) : typed.text;
  const isCommand = command !== null || expansion !== null;
  const kind: TriggerKind = queued ? "queued" : isCommand ? "command" : typed.kind;
  const reason = queued ? "qwen.user.mid_turn" : isCommand ? "qwen.user.expanded_command" : "qwen.user.prompt";
  return verdict("trigger", reason, () => {
    state.command = null;
    state.responded = false;
    state.triggers += 1;
    state.branches.set(str(record["parentUuid"]) ?? "", [ctx.line, state.follows]);
    // Nothing in a plain prompt distinguishes a terminal from `qwen -p`.
    const entry = kind === "shell" || kind === "queued" || command !== null ? "interactive" : "unknown";
    const body: UserBody = { type: "user", author: "human", text, kind, entry };
    const attachments = attachmentsIn(parts);
    if (attachments > 0) body.attachments = attachments;
    return expansion ? [body, expandedBody(typed.text, ctx.full)] : [body];
  });
}

/** In a subagent's file the first message is its task; later ones come from the parent agent or from the client. */
function classifyTask(record: Native, text: string, ctx: ClassifyContext): Verdict {
  const { state, full } = ctx;
  const external = str(record["externalInputKind"]);
  if (state.tasked && external !== "message") {
    return verdict("reaction", "qwen.subagent.injected", () => [nonTriggerBody("source", text, full)]);
  }
  return verdict("reaction", state.tasked ? "qwen.subagent.message" : "qwen.subagent.task", () => {
    state.tasked = true;
    state.responded = false;
    return [nonTriggerBody("agent", text, full)];
  });
}

/** A reply of the model: reasoning, text and calls of one response. */
function classifyAssistant(record: Native, ctx: ClassifyContext): Verdict {
  const { state } = ctx;
  const parts = partsOf(record);
  const text = textIn(parts);
  const calls = parts.filter((part) => obj(part["functionCall"]) !== null);
  // A complete response states its usage or was preceded by telemetry. Text without either is the rest of an
  // interrupted stream: interrupted by the human, or by the provider, in which case the agent asks again.
  const cut =
    text !== "" &&
    calls.length === 0 &&
    obj(record["usageMetadata"]) === null &&
    !state.responded &&
    str(record["provenance"]) !== null;
  const ahead = cut ? agentContinues(ctx.lines) : { value: false, open: false };
  const stopped = cut && !ahead.value;
  const apply = (): RecordBody[] => {
    const out: RecordBody[] = [];
    for (const part of parts) {
      if (part["thought"] !== true) continue;
      const thought = str(part["text"]) ?? "";
      if (thought !== "") out.push({ type: "reasoning_finished", text: ctx.full ? thought : "" });
    }
    if (text !== "" || isEmptyAnswer(record, calls.length, state))
      out.push(reply(record, text, calls.length === 0 && !cut, ctx.full));
    state.responded = false;
    for (const part of calls) out.push(...startCall(part, state, ctx.full));
    if (stopped) out.push({ type: "cancelled", reason: "interrupted" });
    return [...out, ...usageOfReply(record, state, "counted")];
  };
  return verdict("reaction", stopped ? "qwen.assistant.cut_off" : "qwen.assistant", apply, ahead.open);
}

/**
 * A complete response without text and without calls. Subagents write a response in pieces, one of which may be only
 * reasoning.
 */
function isEmptyAnswer(record: Native, calls: number, state: ReaderState): boolean {
  return state.kind === "root" && calls === 0 && (state.responded || obj(record["usageMetadata"]) !== null);
}

function reply(record: Native, text: string, ends: boolean, full: boolean): AssistantFinishedBody {
  const body: AssistantFinishedBody = {
    type: "assistant_finished",
    message_id: str(record["uuid"]),
    model: str(record["model"]),
    text: full ? text : "",
  };
  // A reply without tool calls is the last of its turn; work caused by a notification reopens the turn.
  if (ends) body.turn_ended = true;
  return body;
}

/** Subtypes of `system` records that are needed only to restore the session. */
const BOOKKEEPING: ReadonlySet<string> = new Set(
  (
    "agent_bootstrap agent_launch_prompt agent_retry agent_session_ready at_command attribution_snapshot branch_checkpoint " +
    "file_history_snapshot goal_runtime goal_state goal_turn_end managed_session_commit_v1 managed_session_event_v1 " +
    "managed_session_header_v1 omni_recall parent_session realtime_message session_artifact_event session_artifact_snapshot " +
    "session_execution_engine session_notes session_source session_sources_snapshot turn_result user_text_elements"
  ).split(" "),
);

function classifySystem(record: Native, ctx: ClassifyContext): Verdict | null {
  const { state } = ctx;
  const subtype = str(record["subtype"]) ?? "";
  const payload = obj(record["systemPayload"]) ?? {};
  switch (subtype) {
    case "ui_telemetry":
      return classifyTelemetry(obj(payload["uiEvent"]) ?? {}, record, ctx);
    case "slash_command":
      return classifySlash(payload, record, ctx);
    case "chat_compression":
      return verdict("reaction", "qwen.system.compression", () => [compacted(payload, state, ctx.full)]);
    case "custom_title":
      return verdict("session", "qwen.system.title", () => renamed(payload, state));
    case "rewind":
      return verdict("session", "qwen.system.rewind", () => rewound(record, state));
    case "session_model":
      return verdict("session", "qwen.system.model", () => contextChange({ model: str(payload["modelId"]) }, state));
    case "session_approval_mode":
      return verdict("session", "qwen.system.approval", () =>
        contextChange({ approval_policy: str(payload["mode"]) }, state),
      );
    case "background_task_completed":
      return verdict("reaction", "qwen.system.background_task", () => childOfNotification(record, "", state));
    default:
      return BOOKKEEPING.has(subtype) ? verdict("session", "qwen.system.bookkeeping") : null;
  }
}

/** Copies of what was sent to telemetry: usage of every response, duration of every call, errors of the API. */
function classifyTelemetry(event: Native, record: Native, ctx: ClassifyContext): Verdict {
  const { state } = ctx;
  const name = (str(event["event.name"]) ?? "").replace(/^qwen-code\./, "");
  if (name === "api_response") {
    return verdict("reaction", "qwen.telemetry.response", () => {
      if (agentOf(event) === null) state.responded = true;
      return usageOfTelemetry(event, record, ctx.path, state, "counted");
    });
  }
  if (name === "tool_call") return verdict("reaction", "qwen.telemetry.tool", () => settleByTelemetry(event, state));
  if (name !== "api_error") return verdict("session", "qwen.telemetry.other");
  const side = agentOf(event) !== null;
  const ahead = side ? { value: true, open: false } : agentContinues(ctx.lines);
  const code = num(event["status_code"])?.toString() ?? str(event["error_type"]);
  const message = str(event["error_message"]) ?? str(event["error"]) ?? "API error";
  const apply = (): RecordBody[] => [{ type: "failed", message, code, turn_ended: !ahead.value }];
  return verdict("reaction", "qwen.telemetry.error", apply, ahead.open);
}

/**
 * Commands typed in a terminal. One that expands to a prompt is followed by the user record with that prompt, which is
 * then reported with the text that was typed; one that uses the model by itself (`/compress`, `/goal`) is the prompt.
 */
function classifySlash(payload: Native, record: Native, ctx: ClassifyContext): Verdict {
  const { state } = ctx;
  const typed = str(payload["rawCommand"]) ?? "";
  if (payload["phase"] !== "invocation") return verdict("session", "qwen.command.result");
  if (payload["hiddenInvocation"] === true || state.kind !== "root") return verdict("session", "qwen.command.hidden");
  // 0.24 records `/compress` only when it is done.
  if (state.compressed && /^\/(?:compress|compact|summarize)\b/.test(typed)) {
    return verdict("trigger", "qwen.command.compressed", () => {
      state.compressed = false;
      state.triggers += 1;
      state.branches.set(str(record["parentUuid"]) ?? "", [ctx.line, state.follows]);
      const asked: RecordBody = { type: "user", author: "human", text: typed, kind: "command", entry: "interactive" };
      return [asked, { type: "assistant_finished", text: "", turn_ended: true }];
    });
  }
  const sent = payload["sentToModel"];
  const ahead = commandEffectAhead(ctx.lines, typeof sent === "boolean" ? sent : null);
  if (ahead.value === "model") {
    return verdict("trigger", "qwen.command.model", () => {
      state.triggers += 1;
      state.branches.set(str(record["parentUuid"]) ?? "", [ctx.line, state.follows]);
      return [{ type: "user", author: "human", text: typed, kind: "command", entry: "interactive" }];
    });
  }
  const expands = ahead.value === "expanded";
  const apply = (): RecordBody[] => {
    state.command = expands ? typed : null;
    return [];
  };
  if (expands) return verdict("setup", "qwen.command.expanded", apply, ahead.open);
  return verdict("session", "qwen.command.local", apply, ahead.open);
}

function compacted(payload: Native, state: ReaderState, full: boolean): RecordBody {
  const [first] = objects(payload["compressedHistory"]);
  const summary = first ? textIn(objects(first["parts"])) : null;
  state.responded = false;
  const reason = str(obj(payload["info"])?.["triggerReason"]);
  const trigger = reason === "manual" || reason === "auto" ? reason : "unknown";
  state.compressed = trigger === "manual";
  return { type: "compacted", trigger, summary: full ? summary : null };
}

function renamed(payload: Native, state: ReaderState): RecordBody[] {
  const title = str(payload["customTitle"]);
  const by = payload["titleSource"] === "auto" ? "agent" : "human";
  // The title is written repeatedly so that it stays near the end of the file.
  const key = `${by}:${title ?? ""}`;
  if (title === null || key === state.title) return [];
  state.title = key;
  return [{ type: "session_renamed", title, by }];
}

/**
 * The record's parent is the record it returns to: the turn whose prompt followed that record, and all later turns, are
 * taken back.
 */
function rewound(record: Native, state: ReaderState): RecordBody[] {
  const branch = state.branches.get(str(record["parentUuid"]) ?? "");
  return branch === undefined ? [] : [{ type: "cancelled", reason: "rewound", from_line: branch[0] }];
}

function contextChange(fields: Pick<ContextBody, "model" | "approval_policy">, state: ReaderState): RecordBody[] {
  const { ruling } = state;
  const body: ContextBody = { type: "context" };
  if (fields.model && fields.model !== ruling.model) body.model = ruling.model = fields.model;
  if (fields.approval_policy && fields.approval_policy !== ruling.approval)
    body.approval_policy = ruling.approval = fields.approval_policy;
  return Object.keys(body).length > 1 ? [body] : [];
}

/** How many records a verdict may look ahead. */
const REACH = 24;

interface Lookahead<T> {
  value: T;
  /** The file ended before the following records could decide. */
  open: boolean;
}

/** The first decision found in the following records. A torn last line counts as the end of the file. */
function scan<T>(lines: Lines, look: (record: Native) => T | undefined, otherwise: T): Lookahead<T> {
  for (let k = 0; k < REACH; k++) {
    const line = lines.peek(k);
    if (line === null || !line.terminated) return { value: otherwise, open: true };
    const value = line.value ? look(line.value) : undefined;
    if (value !== undefined) return { value, open: false };
  }
  return { value: otherwise, open: false };
}

/** Whether the model continued before the next human message: then an error or a cut-off reply did not end the turn. */
function agentContinues(lines: Lines): Lookahead<boolean> {
  return scan<boolean>(lines, (record) => (record["type"] === "user" ? false : isModelActivity(record)), false);
}

function isModelActivity(record: Native): true | undefined {
  if (record["type"] === "assistant" || record["type"] === "tool_result") return true;
  const event = obj(obj(record["systemPayload"])?.["uiEvent"]);
  const own = event !== null && agentOf(event) === null;
  return own && str(event["event.name"]) === "qwen-code.api_response" ? true : undefined;
}

/**
 * The effect of a slash command: a prompt it expands to, work of a model without a prompt, or an answer by the client
 * alone.
 */
type CommandEffect = "expanded" | "model" | "local";

/** `sent`: whether the command reached the model, if the record states it; otherwise the following records decide. */
function commandEffectAhead(lines: Lines, sent: boolean | null): Lookahead<CommandEffect> {
  let answered = false;
  return scan<CommandEffect>(
    lines,
    (record) => {
      if (isModelActivity(record)) return "model";
      const subtype = str(record["subtype"]);
      if (subtype === "chat_compression" || subtype === "goal_runtime") return "model";
      if (subtype === "slash_command") {
        if (obj(record["systemPayload"])?.["phase"] === "invocation") return "local";
        answered = true;
      }
      if (record["type"] !== "user") return undefined;
      return sent === true || (sent === null && !answered) ? "expanded" : "local";
    },
    "local",
  );
}

const CHATS = /^(.*)[\\/](?:projects|tmp)[\\/][^\\/]+[\\/]chats[\\/]/;
const BUILT_IN: readonly BuiltInCommand[] = [
  {
    called: "/init",
    starts:
      "You are Qwen Code, an interactive CLI agent. Analyze the current directory and generate a comprehensive QWEN.md file",
  },
];

/** Without a terminal the command itself is not recorded; its text may still be in the human's own files. */
export function templatesFor(path: string): CommandTemplates {
  return templatesIn(path, { builtIn: BUILT_IN, store: CHATS, formats: ["md", "toml"] });
}
