import type { RecordBody, TriggerKind, UserBody } from "../../format/record.ts";
import type { EntryClass } from "../contract.ts";
import type { SingleVersionDrift } from "../kit/drift.ts";
import { noteFields, typeOf } from "./drift.ts";
import { hasContent, imagesIn, isPromptShaped, textOf, type GooseMessage } from "./message.ts";
import { nonEmpty, obj, str, type Native } from "./native.ts";
import type { SessionFacts } from "./session.ts";
import { noteCall, takeCall, type ReaderState } from "./state.ts";
import { openCall, requestRecords, responseRecords } from "./calls.ts";
import type { Reason } from "./reasons.ts";

export interface Verdict {
  class: EntryClass;
  reason: Reason;
  records: RecordBody[];
}

export interface JudgeContext {
  facts: SessionFacts;
  state: ReaderState;
  drift: SingleVersionDrift;
  full: boolean;
  /** The message after this one. */
  next(): GooseMessage | null;
  /** Whether a later message visible to the human has the same text. */
  isRepeatedLater(text: string): boolean;
}

/** Commands that Goose's client handles by itself: no model was asked. */
const LOCAL =
  /^\/(?:clear|prompts|help|\?|mode|extension|builtin|skills|plan|endplan|t|exit|quit|r|toggle|edit|status|doctor)\b/;
const COMPACT = /^\/(?:compact|summarize)\b/;
const SLASH = /^\/[a-z][\w-]*(?:\s|$)/i;
const INTERRUPTED_REPLY = "what would you like me to do?";
const FAILED_REPLY = "Ran into this error:";

export function judge(message: GooseMessage, ctx: JudgeContext): Verdict {
  noteFields(ctx.drift, message);
  const unknown = (message.content ?? []).filter((node) => !KNOWN.has(typeOf(node)));
  for (const node of unknown) ctx.drift.countUnknownType(`content/${typeOf(node)}`);
  if (message.userVisible && !message.agentVisible && !SLASH.test(textOf(message))) ctx.state.away = true;
  const verdict = judgeRole(message, ctx);
  const strange = unknown.map((node): RecordBody => ({ type: "unknown", native_type: `content/${typeOf(node)}` }));
  const all = unknown.length > 0 && unknown.length === message.content?.length;
  if (all) return { class: "unknown", reason: "goose.content.unknown", records: strange };
  return { ...verdict, records: [...verdict.records, ...strange] };
}

const KNOWN: ReadonlySet<string> = new Set([
  "text",
  "image",
  "toolRequest",
  "toolResponse",
  "frontendToolRequest",
  "toolConfirmationRequest",
  "actionRequired",
  "thinking",
  "redactedThinking",
  "reasoning",
  "systemNotification",
  "conversationCompacted",
  "contextLengthExceeded",
  "summarizationRequested",
]);

function judgeRole(message: GooseMessage, ctx: JudgeContext): Verdict {
  if (message.role === "assistant") {
    const records = (message.content ?? []).flatMap((node) => answerRecords(node, message, ctx));
    // An interrupted stream is not stored: a stored message without a tool request is an answer, even without text.
    if (isEmptyAnswer(message)) records.push(answerBody("", message, ctx));
    return { class: "reaction", reason: "goose.assistant", records };
  }
  if (message.role !== "user") {
    ctx.drift.countUnknownType(`role/${message.role}`);
    const records: RecordBody[] = [{ type: "unknown", native_type: `role/${message.role}` }];
    return { class: "unknown", reason: "goose.role.unknown", records };
  }
  if (hasContent(message, "toolResponse")) {
    const records = (message.content ?? []).flatMap((node) =>
      node["type"] === "toolResponse"
        ? responseRecords(node, takeCall(ctx.state, str(node["id"]) ?? ""), ctx.full)
        : [],
    );
    return { class: "reaction", reason: "goose.user.results", records };
  }
  const answer = message.content?.find((node) => obj(node["data"])?.["actionType"] === "elicitationResponse");
  if (answer) {
    const text = JSON.stringify(obj(answer["data"])?.["user_data"] ?? obj(answer["data"])?.["userData"] ?? null);
    return { class: "reaction", reason: "goose.user.elicited", records: [{ type: "user", author: "human", text }] };
  }
  if (!isPromptShaped(message)) return { class: "reaction", reason: "goose.user.empty", records: [] };
  return judgePrompt(message, ctx);
}

