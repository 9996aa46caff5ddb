/** What each message is, and who wrote it; the state of the reader, and the names of all rules. */
import type {
  ContextBody,
  RecordBody,
  SessionKind,
  SessionMetaBody,
  TriggerEntry,
  TriggerKind,
  UserBody,
} from "../../record/record.ts";
import type { EntryClass } from "../contract.ts";
import type { SingleVersionDrift } from "../kit/drift.ts";
import { openCall, requestRecords, responseRecords, type OpenCall } from "./calls.ts";
import {
  SOURCE_ID,
  dateOf,
  hasContent,
  imagesIn,
  isPromptShaped,
  noteFields,
  parseOrUndefined,
  textOf,
  typeOf,
  type GooseMessage,
} from "./native.ts";
import { nonEmpty, obj, str, type Native } from "../kit/native.ts";

/**
 * Every rule of this reader, by the name `explain` and `audit` print. FORMAT.md explains them; a test checks that both
 * lists match what sessions produce.
 */
export const REASONS = [
  "goose.assistant",
  "goose.content.unknown",
  "goose.copy.inherited",
  "goose.ledger",
  "goose.ledger.carried_forward",
  "goose.line.blank",
  "goose.line.not_json",
  "goose.line.not_message",
  "goose.line.not_object",
  "goose.line.nul_bytes",
  "goose.line.too_deep",
  "goose.line.too_large",
  "goose.line.torn",
  "goose.role.unknown",
  "goose.row.not_json",
  "goose.row.too_deep",
  "goose.session",
  "goose.user.archived",
  "goose.user.delegated",
  "goose.user.elicited",
  "goose.user.empty",
  "goose.user.hidden",
  "goose.user.local_command",
  "goose.user.recipe",
  "goose.user.results",
  "goose.user.rewritten",
  "goose.user.scheduled",
  "goose.user.summary",
  "goose.user.turn_context",
  "goose.user.typed",
  "goose.user.utility",
] as const;

export type Reason = (typeof REASONS)[number];

/** What the rest of the reader needs to know about the session. */
export interface HeadFacts {
  id: string;
  kind: SessionKind;
  /** `user`, `scheduled`, `sub_agent`, `hidden`, `terminal`, `gateway`, `acp`; rows before schema 5 have none. */
  type: string;
  entry: TriggerEntry;
  title: string | null;
  titleBy: "human" | "agent";
  model: string | null;
  /** The prompt of the recipe the session was started with, and the recipe's instructions for the model. */
  recipe: string | null;
  instructions: string | null;
}

/** From the session row, or the first line of an old file; both use the same field names. */
export function sessionFacts(id: string, row: Native): HeadFacts {
  const type = nonEmpty(row["session_type"]) ?? (nonEmpty(row["schedule_id"]) === null ? "user" : "scheduled");
  const recipe = obj(parseOrUndefined(str(row["recipe_json"]))) ?? obj(row["recipe"]);
  const config = obj(parseOrUndefined(str(row["model_config_json"])));
  return {
    id,
    type,
    kind: type === "sub_agent" ? "subagent" : type === "hidden" ? "internal" : "root",
    entry: entryOf(type),
    title: nonEmpty(row["name"]) ?? nonEmpty(row["description"]),
    titleBy: row["user_set_name"] === 1 || row["user_set_name"] === true ? "human" : "agent",
    model: nonEmpty(config?.["model_name"]),
    recipe: nonEmpty(recipe?.["prompt"]),
    instructions: nonEmpty(recipe?.["instructions"]),
  };
}

/**
 * `goose run`, `goose session` and the desktop app all create `user` sessions: how they were driven is not recorded.
 */
function entryOf(type: string): TriggerEntry {
  if (type === "terminal") return "interactive";
  return type === "acp" ? "ide" : "unknown";
}

