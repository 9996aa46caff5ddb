/** Who wrote a message, and what its parts are. */
import { join } from "node:path";
import type { ContextBody, RecordBody, TriggerEntry, TriggerKind, UserBody } from "../../record/record.ts";
import type { EntryClass } from "../contract.ts";
import { CommandTemplates, expandedBody, expansionText, type BuiltInCommand } from "../kit/prompts.ts";
import {
  NO_INSTRUCTIONS,
  addInstructions,
  changedInstructions,
  toInstructions,
  type Instruction,
  type Instructions,
} from "../kit/instructions.ts";
import { list, nonEmpty, num, obj, str, type Native } from "../kit/native.ts";
import { toolRecords } from "./calls.ts";
import {
  corrupt,
  fingerprint,
  finishedAt,
  noteFields,
  partType,
  pieceTime,
  time,
  unfold,
  type Bundle,
  type EntryDraft,
  type Message,
  type MessageContext,
  type MessagePart,
  type NativeRow,
  type Reason,
} from "./native.ts";
import { usageOf, type UsageOrigin } from "./usage.ts";

/** The reason for a part, by its type. */
const PART: Readonly<Record<string, Reason>> = {
  agent: "opencode.part.agent",
  compaction: "opencode.part.compaction",
  file: "opencode.part.file",
  patch: "opencode.part.patch",
  reasoning: "opencode.part.reasoning",
  retry: "opencode.part.retry",
  snapshot: "opencode.part.snapshot",
  "source-url": "opencode.part.source-url",
  "step-finish": "opencode.part.step-finish",
  "step-start": "opencode.part.step-start",
  subtask: "opencode.part.subtask",
  text: "opencode.part.text",
  tool: "opencode.part.tool",
};

/** Builds a message from its rows; null if the message's own row cannot be parsed. */
export function assembleMessage(bundle: Bundle): Message | null {
  const { message: row, parts } = bundle;
  if (!row.data) return null;
  const { message: data, inline } = unfold(row.data);
  const pieces: MessagePart[] = [
    ...inline.map((part) => ({ data: part, row: null })),
    ...parts.map((part) => ({ data: part.data, row: part })),
  ];
  return messageOf(row, data, pieces);
}

export function messageOf(row: NativeRow, data: Native, pieces: readonly MessagePart[]): Message {
  const identity = fingerprint(
    data,
    pieces.map((piece) => piece.data),
  );
  return { id: row.id, data, row, pieces, identity, time: time(obj(data["time"])?.["created"]) ?? row.time };
}

/** One draft per row of the message, in order. */
export function readMessage(bundle: Bundle, message: Message | null, ctx: MessageContext): EntryDraft[] {
  if (!message) return [corrupt(bundle.message, "message"), ...bundle.parts.map((row) => orphan(row, bundle, ctx))];
  const role = str(message.data["role"]);
  noteFields(ctx.drift, `message/${role ?? ""}`, message.data);
  if (role === "user") return userDrafts(message, ctx);
  if (role === "assistant") return assistantDrafts(message, ctx);
  const native = `message/${role ?? "(no role)"}`;
  ctx.drift.countUnknownType(native);
  const head = messageDraft(message, "unknown", "opencode.message.unknown", native, [
    { type: "unknown", native_type: native },
  ]);
  return [head, ...rowsOf(message).map((piece, i) => partDraft(piece, i, message, ctx, () => []))];
}

function userDrafts(message: Message, ctx: MessageContext): EntryDraft[] {
  const verdict = judgeUser(message, ctx);
  const head = messageDraft(message, verdict.class, verdict.reason, "message/user", verdict.records);
  addInstructions(head, systemTexts(message.data, ctx), ctx.full);
  if (verdict.class === "trigger" || verdict.reason === "opencode.user.delegated") head.turnId = message.id;
  return [head, ...rowsOf(message).map((piece, i) => partDraft(piece, i, message, ctx, userPart))];
}

/** The text of a prompt is reported with its message; its parts only need to be of a known type. */
function userPart(part: Native): RecordBody[] | null {
  return USER_PARTS.has(str(part["type"]) ?? "") ? [] : null;
}

const USER_PARTS: ReadonlySet<string> = new Set([
  "text",
  "file",
  "agent",
  "subtask",
  "compaction",
  "snapshot",
  "patch",
  "step-start",
  "reasoning",
]);

