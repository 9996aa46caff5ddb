import type { RecordBody, TriggerEntry, TriggerKind, UserBody } from "../../format/record.ts";
import type { EntryClass } from "../contract.ts";
import { contextRecords } from "./context.ts";
import type { Message, MessageContext } from "./draft.ts";
import { nonEmpty } from "./native.ts";
import { expandedBody, expansionText } from "../kit/expansion.ts";
import { obj, str, type Native } from "../kit/native.ts";
import { unquotePrompt } from "./quoting.ts";
import type { Reason } from "./reasons.ts";

const SHELL = "The following tool was executed by the user";
/** How much of a prompt is remembered to recognise its replay. */
const KEEP = 400;

export interface UserVerdict {
  class: EntryClass;
  reason: Reason;
  records: RecordBody[];
}

/** Determines who wrote a user message from its parts: `synthetic` marks text added by the client. */
export function judgeUser(message: Message, ctx: MessageContext): UserVerdict {
  const parts = message.pieces.flatMap((piece) => (piece.data ? [piece.data] : []));
  const words = parts.filter(isTyped).map((part) => str(part["text"]) ?? "");
  const attachments = parts.filter((part) => part["type"] === "file").length;
  const compaction = parts.find((part) => part["type"] === "compaction");
  const subtask = parts.find((part) => part["type"] === "subtask");
  const injected = parts.filter(isSynthetic).map((part) => str(part["text"]) ?? "");
  const human = words.length > 0 || attachments > 0 || parts.some((part) => part["type"] === "agent");

  if (ctx.facts.child) return delegatedVerdict(message, words, injected, subtask ?? null, ctx);
  if (human) {
    // `run` puts a line break before piped input, even if there is none.
    const text = words.join("\n").replace(/\n$/, "");
    if (isReplay(text, ctx)) return bystander("opencode.user.replayed", text, ctx);
    const typed = ctx.facts.quoted ? unquotePrompt(text) : null;
    const entry: TriggerEntry = typed !== null || ctx.facts.headless ? "headless" : "unknown";
    const sent = typed ?? text;
    const expansion = ctx.templates.expansion(sent);
    const kind: TriggerKind = isQueued(message, ctx) ? "queued" : expansion ? "command" : "prompt";
    const asked = { kind, entry, attachments };
    if (!expansion) return trigger(message, ctx, { ...asked, reason: "opencode.user.typed", text: sent });
    const called = { ...expansion, typed: unquotePrompt(expansion.typed) ?? expansion.typed };
    const found = trigger(message, ctx, { ...asked, reason: "opencode.user.expanded", text: expansionText(called) });
    ctx.state.prompt = sent.slice(0, KEEP);
    return { ...found, records: [...found.records, expandedBody(sent, ctx.full)] };
  }
  if (subtask) {
    const command = nonEmpty(subtask["command"]);
    const text = command === null ? (str(subtask["prompt"]) ?? "") : `/${command}`;
    return trigger(message, ctx, { reason: "opencode.user.subtask", text, kind: "command" });
  }
  if (compaction) return compacted(message, compaction, ctx);
  if (injected.some((text) => text.startsWith(SHELL))) {
    const text = `!${commandOf(ctx.next())}`;
    return trigger(message, ctx, { reason: "opencode.user.shell", text, kind: "shell" });
  }
  if (parts.length === 0) return { class: "reaction", reason: "opencode.user.empty", records: [] };
  return bystander("opencode.user.synthetic", injected.join("\n"), ctx);
}

interface PromptFacts {
  reason: Reason;
  text: string;
  kind: TriggerKind;
  entry?: TriggerEntry;
  attachments?: number;
}

function trigger(message: Message, ctx: MessageContext, asked: PromptFacts): UserVerdict {
  const { state, facts } = ctx;
  state.prompt = asked.text.slice(0, KEEP);
  state.overflow = false;
  state.compaction = asked.reason === "opencode.user.compact" ? "manual" : null;
  const body: UserBody = {
    type: "user",
    author: "human",
    // Prompts are also kept in lean reads: lists of turns show them.
    text: asked.text,
    native_turn_id: message.id,
    kind: asked.kind,
    entry: asked.entry ?? (facts.headless ? "headless" : "unknown"),
    // Every message states when it was complete.
    ends_stated: true,
  };
  if (asked.attachments) body.attachments = asked.attachments;
  return { class: "trigger", reason: asked.reason, records: [body, ...contextRecords(message.data, ctx)] };
}

/** `/compact` is a human action that uses a model; an automatic compaction belongs to the turn it interrupts. */
function compacted(message: Message, part: Native, ctx: MessageContext): UserVerdict {
  if (part["auto"] === false)
    return trigger(message, ctx, { reason: "opencode.user.compact", text: "/compact", kind: "command" });
  ctx.state.compaction = "auto";
  ctx.state.overflow = part["overflow"] === true;
  return { class: "reaction", reason: "opencode.user.compaction", records: [] };
}

/** In a session started by an agent nobody types: requests were written by the parent. */
function delegatedVerdict(
  message: Message,
  words: readonly string[],
  injected: readonly string[],
  subtask: Native | null,
  ctx: MessageContext,
): UserVerdict {
  const asked = words.length > 0 ? words.join("\n") : str(subtask?.["prompt"]);
  if (asked === null) return bystander("opencode.user.synthetic", injected.join("\n"), ctx);
  const body: UserBody = { type: "user", author: "agent", text: asked, native_turn_id: message.id, ends_stated: true };
  const records = [body, ...contextRecords(message.data, ctx)];
  return { class: "reaction", reason: "opencode.user.delegated", records };
}

function bystander(reason: Reason, text: string, ctx: MessageContext): UserVerdict {
  return { class: "reaction", reason, records: [{ type: "user", author: "source", text: ctx.full ? text : "" }] };
}

function isTyped(part: Native): boolean {
  return (
    part["type"] === "text" && part["synthetic"] !== true && part["ignored"] !== true && nonEmpty(part["text"]) !== null
  );
}

function isSynthetic(part: Native): boolean {
  return part["type"] === "text" && (part["synthetic"] === true || part["ignored"] === true);
}

/** After an overflow OpenCode compacts and writes the last prompt again as a new message. */
function isReplay(text: string, ctx: MessageContext): boolean {
  const { overflow, prompt } = ctx.state;
  if (!overflow || prompt === null) return false;
  return (unquotePrompt(text) ?? text).slice(0, KEEP) === prompt;
}

function isQueued(message: Message, ctx: MessageContext): boolean {
  return message.time !== null && ctx.state.busyUntil !== null && message.time < ctx.state.busyUntil;
}

function commandOf(next: Message | null): string {
  for (const piece of next?.pieces ?? []) {
    if (piece.data?.["type"] !== "tool") continue;
    const command = str(obj(obj(piece.data["state"])?.["input"])?.["command"]);
    if (command !== null) return command;
  }
  return "";
}
