/** Who wrote a user message, and what of it was typed. */
import { join } from "node:path";
import type { ContextBody, RecordBody, TriggerKind, UserBody } from "../../record/record.ts";
import { parseJson } from "../../base/io/json.ts";
import { CommandTemplates, expandedBody, expansionText, isProbe, type BuiltInCommand } from "../kit/prompts.ts";
import { finishByItem } from "./calls.ts";
import { link, linksInNotification } from "./children.ts";
import { environmentBody, injectedInstructions } from "./context.ts";
import {
  contentOf,
  echoOf,
  fieldsOf,
  fragmentOf,
  isFields,
  listOf,
  matchesEcho,
  nativePath,
  nativeTurnId,
  numberOf,
  stringOf,
  withoutEnvelopes,
  wordOf,
  type Content,
  type Echo,
  type Fields,
  type FragmentKind,
  type NativeRecord,
} from "./native.ts";
import { fromCommand, settlementOf, type Settlement } from "./settlement.ts";
import {
  DELEGATED_REASONS,
  GENERATED_REASONS,
  unknownType,
  verdict,
  withInstructions,
  type ClassifyContext,
  type Evidence,
  type PromptReason,
  type Reason,
  type Verdict,
} from "./state.ts";
import { answerToPlan, isCarryOut, isHandOver, noteGoalMessage } from "./turns.ts";

/**
 * Decides who wrote a user-role response item. Evidence from strong to weak: the provenance stated by the agent (0.166
 * and later), the echo on the very next line (Codex echoes only what a user sent), then the shape of the text.
 */
export function userMessage(ctx: ClassifyContext): Verdict {
  const { record, state } = ctx;
  const content = contentOf(record.payload.content);
  const next = state.bare ? null : ctx.ahead(0);
  // At the end of a growing file the echo may still follow and change the verdict.
  const open = next === null && !state.bare;
  const echo = echoOf(next);
  const foreign = echo !== null && echo.threadId !== null && isForwarded(ctx, echo);
  const paired = echo !== null && !foreign && matchesEcho(content, echo);
  const authors = provenance(record);
  for (const text of content.texts) noteGoalMessage(ctx, text);

  if (authors !== null && !authors.some((author) => author === "user")) {
    return generatedMessage(ctx, content, "provenance") ?? setupOf(ctx, content, "codex.provenance.generated");
  }
  if (paired && echo.generated) {
    const machine = generatedMessage(ctx, content, "echo");
    if (machine !== null) return machine;
  }
  if (paired || authors !== null) {
    if (paired) state.echoLine = record.line + 1;
    const mine = authors === null ? content : userItems(content, authors);
    const text = paired && content.texts.length > 1 && authors === null ? echo.text : mine.texts.join("\n");
    const reason = authors === null ? "codex.response_item.echoed" : "codex.response_item.provenance_user";
    const media = Math.max(content.media, paired ? echo.media : 0);
    return humanPrompt(ctx, { text, media, fromClient: echo?.fromClient === true }, reason, open);
  }
  const machine = generatedMessage(ctx, content, "marker");
  if (machine !== null) return { ...machine, tentative: open };
  const joined = content.texts.join("\n");
  const rest = withoutEnvelopes(joined);
  if (rest !== joined && rest.trim() !== "") {
    return humanPrompt(
      ctx,
      { text: rest.trim(), media: content.media, fromClient: false },
      "codex.response_item.unwrapped",
      open,
    );
  }
  return humanPrompt(
    ctx,
    { text: joined, media: content.media, fromClient: false },
    state.bare ? "codex.response_item.bare" : "codex.response_item.unechoed",
    open,
  );
}

/** An echo record: it repeats the response item before it, or is the prompt itself if there is no such item. */
export function userEcho(ctx: ClassifyContext): Verdict {
  const { record, state } = ctx;
  const echo = echoOf(record);
  if (echo === null) return unknownType(nativePath(record));
  if (state.echoLine === record.line) return verdict("echo", "codex.user_message.echo");
  if (echo.generated) {
    const content: Content = { texts: [echo.text], places: [0], media: 0 };
    const machine = generatedMessage(ctx, content, "echo");
    if (machine !== null) return machine;
  }
  if (isForwarded(ctx, echo)) return verdict("reaction", "codex.review.prompt", forwardedLink(ctx, echo));
  return humanPrompt(ctx, echo, "codex.user_message.only_event", false);
}