function assistantDrafts(message: Message, ctx: MessageContext): EntryDraft[] {
  const opening = openingRecords(message, ctx);
  const head = messageDraft(message, "reaction", "opencode.assistant.message", "message/assistant", opening);
  addInstructions(head, systemTexts(message.data, ctx), ctx.full);
  const turn = nonEmpty(message.data["parentID"]);
  const drafts = [head];
  for (const [i, piece] of message.pieces.entries()) {
    const recordsOf = (part: Native): RecordBody[] | null => partRecords(part, i, message, ctx);
    if (piece.row) drafts.push(partDraft(piece, i, message, ctx, recordsOf));
    else if (piece.data) head.records.push(...inlineRecords(piece.data, recordsOf, ctx));
  }
  const last = drafts.at(-1) ?? head;
  // The end is reported with the last row of the message, after everything the message did.
  last.records.push(...closingRecords(message, ctx));
  if (turn !== null) for (const each of drafts) each.turnId = turn;
  return drafts;
}

function inlineRecords(
  part: Native,
  recordsOf: (part: Native) => RecordBody[] | null,
  ctx: MessageContext,
): RecordBody[] {
  const records = recordsOf(part);
  if (records) return records;
  ctx.drift.countUnknownType(partType(part));
  return [{ type: "unknown", native_type: partType(part) }];
}

function rowsOf(message: Message): MessagePart[] {
  return message.pieces.filter((piece) => piece.row !== null);
}

function partDraft(
  piece: MessagePart,
  index: number,
  message: Message,
  ctx: MessageContext,
  recordsOf: (part: Native) => RecordBody[] | null,
): EntryDraft {
  const row = piece.row ?? message.row;
  const identity = `${message.identity}/${index}`;
  if (!piece.data) return { ...corrupt(row, "part"), identity };
  const native = partType(piece.data);
  noteFields(ctx.drift, native, piece.data);
  const records = recordsOf(piece.data);
  const start = time(obj(piece.data["time"])?.["start"]) ?? time(obj(obj(piece.data["state"])?.["time"])?.["start"]);
  const base = { native, time: pieceTime(piece, message, start), bytes: row.bytes, identity };
  const reason = PART[str(piece.data["type"]) ?? ""];
  if (records && reason) return { ...base, class: "reaction", reason, records };
  ctx.drift.countUnknownType(native);
  return {
    ...base,
    class: "unknown",
    reason: "opencode.part.unknown",
    records: [{ type: "unknown", native_type: native }],
  };
}

/** A part whose message cannot be parsed: its author is unknown, but its calls are still reported. */
function orphan(row: NativeRow, bundle: Bundle, ctx: MessageContext): EntryDraft {
  const message = messageOf(bundle.message, {}, [{ data: row.data, row }]);
  const recordsOf = (part: Native): RecordBody[] | null =>
    part["type"] === "text" || part["type"] === "reasoning" ? [] : partRecords(part, 0, message, ctx);
  const made = partDraft(
    { data: row.data, row },
    0,
    { ...message, identity: `${bundle.message.id}/${row.id}` },
    ctx,
    recordsOf,
  );
  return { ...made, identity: `${bundle.message.id}/${row.id}` };
}

function messageDraft(
  message: Message,
  cls: EntryDraft["class"],
  reason: EntryDraft["reason"],
  native: string,
  records: readonly RecordBody[],
): EntryDraft {
  return {
    class: cls,
    reason,
    native,
    time: message.time,
    bytes: message.row.bytes,
    records: [...records],
    identity: message.identity,
  };
}

const SHELL = "The following tool was executed by the user";
/** How much of a prompt is remembered to recognise its replay. */
const REPLAY_CHARS = 400;

interface UserVerdict {
  class: EntryClass;
  reason: Reason;
  records: RecordBody[];
}

