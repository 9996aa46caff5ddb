/** One pass over the messages of a task, as the human saw them. */
import { instant } from "../../base/io/instant.ts";
import type { Cursor, NativeRecord, ReadContext, Reading, SourceRef } from "../contract.ts";
import { parsedInput } from "../kit/blocks.ts";
import { recordIn, RecordLines, placed, placedValue, type PlacedRecord } from "../kit/bundle.ts";
import {
  freshChat,
  quiet,
  readChat,
  type Chat,
  type ChatState,
  type Rule as ChatRule,
  type Scene,
  type ReasonOf,
} from "../kit/chat.ts";
import { parseDocument } from "../kit/document-lines.ts";
import { fieldsByType } from "../kit/drift.ts";
import { cannotOpen } from "../kit/json-lines.ts";
import { iso, list, nonEmpty, num, obj, objects, str, type Native } from "../kit/native.ts";
import type { Say } from "../kit/say.ts";
import { tokensIn } from "../kit/tokens.ts";
import { readWhole, type ReadMeter } from "../../base/io/bytes.ts";
import { METADATA, sessionIdOf } from "./discover.ts";

/** Every rule of this reader, by the name `explain` and `audit` print, by what it makes of a record. See FORMAT.md. */
export const CLASSES = {
  trigger: "prompt",
  reaction: "answer call call.output client compaction error question question.answered request",
  unknown: "type.unknown",
} as const;

type Reason = ReasonOf<"tasks", typeof CLASSES>;

interface ReaderState extends ChatState {
  /** The task itself was read. */
  begun: boolean;
  /** The call whose output follows, and the question whose answer does. */
  running: string | null;
  asked: string | null;
}

type Rule = ChatRule<ReaderState, Reason>;

const CLIENT =
  "ask/resume_task ask/resume_completed_task ask/auto_approval_max_req_reached ask/mistake_limit_reached ask/condense ask/summarize_task ask/report_bug ask/new_task say/checkpoint_created say/checkpoint_saved say/task_progress say/api_req_finished say/api_req_retried say/api_req_retry_delayed say/api_req_rate_limit_wait say/error_retry say/image say/shell_integration_warning say/mcp_server_request_started say/subtask_result say/rooignore_error say/clineignore_error say/load_mcp_documentation say/info say/generate_explanation say/codebase_search_result say/user_edit_todos say/too_many_tools_warning say/sliding_window_truncation say/hook_status say/hook_output_stream ask/completion_result";

const TASKS: Chat<ReaderState, Reason> = {
  prefix: "tasks",
  freshState: () => ({ ...freshChat(), begun: false, running: null, asked: null }),
  open: (ref, from, ctx) => new RecordLines(messagesOf(ref.path, ctx.meter), from),
  sessionId: sessionIdOf,
  native: ({ type, say, ask }) => [type, say ?? ask].filter((one) => typeof one === "string").join("/") || "(untyped)",
  time: ({ ts }) => instant(num(ts) ?? Number.NaN),
  fields: fieldsByType(
    { say: "say", ask: "ask" },
    (
      "ts type text images files partial reasoning modelInfo conversationHistoryIndex conversationHistoryDeletedRange lastCheckpointHash " +
      "isCheckpointCheckedOut isOperationOutsideWorkspace multiCommandState commandCompleted checkpoint progressStatus contextCondense " +
      "contextTruncation isProtected apiProtocol isAnswered metadata"
    ).split(" "),
  ),
  classes: CLASSES,
  rules: {
    ...quiet(CLIENT, "tasks.client"),
    "say/task": prompt,
    "say/text": (scene) =>
      scene.state.begun ? { rule: "tasks.answer", says: (say) => say.text(textOf(scene.record)) } : prompt(scene),
    "say/user_feedback": prompt,
    "say/user_feedback_diff": { rule: "tasks.client" },
    "say/reasoning": { rule: "tasks.answer", says: (say, { record }) => say.thinking(textOf(record)) },
    "say/completion_result": { rule: "tasks.answer", says: answer },
    "ask/plan_mode_respond": { rule: "tasks.answer", says: answer },
    "ask/act_mode_respond": { rule: "tasks.answer", says: answer },
    "ask/followup": { rule: "tasks.question", says: question },
    "say/api_req_started": { rule: "tasks.request", says: request },
    "say/deleted_api_reqs": { rule: "tasks.request" },
    "say/api_req_deleted": { rule: "tasks.request" },
    "ask/api_req_failed": { rule: "tasks.error", says: (say, { record }) => say.fails(messageIn(textOf(record))) },
    "say/error": { rule: "tasks.error" },
    "say/diff_error": { rule: "tasks.error" },
    "say/condense_context": {
      rule: "tasks.compaction",
      says: (say, { record }) => say.compacted("unknown", nonEmpty(obj(record["contextCondense"])?.["summary"])),
    },
    "say/condense_context_error": { rule: "tasks.error" },
    "say/tool": { rule: "tasks.call", says: called },
    "ask/tool": { rule: "tasks.call", says: called },
    "say/command": { rule: "tasks.call", says: called },
    "ask/command": { rule: "tasks.call", says: called },
    "ask/use_mcp_server": { rule: "tasks.call", says: called },
    "say/use_mcp_server": { rule: "tasks.call", says: called },
    "ask/browser_action_launch": { rule: "tasks.call", says: called },
    "say/browser_action_launch": { rule: "tasks.call", says: called },
    "say/browser_action": { rule: "tasks.client" },
    "say/browser_action_result": { rule: "tasks.client" },
    "ask/command_output": { rule: "tasks.call.output", says: output },
    "say/command_output": { rule: "tasks.call.output", says: output },
    "say/mcp_server_response": { rule: "tasks.call.output", says: output },
  },
  unknown: "tasks.type.unknown",
  usage(record) {
    const says = str(record["say"]) ?? "";
    if (!/^(?:api_req_started|deleted_api_reqs|api_req_deleted)$/.test(says)) return null;
    const stated = obj(parsedInput(textOf(record)));
    const fields = { input: "tokensIn", output: "tokensOut", cached: "cacheReads", written: "cacheWrites" };
    return { tokens: tokensIn(stated, fields), model: nonEmpty(obj(record["modelInfo"])?.["modelId"]) };
  },
};