/** Whether the echo was forwarded from a reviewer while a review runs: Codex wrote that prompt, not the human. */
function isForwarded({ state }: ClassifyContext, echo: Echo): boolean {
  return state.review && (echo.threadId === null || echo.threadId !== state.sessionId);
}

function forwardedLink({ state }: ClassifyContext, echo: Echo): RecordBody[] {
  return echo.threadId === null ? [] : link(state, { child: echo.threadId, phase: "spawned", relation: "review" });
}

/**
 * The author of each content item as stated by the agent: its provenance type, else the kind of the item; null if
 * unknown.
 */
function provenance(record: NativeRecord): string[] | null {
  const passthrough = fieldsOf(record.payload.internal_chat_message_metadata_passthrough);
  const types = listOf(passthrough.content_item_metadata).map((item) => {
    const source = fieldsOf(item).provenance;
    return isFields(source) ? (wordOf(source.type) ?? "unknown") : "unknown";
  });
  if (types.some((type) => type !== "unknown")) return types;
  const kinds = listOf(passthrough.content_item_kinds).map((kind) => wordOf(kind) ?? "unknown");
  if (kinds.every((kind) => kind === "unknown")) return null;
  return kinds.map((kind) => (kind.startsWith("user.") ? "user" : kind));
}

/** The items that the human wrote, in a message that also contains generated ones. */
function userItems(content: Content, authors: readonly string[]): Content {
  const typed = content.places.map((place) => (authors[place] ?? "user") === "user");
  return { ...content, texts: content.texts.filter((_, i) => typed[i] === true) };
}

/**
 * Whether a human wrote the prompt. In the thread of a sub-agent most prompts are messages of its parent, written like
 * those of a human. Others are told by the task, which a client started; by an id or a context that only clients give;
 * or by the messages of other agents, where these have a kind of their own. The first prompt is always the parent's.
 */
function isHumans({ state }: ClassifyContext, { text, fromClient }: Prompt, reason: PromptReason): boolean {
  if (state.kind !== "subagent") return state.kind === "root";
  if (state.turn?.startedBy === "client" || fromClient) return true;
  if (state.mailed) return STATED.has(reason);
  return state.last !== "" && hasClientContext(text);
}

/** Rules by which Codex itself says that a user sent the message. */
const STATED: ReadonlySet<PromptReason> = new Set([
  "codex.response_item.provenance_user",
  "codex.response_item.echoed",
  "codex.user_message.only_event",
]);

type Prompt = Pick<Echo, "text" | "media" | "fromClient">;

/** Builds the trigger or, if an agent wrote the prompt, the delegation. */
function humanPrompt(ctx: ClassifyContext, prompt: Prompt, reason: PromptReason, tentative: boolean): Verdict {
  const { record, state } = ctx;
  const { text: sent, media } = prompt;
  const human = isHumans(ctx, prompt, reason);
  const turnId = nativeTurnId(record) ?? state.turn?.id ?? null;
  const isFirst = state.last === "";
  const machine = human ? unattendedPrompt(sent, isFirst) : null;
  const running = state.turn !== null && state.turn.prompts > 0 && (turnId === null || turnId === state.turn.id);
  if (state.turn) {
    state.turn.prompts++;
    // What follows in the running task is the answer to this prompt, also if a goal began the task.
    if (state.turn.id !== null) delete state.owners[state.turn.id];
  }
  state.last = "u";
  if (!running) {
    state.spoken = [];
    state.echoed = [];
  }
  const answers = answersIn(sent);
  const text = answers ?? typedText(sent);
  const body: UserBody = { type: "user", author: human ? "human" : "agent", text };
  if (turnId !== null) body.native_turn_id = turnId;
  if (media > 0) body.attachments = media;
  if (state.turn) body.ends_stated = true;
  if (!human) return verdict("reaction", DELEGATED_REASONS[reason], [body], tentative);
  if (machine !== null && machine.kind !== "schedule") {
    const author = machine.kind === "agent" ? "agent" : "source";
    return verdict("reaction", machine.reason, [{ ...body, author }], tentative);
  }
  const expansion = ctx.templates.expansion(text);
  if (expansion) body.text = expansionText(expansion);
  body.kind = answers !== null ? "answer" : expansion && !running ? "command" : kindOfPrompt(text, running);
  const onPlan = answerToPlan(ctx, text, turnId);
  if (onPlan !== null) body.plan_answer = onPlan;
  if (onPlan === "approved" && isCarryOut(text)) body.kind = "command";
  const probe = isFirst && (state.entry === "headless" || state.entry === "sdk") && isProbe(text);
  body.entry = machine || probe ? "automated" : state.entry;
  const records = expansion ? [body, expandedBody(text, ctx.full)] : [body];
  const automated = machine?.reason ?? (probe ? "codex.automation.probe" : null);
  return verdict("trigger", automated ?? reason, records, tentative);
}

