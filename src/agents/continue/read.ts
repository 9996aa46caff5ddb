/** One pass over a session: what each message is, and who wrote it. */
import { instant } from "../../base/io/instant.ts";
import type { Cursor, ReadContext, Reading, SourceRef } from "../contract.ts";
import { blocksOf, imagesIn, parsedInput, textOf } from "../kit/blocks.ts";
import { freshChat, readChat, type Chat, type ChatState, type Scene, type ReasonOf } from "../kit/chat.ts";
import { DocumentLines } from "../kit/document-lines.ts";
import { fieldsByType } from "../kit/drift.ts";
import { iso, list, num, obj, objects, str, type Native } from "../kit/native.ts";
import type { ChatTools, Result, Say } from "../kit/say.ts";
import { tokensIn } from "../kit/tokens.ts";
import { createdAt, sessionIdOf } from "./discover.ts";

/** Every rule of this reader, by the name `explain` and `audit` print, by what it makes of a record. See FORMAT.md. */
export const CLASSES = {
  trigger: "prompt",
  setup: "system",
  session: "document",
  reaction: "answer result thinking",
  unknown: "role.unknown",
} as const;

type Reason = ReasonOf<"continue", typeof CLASSES>;

/** No result has an exit code: a command that is `done` may have failed. */
const TOOLS: ChatTools = {
  shell: ["Bash", "runTerminalCommand", "run_terminal_command", "builtin_run_terminal_command"],
  writes: {
    Write: { path: "filepath", does: "modified" },
    Edit: { path: ["file_path", "filepath"], does: "modified" },
    MultiEdit: { path: ["file_path", "filepath"], does: "modified" },
  },
  words: {
    exit: /^Error executing tool \w+: Error \(exit code (\d+)\):/,
    denied: /\b(?:permission denied by|rejected by|denied by|cancelled by) (?:the )?user\b/i,
  },
};

const ITEM =
  "message contextItems editorState toolCallStates modifiers promptLogs isGatheringContext reasoning appliedRules conversationSummary checkpoint isBeforeCheckpoint id";

const CONTINUE: Chat<ChatState, Reason> = {
  prefix: "continue",
  freshState: () => freshChat(),
  open: (ref, from, ctx) =>
    new DocumentLines(ref, from, ctx, ({ history, ...document }) => {
      // The document does not say when it was begun.
      return [{ ...document, created: createdAt(ref.path) }, ...list(history)];
    }),
  sessionId: sessionIdOf,
  native: (record) => str(obj(record["message"])?.["role"]) ?? ("workspaceDirectory" in record ? "document" : "(none)"),
  time: ({ created }) => instant(num(created) ?? Number.NaN),
  fields: fieldsByType({
    document: "sessionId title workspaceDirectory usage created mode chatModelTitle",
    user: ITEM,
    assistant: ITEM,
    "message.": "role content toolCalls usage id toolCallId name metadata redactedThinking signature",
  }),
  inner: ({ message }) => ({ "message.": obj(message) }),
  classes: CLASSES,
  rules: {
    document: { rule: "continue.document", says: header },
    user: {
      rule: "continue.prompt",
      says(say, { record }) {
        const { content } = obj(record["message"]) ?? {};
        say.prompt(textOf(content), { attachments: imagesIn(content) });
      },
    },
    assistant: { rule: "continue.answer", says: answer },
    thinking: {
      rule: "continue.thinking",
      says: (say, { record }) => say.thinking(textOf(obj(record["message"])?.["content"])),
    },
    tool: {
      rule: "continue.result",
      says(say, { record }) {
        const { toolCallId, content } = obj(record["message"]) ?? {};
        say.result(str(toolCallId) ?? "", { text: textOf(content), failed: null });
      },
    },
    system: {
      rule: "continue.system",
      says(say, { record }) {
        say.instructions([{ kind: "base", path: null, text: textOf(obj(record["message"])?.["content"]) }]);
      },
    },
  },
  unknown: "continue.role.unknown",
  tools: TOOLS,
  usage(record) {
    const usage = obj(obj(record["message"])?.["usage"]);
    const tokens = tokensIn(usage, {
      input: "prompt_tokens",
      output: "completion_tokens",
      cached: "prompt_tokens_details.cached_tokens",
      written: "prompt_tokens_details.cache_write_tokens",
      reasoning: "completion_tokens_details.reasoning_tokens",
      inputHoldsCache: true,
    });
    return { tokens, model: str(usage?.["model"]) };
  },
};

export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return readChat(CONTINUE, ref, cursor, ctx);
}

function header(say: Say, { record, time }: Scene<ChatState>): void {
  const { workspaceDirectory, title, sessionId } = record;
  const directory = str(workspaceDirectory)?.replace(/^file:\/\//, "") ?? null;
  say.header({ cwd: directory === "" ? null : directory, started_at: iso(time) });
  // The name of every session that has none.
  if (title !== "Untitled Session" && title !== sessionId) say.title(str(title), "agent");
}

/** A response with the calls it asked for, and how they ended. One without calls ends the turn. */
function answer(say: Say, { record }: Scene<ChatState>): void {
  const { content, toolCalls, usage, id } = obj(record["message"]) ?? {};
  const states = objects(record["toolCallStates"]);
  const calls = states.length > 0 ? states.map(callOf) : objects(toolCalls).map((toolCall) => callOf({ toolCall }));
  say.reply(blocksOf(content), { id: str(id), model: str(obj(usage)?.["model"]) });
  for (const { callId, name, input } of calls) say.call(callId, name, input);
  for (const { callId, result } of calls) if (result) say.result(callId, result);
  if (calls.length === 0) say.ends();
}

interface StatedCall {
  callId: string;
  name: string;
  input: unknown;
  /** Null for a call that was never carried out, or was cut off. */
  result: Result | null;
}

function callOf({ toolCallId, toolCall, parsedArgs, status, output }: Native): StatedCall {
  const { id, function: called } = obj(toolCall) ?? {};
  const { name, arguments: args } = obj(called) ?? {};
  const text = objects(output)
    .map(({ content }) => str(content) ?? "")
    .join("\n");
  const ended = status === "done" || status === "errored" || status === "canceled";
  const result: Result = { text, failed: status === "errored" };
  // `canceled` is stored for a refusal and for an interruption.
  if (status === "canceled") result.status = TOOLS.words?.denied?.test(text) === true ? "denied" : "interrupted";
  const input = parsedArgs ?? parsedInput(args);
  const path = str(obj(input)?.["filepath"]);
  if (status === "done" && path !== null && text.startsWith("Successfully created file: "))
    result.files = [{ path, operation: "created" }];
  return { callId: str(toolCallId) ?? str(id) ?? "", name: str(name) ?? "", input, result: ended ? result : null };
}
