/** What each event is, and who caused it; the names of all rules. */
import { STATE } from "./discover.ts";
import type { TouchedFile } from "../../record/record.ts";
import { blocksOf, imagesIn, parsedInput, textOf, type Block } from "../kit/blocks.ts";
import {
  freshChat,
  type ChatState,
  type Judge,
  type Rule as ChatRule,
  type Scene as ChatScene,
  type ReasonOf,
} from "../kit/chat.ts";
import { nonEmpty, num, obj, objects, str, type Native } from "../kit/native.ts";
import type { ChatTools, Result, Say } from "../kit/say.ts";
import { SavedMap } from "../kit/state.ts";
import { lookAhead } from "../kit/verdict.ts";
import { parentOf } from "./discover.ts";
import { modelNamed, statedIn } from "./usage.ts";

/** Every rule of this reader, by the name `explain` and `audit` print, by what it makes of a record. See FORMAT.md. */
export const CLASSES = {
  trigger: "message.user",
  setup: "system_prompt",
  session: "state",
  reaction: [
    "action agent_error condensation error message.agent message.delegated message.injected",
    "observation pause rejected telemetry",
  ],
  duplicate: "id.repeated",
  unknown: "kind.unknown",
} as const;

export type Reason = ReasonOf<"openhands", typeof CLASSES>;
type Scene = ChatScene<ReaderState>;
type Rule = ChatRule<ReaderState, Reason>;

export interface ReaderState extends ChatState {
  /** Responses whose events were read. */
  responses: SavedMap<boolean>;
  /** When the agent said nothing and called nothing: at once the client asks it to go on, as if a human had. */
  silent: number | null;
}

export function freshState(path: string): ReaderState {
  return { ...freshChat(parentOf(path) ? "subagent" : "root"), responses: new SavedMap<boolean>(), silent: null };
}

/** `execute_bash` in early releases of the SDK. */
export const TOOLS: ChatTools = { shell: ["terminal", "execute_bash"] };

const hidden: Rule = { rule: "openhands.telemetry" };
const paused: Rule = { rule: "openhands.pause", says: (say) => say.interrupted() };
const injected: Rule = { rule: "openhands.message.injected", says: noted("source") };

export const RULES: Readonly<Record<string, Judge<ReaderState, Reason>>> = {
  SystemPromptEvent: { rule: "openhands.system_prompt", says: instructed },
  "MessageEvent/user": asked,
  "MessageEvent/agent": answered,
  "MessageEvent/environment": injected,
  "MessageEvent/hook": injected,
  ActionEvent: acted,
  ObservationEvent: { rule: "openhands.observation", says: observed },
  UserRejectObservation: { rule: "openhands.rejected", says: settles("rejection_reason", "denied") },
  // The call named a tool or arguments that do not exist.
  AgentErrorEvent: { rule: "openhands.agent_error", says: settles("error", "failed") },
  ConversationErrorEvent: {
    rule: "openhands.error",
    says: (say, { record }) => say.fails(nonEmpty(record["detail"]) ?? str(record["code"])),
  },
  PauseEvent: paused,
  InterruptEvent: paused,
  // Nothing tells `/condense` from a history that is too long.
  Condensation: {
    rule: "openhands.condensation",
    says: (say, { record }) => say.compacted("unknown", str(record["summary"])),
  },
  CondensationRequest: { rule: "openhands.condensation" },
  HookExecutionEvent: hidden,
  ConversationStateUpdateEvent: hidden,
  LLMCompletionLogEvent: hidden,
  TokenEvent: hidden,
};

function instructed(say: Say, { record, beside, path }: Scene): void {
  // Neither changes later; what does is said by the state itself.
  say.header({ cwd: cwdOf(beside.json(STATE) ?? {}), parent: parentOf(path) });
  const texts = [record["system_prompt"], record["dynamic_context"]].map((one) => str(obj(one)?.["text"]));
  say.instructions(texts.flatMap((text) => (text ? [{ kind: "base", path: null, text }] : [])));
}

/** What holds for the whole conversation. */
export function stateOf(say: Say, document: Native, path: string): void {
  const model = str(obj(obj(document["agent"])?.["llm"])?.["model"]);
  const [provider] = model?.includes("/") ? model.split("/", 1) : [null];
  say.header({
    cwd: cwdOf(document),
    model: modelNamed(model),
    provider: provider ?? null,
    parent: parentOf(path),
  });
}

function cwdOf(document: Native): string | null {
  return str(obj(document["workspace"])?.["working_dir"]);
}