/** Kinds of generated text that belong to the running turn; all others are setup for the next one. */
const REACTIONS: ReadonlySet<FragmentKind> = new Set(["aborted", "review_exit", "hook", "warning", "summary"]);

/** The verdict on a message that Codex generated; null if no part of it is known to be generated. */
function generatedMessage(ctx: ClassifyContext, content: Content, evidence: Evidence): Verdict | null {
  const kinds = content.texts.map((text) => fragmentOf(text));
  const kind = kinds.find((found) => found !== null);
  if (kind === undefined || kind === null) return null;
  const text = content.texts[kinds.indexOf(kind)] ?? "";
  if (kind === "shell") return shellFromTranscript(ctx, text);
  if (kind === "notification") {
    return verdict("reaction", GENERATED_REASONS[evidence].notification, linksInNotification(ctx.state, text));
  }
  if (REACTIONS.has(kind)) return verdict("reaction", GENERATED_REASONS[evidence][kind]);
  return setupOf(ctx, content, GENERATED_REASONS[evidence][kind]);
}

function setupOf(ctx: ClassifyContext, content: Content, reason: Reason): Verdict {
  const records: ContextBody[] = [];
  for (const text of content.texts) {
    const environment = fragmentOf(text) === "environment" ? environmentBody(text, ctx.state) : null;
    if (environment !== null) records.push(environment);
  }
  return withInstructions(ctx, verdict("setup", reason, records), () => injectedInstructions(content.texts));
}

