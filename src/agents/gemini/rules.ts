/** What each record is, and who wrote it; the names of all rules. */
import type { RecordBody, SessionMetaBody, UserBody } from "../../record/record.ts";
import { SESSION_HEADER } from "../contract.ts";
import { expandedBody, expansionText, type BuiltInCommand, type CommandTemplates } from "../kit/prompts.ts";
import { digest, iso, list, millis, obj, objects, str, type Native } from "../kit/native.ts";
import type { TemplateContext } from "../kit/reading.ts";
import { verdict, type Verdict as KitVerdict } from "../kit/verdict.ts";
import { hasNewCalls, settleCalls, settleResponses, stoppedByHuman } from "./calls.ts";
import { attachmentsIn, isCommand, shellIn, templatesIn, typedIn } from "./family.ts";
import {
  SOURCE_ID,
  isKnown,
  parentFromPath,
  partsOf,
  projectRoot,
  rememberMessage,
  textOf,
  type ReaderState,
  type StatedReply,
} from "./native.ts";
import { tokensKey, usageOf } from "./usage.ts";

/**
 * Every rule of this reader, by the name `explain` and `audit` print. FORMAT.md explains them; a test checks that both
 * lists match what sessions produce.
 */
export const REASONS = [
  "gemini.error",
  "gemini.header",
  "gemini.header.repeated",
  "gemini.line.blank",
  "gemini.line.not_json",
  "gemini.line.not_object",
  "gemini.line.nul_bytes",
  "gemini.line.too_deep",
  "gemini.line.too_large",
  "gemini.line.torn",
  "gemini.message.inherited",
  "gemini.message.repeated",
  "gemini.notice",
  "gemini.reply",
  "gemini.reply.completed",
  "gemini.rewind",
  "gemini.set.compressed",
  "gemini.set.context",
  "gemini.set.fields",
  "gemini.set.history",
  "gemini.set.repeated",
  "gemini.set.shell",
  "gemini.subagent.injected",
  "gemini.subagent.task",
  "gemini.unknown",
  "gemini.user.command",
  "gemini.user.injected",
  "gemini.user.prompt",
  "gemini.user.shell",
  "gemini.user.summary",
  "gemini.user.tool_result",
] as const;

export type Reason = (typeof REASONS)[number];

/** By the kind of input the human typed. */
const TYPED: Readonly<Record<"prompt" | "command" | "shell", Reason>> = {
  prompt: "gemini.user.prompt",
  command: "gemini.user.command",
  shell: "gemini.user.shell",
};

type Verdict = KitVerdict<Reason>;

type ClassifyContext = TemplateContext<ReaderState>;

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