export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return readChat(TASKS, ref, cursor, ctx);
}

export function recordAt({ path }: SourceRef, line: number): NativeRecord | null {
  return recordIn(messagesOf(path), line);
}

/** One list, rewritten with every message. */
function messagesOf(path: string, meter?: ReadMeter): PlacedRecord[] {
  let text: string;
  try {
    text = readWhole(path, meter).toString("utf8");
  } catch (cause) {
    throw cannotOpen(path, cause);
  }
  try {
    return list(parseDocument(text)).map((message, i) => placedValue(message, `ui_messages.json:${i + 1}`));
  } catch {
    return [placed(text, "ui_messages.json")];
  }
}

function textOf(record: Native): string {
  return str(record["text"]) ?? "";
}

/** The first message is the task; later ones answer a question or ask for more. */
function prompt({ record, state, beside }: Scene<ReaderState>): Rule {
  const { asked } = state;
  if (asked !== null)
    return {
      rule: "tasks.question.answered",
      says(say) {
        state.asked = null;
        say.result(asked, { text: textOf(record), failed: false });
      },
    };
  return {
    rule: "tasks.prompt",
    says(say, { time }) {
      const versions = objects(beside.json(METADATA)?.["environment_history"]);
      if (!state.begun) say.header({ started_at: iso(time), agent_version: nonEmpty(versions[0]?.["cline_version"]) });
      state.begun = true;
      state.running = null;
      say.prompt(textOf(record), { entry: "ide", attachments: list(record["images"]).length });
    },
  };
}

/** The answer that ends the task, or in plan mode the turn. */
function answer(say: Say, { record }: Scene<ReaderState>): void {
  const text = textOf(record);
  say.text(nonEmpty(obj(parsedInput(text))?.["response"]) ?? text);
  say.ends();
}

function question(say: Say, { record, state, identity }: Scene<ReaderState>): void {
  state.asked = identity;
  say.call(identity, "ask_followup_question", parsedInput(textOf(record)));
}

/** The directory stands in the first request, among what the client tells the model of its surroundings. */
const DIRECTORY = /# Current (?:Working|Workspace) Directory \(([^\n]+)\) Files/;

function request(say: Say, { record, state }: Scene<ReaderState>): void {
  const { request: sent, cancelReason, streamingFailedMessage } = obj(parsedInput(textOf(record))) ?? {};
  const model = nonEmpty(obj(record["modelInfo"])?.["modelId"]);
  const cwd = DIRECTORY.exec(str(sent) ?? "")?.[1];
  state.running = null;
  if (cwd !== undefined) say.header({ cwd });
  say.started({ model });
  if (model !== null) say.settings({ model });
  if (cancelReason === "user_cancelled") say.interrupted();
  else if (cancelReason !== undefined) say.fails(nonEmpty(streamingFailedMessage) ?? str(cancelReason), false);
}

function messageIn(text: string): string {
  return nonEmpty(obj(parsedInput(text))?.["message"]) ?? text;
}

/** What became of a call stands only in what the model was told next: nothing here says whether it failed. */
function called(say: Say, { record, state, identity }: Scene<ReaderState>): void {
  const kind = str(record["say"]) ?? str(record["ask"]) ?? "";
  const input = parsedInput(textOf(record));
  const { tool, toolName } = obj(input) ?? {};
  state.running = identity;
  const name = nonEmpty(tool) ?? nonEmpty(toolName) ?? (kind === "command" ? "execute_command" : kind);
  say.call(identity, name, kind === "command" ? { command: textOf(record) } : input);
  say.result(identity, { failed: null });
}

function output(say: Say, { record, state }: Scene<ReaderState>): void {
  if (state.running !== null) say.result(state.running, { text: textOf(record), failed: null });
}
