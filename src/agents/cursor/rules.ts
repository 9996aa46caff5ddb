/** What the records of both stores are, and who wrote them. */
import { clockIn } from "./clock.ts";
import { blocksOf, type Block } from "../kit/blocks.ts";
import type { ChatState, Rule as ChatRule, Scene as ChatScene, ReasonOf } from "../kit/chat.ts";
import { iso, list, nonEmpty, num, obj, objects, str, type Native } from "../kit/native.ts";
import type { ChatTools, Result, Say } from "../kit/say.ts";
import { parentOf } from "./discover.ts";
import { parsed, SOURCE_ID } from "./native.ts";

/** Every rule of this reader, by the name `explain` and `audit` print, by what it makes of a record. See FORMAT.md. */
export const CLASSES = {
  trigger: "prompt",
  setup: "context",
  session: "conversation",
  reaction: "answer delegated empty ended summary thinking tool",
  unknown: "type.unknown",
} as const;

export type Reason = ReasonOf<"cursor", typeof CLASSES>;

export interface ReaderState extends ChatState {
  /** The header was said: what is said of the whole conversation stands behind its messages. */
  begun: boolean;
  /** The model stated last. */
  model: string | null;
}

type Scene = ChatScene<ReaderState>;
type Rule = ChatRule<ReaderState, Reason>;

const PATHS = ["relativeWorkspacePath", "target_file", "file_path", "targetFile", "path"];
const WRITES = { path: PATHS, does: "modified" } as const;
const DELETES = { path: PATHS, does: "deleted" } as const;

export const TOOLS: ChatTools = {
  shell: ["run_terminal_cmd", "run_terminal_command", "run_terminal_command_v2", "Shell"],
  writes: {
    edit_file: WRITES,
    edit_file_v2: WRITES,
    search_replace: WRITES,
    write: WRITES,
    MultiEdit: WRITES,
    edit_notebook: WRITES,
    reapply: WRITES,
    apply_patch: WRITES,
    delete_file: DELETES,
  },
};

// The editor's messages, called bubbles.

const [HUMAN, MODEL] = [1, 2];
/** What a message holds that has neither text nor a call. */
const SUMMARY = 22;

/** Name of a record's type. */
export function bubbleType(record: Native): string {
  if ("bubbleId" in record || typeof record["type"] === "number") {
    if (record["type"] === HUMAN) return "user";
    return record["type"] === MODEL ? "assistant" : `type ${String(record["type"])}`;
  }
  return "composerId" in record ? "conversation" : "(none)";
}

/** The head of a conversation is its last record: a message before it may still change, and its status is the end of it. */
function endOf({ lines }: Scene): Native | null {
  const next = lines.peek()?.value ?? null;
  return next && bubbleType(next) === "conversation" ? next : null;
}

function begun(say: Say, { state }: Scene, head: Native): void {
  if (state.begun) return;
  state.begun = true;
  const parent = nonEmpty(obj(head["subagentInfo"])?.["parentComposerId"]);
  say.header({
    cwd: nonEmpty(head["folder"]),
    started_at: iso(num(head["createdAt"])),
    parent: parent === null ? null : { source: SOURCE_ID, session_id: parent },
    role: nonEmpty(obj(head["subagentInfo"])?.["subagentTypeName"]),
  });
}

/** `default` stands for a model that Cursor chose. */
export function modelIn(value: unknown): string | null {
  const name = nonEmpty(obj(value)?.["modelName"]);
  return name === "default" ? null : name;
}

export function askedInEditor(head: Native): (scene: Scene) => Rule {
  return ({ record, state }) => {
    const text = str(record["text"]) ?? "";
    const attachments = list(record["images"]).length;
    const says = (work: (say: Say) => void) => (say: Say, scene: Scene) => {
      begun(say, scene, head);
      state.model = modelIn(record["modelInfo"]) ?? state.model;
      work(say);
    };
    if (state.kind !== "root") return { rule: "cursor.delegated", says: says((say) => say.note("agent", text)) };
    if (text.trim() === "" && attachments === 0) return { rule: "cursor.empty", says: says(() => undefined) };
    return { rule: "cursor.prompt", says: says((say) => say.prompt(text, { entry: "ide", attachments })) };
  };
}