const REQUEST = /^## My request(?: for Codex)?:[^\S\n]*\n?/gm;
/** Every section that editors and the desktop client put before the request; the list is from their prompt builder. */
const SECTION =
  /^\s*(?:# (?:Context from my IDE setup|Selected text|Files (?:mentioned|pasted) by the user|Applications mentioned by the user|Response annotations|Diff comments|Browser comments|MCP app context|Failing PR checks|Pull request merge conflict|Chrome tabs|In app browser)\b|## (?:Prior conversation with Codex|Referenced chats with Codex|Referenced ChatGPT conversation|Code review guidelines|Pull request fix|Pull request merge task|Auto resolve merge|My request(?: for Codex)?):|The attached pasted text file\(s\) contain the user's request\.|<in-app-browser-context[\s>])/i;
const DELEGATED = /^\s*<realtime_delegation>[\s\S]*?<input>([\s\S]*?)<\/input>[\s\S]*<\/realtime_delegation>\s*$/i;
const BROWSER = /^\s*<in-app-browser-context\b[^>]*>[\s\S]*?<\/in-app-browser-context>\s*/i;
/** Comments on a page or a change. */
const COMMENT =
  /^(?:Comment|Requested changes):[^\S\n]*\n([\s\S]*?)(?=^#{1,2} |^<in-app-browser-context|^Style provenance:|(?![\s\S]))/gm;

/** The part of the prompt that the human typed: editors put their context before the request. */
export function typedText(text: string): string {
  const spoken = DELEGATED.exec(text);
  if (spoken) return (spoken[1] ?? "").trim();
  if (!SECTION.test(text)) return text;
  // The last heading counts, as in the client's own display: quoted earlier conversations have such headings as well.
  const request = [...text.matchAll(REQUEST)].at(-1);
  const before = request ? text.slice(0, request.index) : text;
  const asked = request ? text.slice(request.index + request[0].length).trim() : withoutBrowser(text);
  if (asked !== "") return asked;
  // The request itself is empty: the human's text is in the comments.
  const comments = [...before.matchAll(COMMENT)].map((match) => (match[1] ?? "").trim()).filter((said) => said !== "");
  return comments.length > 0 ? comments.join("\n") : text;
}

/** Whether a client put its context before the request, which it only does for what a human typed. */
function hasClientContext(text: string): boolean {
  return SECTION.test(text) && typedText(text) !== text;
}

function withoutBrowser(text: string): string {
  return BROWSER.test(text) ? text.replace(BROWSER, "").trim() : text;
}

const REPLY = /^\s*<send_user_message_question_reply\b[^>]*>([\s\S]*)<\/send_user_message_question_reply>\s*$/;

/** The desktop client returns answers to the agent's questions as a list; null when the text is something else. */
export function answersIn(text: string): string | null {
  const inner = REPLY.exec(text)?.[1];
  if (inner === undefined) return null;
  try {
    const answers = listOf(parseJson(inner)).flatMap((one) => wordOf(fieldsOf(one).answer) ?? []);
    return answers.length > 0 ? answers.join("\n") : null;
  } catch {
    return null;
  }
}

function kindOfPrompt(text: string, running: boolean): TriggerKind {
  if (isHandOver(text)) return "command";
  return running ? "queued" : "prompt";
}

const SHELL = /<command>\n?([\s\S]*?)\n?<\/command>/;
const SHELL_EXIT = /<result>\s*Exit code: (-?\d+)\s*\n(?:Duration: ([\d.]+) seconds)?/;
const SHELL_OUTPUT = /\nOutput:\n([\s\S]*?)\n?<\/result>/;

interface ShellTranscript {
  command: string;
  exitCode: number | null;
  durationMs: number | null;
  output: string;
}

/** Parses the `<user_shell_command>` message, which records a command typed with `!`. */
function shellTranscript(text: string): ShellTranscript | null {
  const command = SHELL.exec(text)?.[1];
  if (command === undefined) return null;
  const exit = SHELL_EXIT.exec(text);
  return {
    command,
    exitCode: exit?.[1] === undefined ? null : Number(exit[1]),
    durationMs: exit?.[2] === undefined ? null : Math.round(Number(exit[2]) * 1000),
    output: SHELL_OUTPUT.exec(text)?.[1] ?? "",
  };
}

/**
 * A prompt that no human sent at that moment, although Codex records and echoes it like any other. A prompt that a
 * client sends for its own purposes is not a request. A scheduled prompt is one, because somebody set up the schedule.
 */
interface UnattendedPrompt {
  kind: "housekeeping" | "agent" | "schedule";
  reason: Reason;
}

const AUTOMATION = /^Automation: [^\n]+\nAutomation ID: \S+[^\S\n]*\n(?:Automation memory: |Last run: |\s*\n)/;
const HEARTBEAT = /^<heartbeat>\s*<automation_id>[\s\S]*<\/heartbeat>$/;
/** A message of another thread's agent, which opened or woke this thread. */
const DELEGATION = /^<codex_delegation>\s*<source_thread_id>[\s\S]*<\/codex_delegation>$/;

/** The beginning of each prompt; these fixed sentences are too long to be typed by chance. */
const HOUSEKEEPING: readonly [string, Reason][] = [
  [
    "You are a helpful assistant. You will be presented with a user prompt, and your job is to provide a short title for a task",
    "codex.housekeeping.title",
  ],
  [
    "# Overview\nGenerate 0 to 3 hyperpersonalized suggestions for what this user can do with Codex",
    "codex.housekeeping.suggestions",
  ],
  ["The following is the Codex agent history whose request action you are assessing", "codex.housekeeping.assessment"],
  [
    "The following is the Codex agent history added since your last approval assessment",
    "codex.housekeeping.assessment",
  ],
];

/** `first`: this is the first prompt of the session. Later prompts may quote such texts. */
function unattendedPrompt(text: string, first: boolean): UnattendedPrompt | null {
  const body = text.trim();
  if (AUTOMATION.test(body)) return { kind: "schedule", reason: "codex.automation.scheduled" };
  if (HEARTBEAT.test(body)) return { kind: "schedule", reason: "codex.automation.heartbeat" };
  if (DELEGATION.test(body)) return { kind: "agent", reason: "codex.agent.delegation" };
  const found = first ? HOUSEKEEPING.find(([start]) => body.startsWith(start)) : undefined;
  return found ? { kind: "housekeeping", reason: found[1] } : null;
}

/**
 * A command that the human typed with `!`. Its first record is the trigger; the transcript message after it is an echo.
 */
function shellTrigger(
  ctx: ClassifyContext,
  id: string,
  command: string,
  end: Settlement | null,
  output: string,
): RecordBody[] {
  const { state, record } = ctx;
  const root = state.kind === "root";
  const turn = nativeTurnId(record) ?? state.turn?.id ?? null;
  const body: UserBody = { type: "user", author: root ? "human" : "agent", text: `!${command}` };
  if (turn !== null) body.native_turn_id = turn;
  if (state.turn) body.ends_stated = true;
  if (root) {
    body.kind = "shell";
    body.entry = state.entry;
  }
  if (state.turn && state.turn.prompts === 0) state.turn.silent = true;
  const call = { id, name: "user_shell", input: { command }, turn };
  return [body, ...finishByItem(ctx, call, end, { output })];
}

/** `CommandExecution` or `exec_command_end` with source `user_shell`. */
export function shellFromCommand(ctx: ClassifyContext, item: Fields, id: string): Verdict {
  const command = commandText(item);
  ctx.state.shell = command;
  const output = stringOf(item.aggregated_output) ?? stringOf(item.formatted_output) ?? "";
  const records = shellTrigger(ctx, id, command, fromCommand(item), output);
  return verdict(ctx.state.kind === "root" ? "trigger" : "reaction", "codex.user_shell.command", records);
}

/** The `<user_shell_command>` message: an echo after a command item, or the only record in files without such items. */
function shellFromTranscript(ctx: ClassifyContext, text: string): Verdict {
  const { state, record } = ctx;
  const transcript = shellTranscript(text);
  if (state.shell !== null && (transcript === null || transcript.command === state.shell)) {
    state.shell = null;
    return verdict("echo", "codex.user_shell.transcript");
  }
  if (transcript === null) return verdict("reaction", "codex.user_shell.unreadable");
  const { command, exitCode, durationMs, output } = transcript;
  const end: Settlement =
    exitCode === null
      ? settlementOf("ok")
      : { ...settlementOf(exitCode === 0 ? "ok" : "failed"), exitCode, durationMs };
  const records = shellTrigger(ctx, `line-${record.line}`, command, end, output);
  return verdict(state.kind === "root" ? "trigger" : "reaction", "codex.user_shell.transcript_only", records);
}

/** The command as a person would write it, without the shell invocation that Codex adds. */
export function commandText(item: Fields): string {
  if (typeof item.command === "string") return item.command;
  const words = listOf(item.command).flatMap((word) => wordOf(word) ?? numberOf(word)?.toString() ?? []);
  const [shell, flag, script] = words;
  const wrapped = words.length === 3 && /(?:sh|bash|zsh|pwsh|powershell|cmd)(?:\.exe)?$/i.test(shell ?? "");
  return wrapped && /^[-/]/.test(flag ?? "") ? (script ?? "") : words.join(" ");
}

const BUILT_IN: readonly BuiltInCommand[] = [
  {
    called: "/init",
    starts: "Generate a file named AGENTS.md that serves as a contributor guide for this repository.",
  },
];

const SESSIONS = /^(.*)[\\/](?:archived_)?sessions[\\/]/;

/** Custom commands are stored beside the sessions: one file each, without subfolders. */
export function templatesFor(path: string): CommandTemplates {
  const home = SESSIONS.exec(path)?.[1];
  return new CommandTemplates(
    BUILT_IN,
    home === undefined ? [] : [{ dir: join(home, "prompts"), formats: ["md"], nested: null }],
  );
}