export function sessionRecords(facts: HeadFacts, row: Native): RecordBody[] {
  const created = dateOf(row["created_at"]);
  const parent = nonEmpty(row["parent_session_id"]);
  const cwd = nonEmpty(row["working_dir"]);
  const meta: SessionMetaBody = {
    type: "session_meta",
    source: SOURCE_ID,
    kind: facts.kind,
    cwd,
    started_at: created === null ? null : new Date(created).toISOString(),
    agent_version: null,
    originator: facts.type,
    provider: nonEmpty(row["provider_name"]),
    model: facts.model,
    parent: parent === null ? null : { source: SOURCE_ID, session_id: parent },
  };
  const context: ContextBody = { type: "context" };
  if (facts.model !== null) context.model = facts.model;
  const mode = nonEmpty(row["goose_mode"]);
  if (mode !== null) context.approval_policy = mode;
  const out: RecordBody[] = [meta];
  if (Object.keys(context).length > 1) out.push(context);
  if (facts.title !== null) out.push({ type: "session_renamed", title: facts.title, by: facts.titleBy });
  return out;
}

/** The complete state of the reader between two rows. Small, plain JSON. */
export interface ReaderState {
  title: string | null;
  /** Number of prompts read so far, including the recipe of a scheduled run. */
  prompts: number;
  /** A trigger of this session itself was read: nothing after it is inherited. */
  own: boolean;
  /** Prompts archived by a compaction whose copy has not been read yet. */
  archived: string[];
  /** Messages were removed from the model's context, and the summary that replaces them has not been read yet. */
  away: boolean;
  /** The last prompt requested a compaction. */
  compacting: boolean;
  /** Usage reported last: the session row is rewritten in place, and only a change is reported again. */
  usage: string | null;
  /** Calls without a result yet, for facts that the result does not repeat. */
  calls: [id: string, call: OpenCall][];
}

const MOST_CALLS = 32;

export function freshState(): ReaderState {
  return { title: null, prompts: 0, own: false, archived: [], away: false, compacting: false, usage: null, calls: [] };
}

function noteCall(state: ReaderState, id: string, call: OpenCall): void {
  state.calls.push([id, call]);
  if (state.calls.length > MOST_CALLS) state.calls.shift();
}

function takeCall(state: ReaderState, id: string): OpenCall | null {
  const at = state.calls.findIndex(([known]) => known === id);
  return at < 0 ? null : (state.calls.splice(at, 1)[0]?.[1] ?? null);
}

/** The state a cursor carries; null for a cursor of another version, which is not partially used. */
export function loadState(saved: unknown): ReaderState | null {
  if (typeof saved !== "object" || saved === null || !("archived" in saved)) return null;
  return { ...freshState(), ...(structuredClone(saved) as ReaderState) };
}

interface Verdict {
  class: EntryClass;
  reason: Reason;
  records: RecordBody[];
}

export interface JudgeContext {
  facts: HeadFacts;
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
  const unknown = (message.content ?? []).filter((node) => !KNOWN_TYPES.has(typeOf(node)));
  for (const node of unknown) ctx.drift.countUnknownType(`content/${typeOf(node)}`);
  if (message.userVisible && !message.agentVisible && !SLASH.test(textOf(message))) ctx.state.away = true;
  const verdict = judgeRole(message, ctx);
  const strange = unknown.map((node): RecordBody => ({ type: "unknown", native_type: `content/${typeOf(node)}` }));
  const all = unknown.length > 0 && unknown.length === message.content?.length;
  if (all) return { class: "unknown", reason: "goose.content.unknown", records: strange };
  return { ...verdict, records: [...verdict.records, ...strange] };
}

const KNOWN_TYPES: ReadonlySet<string> = new Set([
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

const SPOKEN_TYPES: ReadonlySet<unknown> = new Set(["text", "thinking", "redactedThinking", "reasoning"]);

function isEmptyAnswer(message: GooseMessage): boolean {
  const { content, userVisible } = message;
  return (
    userVisible && content !== null && content.every((node) => SPOKEN_TYPES.has(node["type"])) && textOf(message) === ""
  );
}
