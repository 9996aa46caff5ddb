import { SESSION_HEADER } from "../contract.ts";
import type { RecordBody, UserBody } from "../../format/record.ts";
import { TYPED } from "./reasons.ts";
import { readUser, textOf, type UserMessage } from "./content.ts";
import { headerRecords, isHeader, headerWithDirectory } from "./header.ts";
import { digest, list, obj, str, type Native } from "../kit/native.ts";
import { classifyRewind, classifySet } from "./patches.ts";
import { hasNewCalls, settleCalls, settleResponses, stoppedByHuman } from "./settlement.ts";
import { isKnown, rememberMessage, type ReaderState, type StatedReply } from "./state.ts";
import { tokensKey, usageOf } from "./usage.ts";
import { expandedBody, expansionText } from "../kit/expansion.ts";
import { verdict } from "../kit/verdict.ts";
import type { ClassifyContext, Verdict } from "./verdict.ts";

/** How many records after an error are checked for the agent continuing on its own. */
const REACH = 12;

export function nativeType(record: Native): string {
  if (isHeader(record)) return SESSION_HEADER;
  if ("$set" in record) return Array.isArray(obj(record["$set"])?.["messages"]) ? "$set/messages" : "$set";
  if ("$rewindTo" in record) return "$rewindTo";
  return str(record["type"]) ?? "(untyped)";
}

/** Decides without changing any state: only `apply` does, so that an uncertain verdict can be discarded. */
export function classify(record: Native, ctx: ClassifyContext): Verdict {
  const { state } = ctx;
  const rewind = str(record["$rewindTo"]);
  if (rewind !== null) return classifyRewind(rewind, state);
  const set = obj(record["$set"]);
  if (set) return classifySet(set, ctx);
  if (isHeader(record)) {
    return verdict("session", state.meta ? "gemini.header.repeated" : "gemini.header", () =>
      headerRecords(record, ctx.path, state),
    );
  }
  switch (record["type"]) {
    case "user":
      return classifyUser(record, ctx);
    case "gemini":
      return classifyReply(record, ctx);
    case "error":
      return classifyError(record, ctx);
    case "info":
    case "warning":
      return notice(record, ctx);
    default:
      return verdict("unknown", "gemini.unknown", () => [{ type: "unknown", native_type: nativeType(record) }]);
  }
}

function classifyUser(record: Native, ctx: ClassifyContext): Verdict {
  const { state, full } = ctx;
  const id = str(record["id"]) ?? "";
  if (id !== "" && isKnown(state, id)) return verdict("duplicate", "gemini.message.repeated");
  const sent = readUser(record);
  const expansion = sent.role === "human" && sent.kind === "prompt" ? ctx.templates.expansion(sent.text) : null;
  const user: UserMessage = expansion ? { ...sent, kind: "command", text: expansionText(expansion) } : sent;
  const note = (author: UserBody["author"]): RecordBody[] => {
    rememberMessage(state, id, ctx.line);
    return [{ type: "user", author, text: full ? user.text : "" }];
  };
  if (user.role === "result") {
    return verdict("reaction", "gemini.user.tool_result", () => {
      rememberMessage(state, id, ctx.line);
      return settleResponses(record, state, full);
    });
  }
  if (user.role === "summary") {
    return verdict("reaction", "gemini.user.summary", () => {
      rememberMessage(state, id, ctx.line);
      return [{ type: "compacted", trigger: "unknown", summary: full ? user.text : null }];
    });
  }
  if (state.kind !== "root") return classifyTask(state, note);
  if (user.role === "injected")
    return verdict(state.triggers === 0 ? "setup" : "reaction", "gemini.user.injected", () => [
      ...headerWithDirectory(user.text, ctx.path, state),
      ...note("source"),
    ]);
  return verdict("trigger", TYPED[user.kind], () => {
    rememberMessage(state, id, ctx.line);
    state.triggers += 1;
    if (user.kind === "shell") return [trigger(user), ...shellRecords(id, user, full)];
    return expansion ? [trigger(user), expandedBody(sent.text, full)] : [trigger(user)];
  });
}

/** A command run with `!`: it is written when it has ended, and the model does not respond to it. */
function shellRecords(id: string, user: UserMessage, full: boolean): RecordBody[] {
  const printed = user.printed ?? "";
  const call_id = `shell-${id}`;
  const exit = /^Command exited with code (-?\d+)\./.exec(printed)?.[1];
  const stopped = printed.startsWith("Command was cancelled");
  const input = full ? { command: user.text.slice(1) } : null;
  return [
    { type: "tool_started", call_id, name: "user_shell", input },
    {
      type: "tool_finished",
      call_id,
      status: stopped ? "interrupted" : exit === undefined ? "ok" : "failed",
      exit_code: exit === undefined ? null : Number(exit),
      duration_ms: null,
      ...(full ? { output: printed } : {}),
    },
    { type: "assistant_finished", text: "", turn_ended: true },
  ];
}