/** A user text is the human's if the human can see it; Goose hides texts it wrote for the model alone. */
function judgePrompt(message: GooseMessage, ctx: JudgeContext): Verdict {
  const { facts, state } = ctx;
  const text = textOf(message);
  // Time and place, written after every prompt for the model alone; a compaction hides them together with the rest.
  if (message.metadata?.["turnContext"] === true) return bystander("goose.user.turn_context", text, ctx);
  if (!message.userVisible && !(facts.kind === "subagent" && state.prompts === 0)) {
    // Archived by a compaction, which writes the prompt again below: the first copy has the time when it was asked.
    if (message.agentVisible || !ctx.isRepeatedLater(text)) return hiddenVerdict(text, ctx);
    state.archived.push(text.slice(0, 400));
    return promptVerdict("goose.user.archived", message, text, ctx);
  }
  const copy = state.archived.indexOf(text.slice(0, 400));
  if (copy >= 0) {
    state.archived.splice(copy, 1);
    return { class: "echo", reason: "goose.user.rewritten", records: [] };
  }
  if (facts.type === "hidden") return bystander("goose.user.utility", text, ctx);
  const first = state.prompts === 0;
  if (first && facts.type === "scheduled") {
    state.prompts++;
    return bystander("goose.user.scheduled", text, ctx);
  }
  if (!message.agentVisible && LOCAL.test(text)) {
    const records: RecordBody[] = [{ type: "user", author: "human", text }];
    return { class: "session", reason: "goose.user.local_command", records };
  }
  return promptVerdict(first && facts.recipe === text ? "goose.user.recipe" : "goose.user.typed", message, text, ctx);
}

/** The first hidden text after messages were removed from the model's context is the summary that replaces them. */
function hiddenVerdict(text: string, ctx: JudgeContext): Verdict {
  const { state } = ctx;
  if (!state.away) return bystander("goose.user.hidden", text, ctx);
  state.away = false;
  const trigger = state.compacting ? "manual" : "unknown";
  const records: RecordBody[] = [{ type: "compacted", trigger, summary: ctx.full ? text : null }];
  return { class: "reaction", reason: "goose.user.summary", records };
}

function promptVerdict(reason: Reason, message: GooseMessage, text: string, ctx: JudgeContext): Verdict {
  const { facts, state } = ctx;
  state.prompts++;
  state.compacting = COMPACT.test(text);
  if (facts.kind !== "root") {
    const records: RecordBody[] = [{ type: "user", author: "agent", text }];
    return { class: "reaction", reason: "goose.user.delegated", records };
  }
  const body: UserBody = {
    type: "user",
    author: "human",
    text,
    kind: kindOf(reason, message, text, ctx),
    entry: facts.entry,
  };
  const images = imagesIn(message);
  if (images > 0) body.attachments = images;
  return { class: "trigger", reason, records: [body] };
}

/** A slash command is shown to the human and hidden from the model, for which the expanded prompt follows. */
function kindOf(reason: Reason, message: GooseMessage, text: string, ctx: JudgeContext): TriggerKind {
  if (reason === "goose.user.recipe") return "command";
  if (message.agentVisible || !SLASH.test(text)) return "prompt";
  if (COMPACT.test(text)) return "command";
  const next = ctx.next();
  return next?.role === "user" && !next.userVisible && next.agentVisible ? "command" : "prompt";
}

function bystander(reason: Reason, text: string, ctx: JudgeContext): Verdict {
  return { class: "reaction", reason, records: [{ type: "user", author: "source", text: ctx.full ? text : "" }] };
}

function answerRecords(node: Native, message: GooseMessage, ctx: JudgeContext): RecordBody[] {
  switch (node["type"]) {
    case "text":
      return textRecords(str(node["text"]) ?? "", message, ctx);
    case "thinking":
    case "reasoning": {
      const text = str(node["thinking"]) ?? str(node["text"]) ?? "";
      return [{ type: "reasoning_finished", text: ctx.full ? text : "" }];
    }
    case "toolRequest":
    case "frontendToolRequest": {
      const call = openCall(node);
      if (call) noteCall(ctx.state, str(node["id"]) ?? "", call);
      return requestRecords(node, ctx.full);
    }
    case "systemNotification":
      return node["notificationType"] === "creditsExhausted"
        ? [{ type: "failed", message: nonEmpty(node["msg"]) ?? "credits exhausted", turn_ended: true }]
        : [];
    case "conversationCompacted":
      return [{ type: "compacted", trigger: "unknown" }];
    default:
      return [];
  }
}

function textRecords(text: string, message: GooseMessage, ctx: JudgeContext): RecordBody[] {
  if (text === "") return [];
  // Texts for the model alone (what to do after a compaction) are not answers to the human.
  if (!message.userVisible) return [];
  const reply = answerBody(text, message, ctx);
  if (text.startsWith(FAILED_REPLY)) return [reply, { type: "failed", message: text, turn_ended: true }];
  if (text.endsWith(INTERRUPTED_REPLY) && text.length < 80)
    return [reply, { type: "cancelled", reason: "interrupted" }];
  return [reply];
}

function answerBody(text: string, message: GooseMessage, ctx: JudgeContext): RecordBody {
  return {
    type: "assistant_finished",
    message_id: message.id,
    model: ctx.facts.model,
    text: ctx.full ? text : "",
  };
}

const WORDS: ReadonlySet<unknown> = new Set(["text", "thinking", "redactedThinking", "reasoning"]);

function isEmptyAnswer(message: GooseMessage): boolean {
  const { content, userVisible } = message;
  return userVisible && content !== null && content.every((node) => WORDS.has(node["type"])) && textOf(message) === "";
}