/** Texts the client writes in the user's name. `Please continue.` alone is not among them: people type it too. */
const INJECTED =
  /^(?:<session_context>|<hook_context>|This is the Gemini CLI\. We are setting up the context|System: (?:Please continue\.|Potential loop detected)|Here is the user's editor context)/;
const SUMMARY = /^\s*<(?:state_snapshot|compressed_chat_history|conversation_summary)>/;
const WORKSPACE =
  /(?:Workspace Directories:|I'm currently working in the (?:following )?director(?:y|ies):)\s*(?:- )?([^\n]+)/;

/** The directory named in the context the client sets up; only needed if the store's registry is not available. */
function workspaceIn(text: string): string | null {
  return WORKSPACE.exec(text)?.[1]?.trim() ?? null;
}

type TypedKind = keyof typeof TYPED;

interface UserMessage {
  role: "result" | "injected" | "summary" | "human";
  /** What the human typed, or the whole text of a message nobody typed. */
  text: string;
  kind: TypedKind;
  attachments: number;
  /** Output of a command run with `!`. */
  printed?: string;
}

/** Determines who wrote a `user` message. */
function readUser(record: Native): UserMessage {
  const parts = partsOf(record["content"]);
  const text = textOf(record["content"]);
  const base: UserMessage = { role: "human", text, kind: "prompt", attachments: 0 };
  const results = parts.filter((part) => obj(part["functionResponse"]) !== null);
  if (results.length > 0 && text.trim() === "") return { ...base, role: "result" };
  if (INJECTED.test(text)) return { ...base, role: "injected" };
  if (SUMMARY.test(text)) return { ...base, role: "summary" };
  const shell = shellIn(text);
  if (shell) return { ...base, ...shell, kind: "shell" };
  // A slash command is stored as the prompt it expands to; what was typed is kept for display.
  const shown = textOf(record["displayContent"]);
  const typed = shown === "" ? typedIn(parts) : shown;
  return {
    role: "human",
    text: typed,
    kind: isCommand(typed) ? "command" : "prompt",
    attachments: attachmentsIn(parts),
  };
}

/** `{"$set": …}` changes the session's own fields. With `messages` it restates the whole conversation. */
function classifySet(set: Native, ctx: ClassifyContext): Verdict {
  const { state } = ctx;
  if (!Array.isArray(set["messages"])) return verdict("session", "gemini.set.fields", () => titleRecords(set, state));
  const messages = objects(set["messages"]);
  const fresh = messages.filter((message) => !isKnown(state, str(message["id"]) ?? ""));
  return { ...judgeHistory(messages, fresh, ctx), open: false };
}

/**
 * Most messages in such a record were written before. New ones were never sent as messages of their own: context set up
 * by the client, the summary that replaces a compressed history, or a `!` command with its output.
 */
function judgeHistory(messages: readonly Native[], fresh: readonly Native[], ctx: ClassifyContext): Verdict {
  const { state } = ctx;
  const users = fresh.filter((message) => message["type"] === "user").map((message) => readUser(message));
  const restate = (usage: "duplicate" | "inherited", more: RecordBody[] = []): RecordBody[] => {
    for (const message of messages) rememberMessage(state, str(message["id"]) ?? "", ctx.line);
    return [...more, ...messages.flatMap((message) => usageOf(message, usage))];
  };
  const [only] = users;
  if (fresh.length === 1 && only?.role === "human" && only.kind === "shell" && state.kind === "root") {
    const body: UserBody = { type: "user", author: "human", text: only.text, kind: "shell", entry: "interactive" };
    return verdict("trigger", "gemini.set.shell", () => {
      state.triggers += 1;
      return restate("duplicate", [body]);
    });
  }
  const summary = users.find((user) => user.role === "summary");
  if (summary) {
    const text = ctx.full ? summary.text : null;
    return verdict("reaction", "gemini.set.compressed", () =>
      restate("duplicate", [{ type: "compacted", trigger: "unknown", summary: text }]),
    );
  }
  const scaffolding = users.length === fresh.length && users.every((user) => user.role === "injected");
  if (fresh.length > 0 && scaffolding) {
    const notes = users.map((user): UserBody => ({ type: "user", author: "source", text: ctx.full ? user.text : "" }));
    const cls = state.kind === "root" ? "setup" : "reaction";
    return verdict(cls, "gemini.set.context", () =>
      restate("duplicate", [
        ...headerWithDirectory(users.map((user) => user.text).join("\n"), ctx.path, state),
        ...notes,
      ]),
    );
  }
  // A file that begins with messages it has no lines for begins with another session's history.
  if (fresh.length === messages.length && fresh.length > 0 && state.triggers === 0 && state.kind === "root")
    return verdict("inherited", "gemini.set.history", () => restate("inherited"));
  return verdict("duplicate", "gemini.set.repeated", () => restate("duplicate"));
}

/** `{"$rewindTo": id}` takes back that message and everything after it; an unknown id takes back everything. */
function classifyRewind(id: string, state: ReaderState): Verdict {
  const from = state.lines.get(digest(id)) ?? 1;
  return verdict("session", "gemini.rewind", () => [{ type: "cancelled", reason: "rewound", from_line: from }]);
}

/** A header names the session; a resume repeats it. */
function isHeader(record: Native): boolean {
  return str(record["sessionId"]) !== null && str(record["id"]) === null && !("$set" in record);
}

/** The canonical header, from the agent's own header or, if that was cut off, from the path alone. */
export function headerRecords(record: Native, path: string, state: ReaderState): RecordBody[] {
  const kind = str(record["kind"]);
  if (kind === "subagent") state.kind = "subagent";
  else if (kind === "main") state.kind = "root";
  state.meta = true;
  state.startedAt ??= iso(millis(record["startTime"]));
  const directory = str(list(record["directories"])[0]);
  state.cwd = projectRoot(path, str(record["projectHash"])) ?? directory ?? state.cwd;
  return [meta(path, state), ...titleRecords(record, state)];
}

/** A second header, if the conversation names the directory that the store does not. */
function headerWithDirectory(text: string, path: string, state: ReaderState): RecordBody[] {
  if (state.cwd !== null) return [];
  state.cwd = workspaceIn(text);
  return state.cwd === null ? [] : [meta(path, state)];
}

function meta(path: string, state: ReaderState): SessionMetaBody {
  const body: SessionMetaBody = {
    type: "session_meta",
    source: SOURCE_ID,
    kind: state.kind,
    cwd: state.cwd,
    started_at: state.startedAt,
    agent_version: null,
  };
  if (state.kind !== "root") body.parent = parentFromPath(path);
  return body;
}

/** The one-line summary that Gemini CLI generates for a session serves as its title. */
function titleRecords(record: Native, state: ReaderState): RecordBody[] {
  const title = str(record["summary"]);
  if (title === null || title === state.title) return [];
  state.title = title;
  return [{ type: "session_renamed", title, by: "agent" }];
}

const CHATS = /^(.*)[\\/]tmp[\\/][^\\/]+[\\/]chats[\\/]/;
const BUILT_IN: readonly BuiltInCommand[] = [
  {
    called: "/init",
    starts:
      "You are an AI agent that brings the power of Gemini directly into the terminal. Your task is to analyze the current directory and generate a comprehensive GEMINI.md file",
  },
];

/** Older clients record nothing about a command; its text may still be in the human's own files. */
export function templatesFor(path: string): CommandTemplates {
  return templatesIn(path, { builtIn: BUILT_IN, store: CHATS, formats: ["toml"] });
}