/**
 * A subagent's first message is the task an agent wrote for it; later ones come from its client, urging it to finish.
 */
function classifyTask(state: ReaderState, note: (author: UserBody["author"]) => RecordBody[]): Verdict {
  if (state.tasked) return verdict("reaction", "gemini.subagent.injected", () => note("source"));
  return verdict("reaction", "gemini.subagent.task", () => {
    state.tasked = true;
    return note("agent");
  });
}

function trigger(user: UserMessage): UserBody {
  const body: UserBody = {
    type: "user",
    author: "human",
    text: user.text,
    kind: user.kind,
    // Nothing in the file distinguishes a terminal from `gemini -p`; only `!` needs a terminal.
    entry: user.kind === "shell" ? "interactive" : "unknown",
  };
  if (user.attachments > 0) body.attachments = user.attachments;
  return body;
}

/**
 * A reply. It is appended when the model has answered and once more, whole, when its calls have ended: the later copy
 * corrects the earlier one, and only what it adds is reported again.
 */
function classifyReply(record: Native, ctx: ClassifyContext): Verdict {
  const { state } = ctx;
  const id = str(record["id"]) ?? "";
  const before = state.messages.get(id);
  const now: StatedReply = {
    text: textDigest(record),
    thoughts: list(record["thoughts"]).length,
    tokens: tokensKey(record),
  };
  const known = id !== "" && isKnown(state, id);
  const calls = hasNewCalls(record, state);
  const words = before ? now.text !== before.text || now.thoughts > before.thoughts : !known;
  const numbers = before ? now.tokens !== before.tokens : !known;
  const apply = (): RecordBody[] => {
    rememberMessage(state, id, ctx.line);
    state.messages.set(id, now);
    const out = replyRecords(record, before, words, ctx);
    out.push(...settleCalls(record, state, ctx.full));
    if (calls && stoppedByHuman(record)) out.push({ type: "cancelled", reason: "interrupted" });
    return [...out, ...usageOf(record, numbers ? "counted" : "duplicate")];
  };
  if (!known) return verdict("reaction", "gemini.reply", apply);
  if (calls || words || numbers) return verdict("reaction", "gemini.reply.completed", apply);
  return verdict("duplicate", "gemini.message.repeated", apply);
}

function textDigest(record: Native): string {
  const text = textOf(record["content"]);
  return text === "" ? "" : digest(text);
}

function replyRecords(
  record: Native,
  before: StatedReply | undefined,
  words: boolean,
  ctx: ClassifyContext,
): RecordBody[] {
  const { state, full } = ctx;
  const out: RecordBody[] = [];
  const model = str(record["model"]);
  if (model !== null && model !== state.model) {
    state.model = model;
    out.push({ type: "context", model });
  }
  if (!words) return out;
  for (const item of list(record["thoughts"]).slice(before?.thoughts ?? 0)) {
    const thought = obj(item);
    const text = [str(thought?.["subject"]), str(thought?.["description"])].filter(Boolean).join("\n\n");
    out.push({ type: "reasoning_finished", text: full ? text : "" });
  }
  const text = textOf(record["content"]);
  const message_id = str(record["id"]);
  // A reply without text is not an answer yet: its calls are running and will be written when they end.
  if (text === "") out.push({ type: "assistant_started", message_id, model });
  else if (textDigest(record) !== before?.text)
    out.push({ type: "assistant_finished", message_id, model, text: full ? text : "" });
  return out;
}

/** An error ends the turn unless the model answers after it. */
function classifyError(record: Native, ctx: ClassifyContext): Verdict {
  const { state } = ctx;
  const id = str(record["id"]) ?? "";
  if (id !== "" && isKnown(state, id)) return verdict("duplicate", "gemini.message.repeated");
  const ahead = agentContinues(ctx);
  const apply = (): RecordBody[] => {
    rememberMessage(state, id, ctx.line);
    return [{ type: "failed", message: textOf(record["content"]), turn_ended: !ahead.value }];
  };
  return verdict("reaction", "gemini.error", apply, ahead.open);
}

function agentContinues(ctx: ClassifyContext): { value: boolean; open: boolean } {
  for (let k = 0; k < REACH; k++) {
    const line = ctx.lines.peek(k);
    if (line === null || !line.terminated) return { value: false, open: true };
    const type = line.value?.["type"];
    if (type === "gemini") return { value: true, open: false };
    if (line.value && type === "user" && readUser(line.value).role === "human") return { value: false, open: false };
  }
  return { value: false, open: false };
}

function notice(record: Native, ctx: ClassifyContext): Verdict {
  const { state } = ctx;
  const id = str(record["id"]) ?? "";
  if (id !== "" && isKnown(state, id)) return verdict("duplicate", "gemini.message.repeated");
  const cls = state.triggers === 0 && state.kind === "root" ? "session" : "reaction";
  return verdict(cls, "gemini.notice", () => {
    rememberMessage(state, id, ctx.line);
    return [{ type: "user", author: "source", text: ctx.full ? textOf(record["content"]) : "" }];
  });
}