export function answeredInEditor(head: Native): (scene: Scene) => Rule {
  return (scene) => {
    const { record } = scene;
    const end = endOf(scene);
    const call = obj(record["toolFormerData"]);
    const name = nonEmpty(call?.["name"]);
    const open = end !== null;
    const says = (say: Say): void => {
      begun(say, scene, head);
      speak(say, scene);
      if (call && name !== null) carriedOut(say, call, name, str(record["bubbleId"]) ?? scene.identity);
      if (record["capabilityType"] === SUMMARY) say.compacted("unknown", null);
      if (end) endedAs(say, str(end["status"]));
    };
    return { rule: ruleOf(record, name), open, says };
  };
}

function ruleOf(record: Native, tool: string | null): Reason {
  if (tool !== null) return "cursor.tool";
  if (nonEmpty(record["text"]) !== null) return "cursor.answer";
  if (record["capabilityType"] === SUMMARY) return "cursor.summary";
  return thoughtsIn(record) === "" ? "cursor.empty" : "cursor.thinking";
}

function thoughtsIn({ thinking, allThinkingBlocks }: Native): string {
  const whole = nonEmpty(obj(thinking)?.["text"]);
  return (
    whole ??
    objects(allThinkingBlocks)
      .flatMap(({ text }) => nonEmpty(text) ?? [])
      .join("\n")
  );
}

function speak(say: Say, { record, state }: Scene): void {
  state.model = modelIn(record["modelInfo"]) ?? state.model;
  const thoughts = thoughtsIn(record);
  const text = str(record["text"]) ?? "";
  const blocks: Block[] = thoughts === "" ? [] : [{ type: "thinking", thinking: thoughts }];
  if (text !== "") blocks.push({ type: "text", text });
  if (blocks.length > 0) reply(say, blocks, state.model);
}

/** A text may end its turn: not every end is stated. */
function reply(say: Say, blocks: readonly Block[], model: string | null): void {
  say.reply(blocks, { model });
  for (const body of say.records) if (body.type === "assistant_finished") body.unfinished = false;
}

/** How the last turn ended; of those before it nothing is stored. */
function endedAs(say: Say, status: string | null): void {
  if (status === "completed") say.ends(status);
  else if (status === "aborted") say.interrupted();
  else if (status === "error") say.fails(null);
}

/** A message holds a call together with its end. */
function carriedOut(say: Say, call: Native, name: string, bubble: string): void {
  const id = nonEmpty(call["toolCallId"]) ?? bubble;
  const params = parsed(call["params"]);
  const raw = parsed(call["rawArgs"]);
  say.call(id, name, params || raw ? { ...params, ...raw } : (call["params"] ?? null));
  const result = resultOf(call, name);
  if (result) say.result(id, result);
  const child = nonEmpty(parsed(call["result"])?.["agentId"]);
  if (child !== null) say.child(child, "spawned", { role: nonEmpty(params?.["subagentType"]), call: id });
}

const ENDED = "RUN_TERMINAL_COMMAND_ENDED_REASON_";

/** Null while it is not known to have ended. */
function resultOf(call: Native, name: string): Result | null {
  const { status } = call;
  const result = parsed(call["result"]);
  const text = nonEmpty(result?.["output"]) ?? nonEmpty(result?.["contents"]) ?? str(call["result"]) ?? "";
  const refused = result?.["rejected"] === true || (call["userDecision"] === "rejected" && !hasRun(call, result));
  if (refused) return { text, failed: true, status: "denied" };
  const ended: Result = { text, failed: status === "error", name };
  if (status === "error") return { ...ended, error: errorIn(call["error"]) ?? text };
  if (status === "cancelled") return { ...ended, status: "interrupted" };
  if (status !== "completed") return null;
  if (TOOLS.shell?.includes(name) === true) return result ? { ...ended, ...endOfCommand(result) } : ended;
  return ended;
}

/** A decision may be about the change that a call made, after it made it. */
function hasRun(call: Native, result: Native | null): boolean {
  const started = num(obj(call["additionalData"])?.["startedAtMs"]) !== null;
  return started || (result !== null && ("beforeContentId" in result || "diff" in result));
}