/** Determines who wrote a user message from its parts: `synthetic` marks text added by the client. */
function judgeUser(message: Message, ctx: MessageContext): UserVerdict {
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
    ctx.state.prompt = sent.slice(0, REPLAY_CHARS);
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
  state.prompt = asked.text.slice(0, REPLAY_CHARS);
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
  return (unquotePrompt(text) ?? text).slice(0, REPLAY_CHARS) === prompt;
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

/**
 * `opencode run` quotes every argument that contains a space and escapes the quotes inside (`cli/cmd/run.ts`), then
 * appends piped input after a line break. A single quoted argument is shown as it was typed; anything else is left
 * unchanged, because several arguments cannot be distinguished from quotes that are part of the prompt.
 */
export function unquotePrompt(text: string): string | null {
  if (!text.startsWith('"')) return null;
  const close = closingQuote(text);
  if (close < 0) return null;
  const rest = text.slice(close + 1);
  if (rest !== "" && !rest.startsWith("\n")) return null;
  const inner = text.slice(1, close);
  if (!inner.includes(" ")) return null;
  return inner.replaceAll('\\"', '"') + rest;
}

function closingQuote(text: string): number {
  for (let at = text.indexOf('"', 1); at >= 0; at = text.indexOf('"', at + 1)) {
    if (text[at - 1] !== "\\") return at;
    // An argument that itself ends in a backslash looks escaped; the end of the text decides.
    if (at === text.length - 1) return at;
  }
  return -1;
}

/** Finish reasons that only hand over to the tools: another message follows. */
const GOES_ON = new Set(["tool-calls", "unknown"]);

function openingRecords(message: Message, ctx: MessageContext): RecordBody[] {
  const context = contextRecords(message.data, ctx);
  return [...context, { type: "assistant_started", message_id: message.id, model: modelOf(message.data) }];
}

/** The records for one part of an answer; null for a type that has not been checked. */
function partRecords(part: Native, index: number, message: Message, ctx: MessageContext): RecordBody[] | null {
  const model = modelOf(message.data);
  switch (part["type"]) {
    case "text": {
      const text = str(part["text"]) ?? "";
      // The summary of a compaction is not an answer; it is reported with the compaction.
      if (text === "" || message.data["summary"] === true) return [];
      return [{ type: "assistant_finished", message_id: message.id, model, text: ctx.full ? text : "" }];
    }
    case "reasoning":
      return nonEmpty(part["text"]) === null
        ? []
        : [{ type: "reasoning_finished", text: ctx.full ? (str(part["text"]) ?? "") : "" }];
    case "tool":
      return toolRecords(part, ctx.full);
    case "step-finish": {
      const usage = usageOf(obj(part["tokens"]), `${message.identity}/${index}`, statedIn(message, ctx));
      return usage ? [usage] : [];
    }
    case "retry":
      return [{ type: "failed", message: errorText(obj(part["error"])), turn_ended: false }];
    case "step-start":
    case "snapshot":
    case "patch":
    case "file":
    case "agent":
    case "source-url":
    case "compaction":
    case "subtask":
      return [];
    default:
      return null;
  }
}

function statedIn({ data }: Message, ctx: MessageContext): UsageOrigin {
  return { message: data, model: modelOf(data), version: ctx.facts.version };
}

/** What the message as a whole says about its end; reported at its last row. */
function closingRecords(message: Message, ctx: MessageContext): RecordBody[] {
  const { data } = message;
  const { state } = ctx;
  const out: RecordBody[] = [];
  const model = modelOf(data);
  const finished = finishedAt(data);
  if (finished !== null) state.busyUntil = Math.max(state.busyUntil ?? 0, finished);
  // A message's own tokens are those of its last step; they count only if no step states any.
  if (!message.pieces.some((piece) => piece.data?.["type"] === "step-finish" && obj(piece.data["tokens"]))) {
    const usage = usageOf(obj(data["tokens"]), `${message.identity}/m`, statedIn(message, ctx));
    if (usage) out.push(usage);
  }
  const summary = data["summary"] === true;
  const asked = state.compaction;
  if (summary && finished !== null && !obj(data["error"])) {
    out.push({ type: "compacted", trigger: asked ?? "unknown", summary: ctx.full ? answerText(message) : null });
    state.compaction = null;
  }
  const error = obj(data["error"]);
  if (error) out.push(ending(error, ctx));
  else if (finished !== null && endsTurn(message) && (!summary || asked === "manual")) {
    out.push({
      type: "assistant_finished",
      message_id: message.id,
      model,
      text: "",
      finish_reason: str(data["finish"]),
      turn_ended: true,
    });
  }
  return out;
}

/**
 * Releases that write no `finish` end a message when it is complete; the turn builder reopens a turn that continues.
 */
function endsTurn(message: Message): boolean {
  const finish = str(message.data["finish"]) ?? lastStepReason(message);
  return finish === null || !GOES_ON.has(finish);
}

function lastStepReason(message: Message): string | null {
  const last = message.pieces.findLast((piece) => piece.data?.["type"] === "step-finish");
  return nonEmpty(last?.data?.["reason"]);
}

function ending(error: Native, ctx: MessageContext): RecordBody {
  const name = str(error["name"]) ?? "";
  if (name === "MessageAbortedError") return { type: "cancelled", reason: "interrupted" };
  const status = num(obj(error["data"])?.["statusCode"]);
  return {
    type: "failed",
    message: errorText(error),
    code: status === null ? name : String(status),
    // An overflow is followed by a compaction, after which the work continues.
    turn_ended: !(name === "ContextOverflowError" && leadsToCompaction(ctx.next())),
  };
}

function leadsToCompaction(next: Message | null): boolean {
  return next?.pieces.some((piece) => piece.data?.["type"] === "compaction") ?? false;
}

function errorText(error: Native | null): string {
  return nonEmpty(obj(error?.["data"])?.["message"]) ?? nonEmpty(error?.["message"]) ?? str(error?.["name"]) ?? "error";
}

function answerText(message: Message): string {
  return message.pieces.flatMap(({ data }) => (data?.["type"] === "text" ? [str(data["text"]) ?? ""] : [])).join("\n");
}

/** The model a message names: user messages name the chosen one, assistant messages the one that answered. */
function modelOf(message: Native): string | null {
  const chosen = obj(message["model"]);
  return nonEmpty(message["modelID"]) ?? nonEmpty(chosen?.["modelID"]) ?? nonEmpty(chosen?.["id"]);
}

/** Settings that changed with this message. */
export function contextRecords(message: Native, ctx: MessageContext): RecordBody[] {
  const { ruling } = ctx.state;
  const body: ContextBody = { type: "context" };
  const model = modelOf(message);
  if (model !== null && model !== ruling.model) body.model = ruling.model = model;
  const effort = nonEmpty(obj(message["model"])?.["variant"]) ?? nonEmpty(message["variant"]);
  if (effort !== null && effort !== ruling.effort) body.effort = ruling.effort = effort;
  const cwd = nonEmpty(obj(message["path"])?.["cwd"]);
  if (cwd !== null && cwd !== (ruling.cwd ?? ctx.facts.cwd)) body.cwd = ruling.cwd = cwd;
  return Object.keys(body).length > 1 ? [body] : [];
}

const INSTRUCTION_FILE = /^Instructions from: (.+)$/m;
/** The date, the directory and a list of its files: where the work was done, not how. */
const ENVIRONMENT = /^Here is some useful information about the environment[\s\S]*$/m;

/**
 * Answers of 0.x and 1.0 hold the model's instructions in `system`, with instruction files appended; a prompt may have
 * its own.
 */
function systemTexts(message: Native, { state }: MessageContext): Instructions {
  const stated = message["system"];
  const text =
    str(stated) ??
    list(stated)
      .flatMap((part) => str(part) ?? [])
      .join("\n");
  if (text === "") return NO_INSTRUCTIONS;
  const [own = "", ...files] = text.split(new RegExp(INSTRUCTION_FILE, "gm"));
  const base = own.replace(ENVIRONMENT, "").trim();
  const found: Instruction[] = [{ kind: "base", path: null, text: base }];
  for (let i = 0; i + 1 < files.length; i += 2)
    found.push({ kind: "instructions", path: (files[i] ?? "").trim(), text: (files[i + 1] ?? "").trim() });
  return changedInstructions(toInstructions(found), state.ruling.instructions);
}

const BUILT_IN: readonly BuiltInCommand[] = [
  {
    called: "/init",
    starts:
      "Please analyze this codebase and create an AGENTS.md file containing:\n1. Build/lint/test commands - especially for running a single test",
  },
  {
    called: "/init",
    starts:
      "Create or update `AGENTS.md` for this repository.\n\nThe goal is a compact instruction file that helps future OpenCode sessions",
    typed: /^User-provided focus or constraints \(honor these\):\n([\s\S]*?)\n\n## /m,
  },
];

const DATA_DIRECTORY = /^(.*)[\\/]\.local[\\/]share[\\/]opencode[\\/]/;

/** Custom commands are stored with the settings, in the same home directory as the data. */
export function templatesFor(path: string): CommandTemplates {
  const home = DATA_DIRECTORY.exec(path)?.[1];
  const config = home === undefined ? null : join(home, ".config", "opencode");
  const folders = config === null ? [] : ["command", "commands"].map((name) => join(config, name));
  return new CommandTemplates(
    BUILT_IN,
    folders.map((dir) => ({ dir, formats: ["md"], nested: "/" })),
  );
}