/** Sooner than anybody types, in ms. */
const AT_ONCE = 1000;

/** Instructions that skills add are in a field of their own, so the message is as typed. */
function asked({ record, state, time }: Scene): Rule {
  const content = obj(record["llm_message"])?.["content"];
  // A sender is named if another agent wrote it.
  if (state.kind !== "root" || str(record["sender"]) !== null)
    return { rule: "openhands.message.delegated", says: noted("agent") };
  if (state.silent !== null && time !== null && time - state.silent < AT_ONCE)
    return { rule: "openhands.message.injected", says: noted("source") };
  return {
    rule: "openhands.message.user",
    says: (say, { templates }) => say.prompt(textOf(content), { attachments: imagesIn(content), templates }),
  };
}

function noted(author: "source" | "agent"): (say: Say, scene: Scene) => void {
  return (say, { record }) => say.note(author, textOf(obj(record["llm_message"])?.["content"]));
}

/** The state is written after the event: the newest response is read again until its tokens are there. */
function isUncounted({ record, beside, lines }: Scene): boolean {
  const response = str(record["llm_response_id"]);
  if (response === null || statedIn(beside).has(response)) return false;
  return lookAhead(lines, ({ llm_response_id: later }) => (str(later) ?? response) !== response || null).open;
}

function answered(scene: Scene): Rule {
  return {
    rule: "openhands.message.agent",
    open: isUncounted(scene),
    says: (say, { record, state, time }) => {
      const message = obj(record["llm_message"]) ?? {};
      say.reply([...thoughtsIn(message), ...blocksOf(message["content"])], { id: str(record["llm_response_id"]) });
      state.silent = textOf(message["content"]).trim() === "" ? time : null;
      if (state.silent === null) say.ends();
    },
  };
}

/** `finish` carries the last answer, and ends the turn when it has been executed. */
function acted(scene: Scene): Rule {
  const { tool_name: tool, tool_call: call, thought, action } = scene.record;
  const { arguments: input, name } = obj(call) ?? {};
  return {
    rule: "openhands.action",
    open: isUncounted(scene),
    says: (say, { record }) => {
      say.reply([...thoughtsIn(record), ...blocksOf(thought)], { id: str(record["llm_response_id"]) });
      if (tool === "finish") say.text(str(obj(action)?.["message"]) ?? "");
      say.call(str(record["tool_call_id"]) ?? "", str(tool) ?? str(name) ?? "", parsedInput(input) ?? action);
    },
  };
}

/** Encrypted reasoning is left out. */
function thoughtsIn(message: Native): Block[] {
  const texts = [
    str(message["reasoning_content"]),
    ...objects(message["thinking_blocks"]).map((block) => str(block["thinking"])),
  ];
  // Some models state the same in both.
  return [...new Set(texts)].flatMap((thinking) => (thinking ? [{ type: "thinking", thinking }] : []));
}

function observed(say: Say, { record }: Scene): void {
  const seen = obj(record["observation"]) ?? {};
  const { is_error: isError, error, exit_code: exit, timeout, output, content } = seen;
  // Of a command that goes on, or whose terminal died, no code is known: -1 stands for that.
  const code = num(exit) ?? num(obj(seen["metadata"])?.["exit_code"]);
  const text = textOf(content) || str(output) || (str(error) ?? "");
  const failed = timeout === true ? null : isError === true || error === true || nonEmpty(error) !== null;
  const stated = { text, failed, exit: code === null || code < 0 ? null : code, files: filesIn(seen) };
  say.result(...callOf(record, stated));
  if (record["tool_name"] === "finish") say.ends();
}

function filesIn({ command, path, file_path: file, prev_exist: existed, is_new_file: isNew }: Native): TouchedFile[] {
  const at = str(path) ?? str(file);
  const writes = ["create", "str_replace", "insert", "undo_edit"].includes(str(command) ?? "") || isNew !== undefined;
  if (at === null || !writes) return [];
  const created = isNew === true || (command === "create" && existed === false);
  return [{ path: at, operation: created ? "created" : "modified" }];
}

function settles(field: string, status: "denied" | "failed"): (say: Say, scene: Scene) => void {
  return (say, { record }) => say.result(...callOf(record, { text: str(record[field]) ?? "", status, failed: true }));
}

function callOf(record: Native, result: Result): [string, Result] {
  return [str(record["tool_call_id"]) ?? "", { ...result, name: str(record["tool_name"]) }];
}