/**
 * The numbers are those of a message of Protocol Buffers: `exitCode` is left out if it is 0, `exitCodeV2` is not. Without
 * either the command ended with 0 only if it ended by itself.
 */
function endOfCommand(result: Native): Partial<Result> {
  const exit = num(result["exitCodeV2"]) ?? num(result["exitCode"]);
  if (exit !== null) return { exit };
  const reason = (str(result["endedReason"]) ?? "").replace(ENDED, "");
  if (reason === "EXECUTION_ABORTED" || reason === "USER_ABORTED") return { status: "interrupted" };
  const goesOn = result["isRunningInBackground"] === true || result["poppedOutIntoBackground"] === true;
  const byItself = result["notInterrupted"] === true && (reason === "" || reason === "EXECUTION_COMPLETED");
  return { exit: byItself && !goesOn ? 0 : null };
}

function errorIn(error: unknown): string | null {
  return nonEmpty(parsed(error)?.["clientVisibleErrorMessage"]) ?? nonEmpty(error);
}

/** What is said of the conversation as a whole. */
export function conversation(say: Say, scene: Scene): void {
  const { record } = scene;
  begun(say, scene, record);
  say.title(str(record["name"]), "agent");
  const model = modelIn(record["modelConfig"]);
  if (model !== null) say.settings({ model });
}

// Transcripts of the CLI, and of the editor's agent.

const QUERY = /<user_query>\s*([\s\S]*)<\/user_query>/;
const CLOCK = /<timestamp>([^<]{1,100})<\/timestamp>/;
/** A text that begins with an element, as everything does that Cursor puts before a question. */
const ELEMENT = /^\s*<[a-z_]+>/;
const REDACTED = /\s*\[REDACTED\]\s*$/;

function wordsIn(record: Native): string {
  const blocks = blocksOf(obj(record["message"])?.["content"]);
  return blocks.flatMap(({ type, text }) => (type === "text" ? [str(text) ?? ""] : [])).join("\n");
}

/** Only prompts have a time, to the minute. */
export function transcriptTime(record: Native): number | null {
  return record["role"] === "user" ? clockIn(CLOCK.exec(wordsIn(record))?.[1] ?? "") : null;
}

export function askedInTranscript({ record, state }: Scene): Rule {
  const words = wordsIn(record);
  const text = (QUERY.exec(words)?.[1] ?? words.replace(CLOCK, "")).trim();
  const says = (work: (say: Say) => void) => (say: Say, scene: Scene) => {
    opened(say, scene);
    work(say);
  };
  if (state.kind !== "root") return { rule: "cursor.delegated", says: says((say) => say.note("agent", text)) };
  if (text === "") return { rule: "cursor.empty", says: says(() => undefined) };
  if (!QUERY.test(words) && ELEMENT.test(text))
    return { rule: "cursor.context", says: says((say) => say.note("source", words)) };
  return { rule: "cursor.prompt", says: says((say) => say.prompt(text)) };
}

export function answeredInTranscript(say: Say, scene: Scene): void {
  opened(say, scene);
  const { record, line } = scene;
  const blocks = blocksOf(obj(record["message"])?.["content"]).map((block, i): Block => {
    // Cursor keeps no words of some models.
    if (block.type === "text") return { ...block, text: (str(block["text"]) ?? "").replace(REDACTED, "") };
    return block.type === "tool_use" ? { ...block, id: `${line}.${i + 1}` } : block;
  });
  reply(say, blocks, null);
}

export function endedInTranscript(say: Say, { record }: Scene): void {
  const status = str(record["status"]);
  if (status === "error") say.fails(nonEmpty(record["error"]));
  else endedAs(say, status === "success" ? "completed" : status);
}

/** The path names the parent, and a file of the project its directory. */
function opened(say: Say, { state, path, beside }: Scene): void {
  if (state.begun) return;
  state.begun = true;
  const depth = parentOf(path) === null ? "../.." : "../../..";
  say.header({
    cwd: nonEmpty(beside.json(`${depth}/.workspace-trusted`)?.["workspacePath"]),
    parent: parentOf(path),
  });
}
