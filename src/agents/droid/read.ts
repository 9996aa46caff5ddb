/** One pass over a session: what each record is, and who wrote it. */
import type { Cursor, ReadContext, Reading, SourceRef } from "../contract.ts";
import { blocksOf, imagesIn, textOf, type Block } from "../kit/blocks.ts";
import {
  freshChat,
  readChat,
  type Chat,
  type ChatState,
  type Rule as ChatRule,
  type Scene,
  type ReasonOf,
} from "../kit/chat.ts";
import { fieldsByType } from "../kit/drift.ts";
import { millis, obj, objects, str, type Native } from "../kit/native.ts";
import type { ChatTools, Result, Say } from "../kit/say.ts";
import { Recent, RecentMap } from "../kit/state.ts";
import { tokensIn } from "../kit/tokens.ts";
import { sessionIdOf, settingsOf } from "./discover.ts";

/** Every rule of this reader, by the name `explain` and `audit` print, by what it makes of a record. See FORMAT.md. */
export const CLASSES = {
  trigger: "prompt",
  setup: "context",
  session: "session settings",
  reaction: "answer compaction outcome result shown",
  early: "answer.early outcome.early",
  inherited: "id.inherited",
  duplicate: "id.repeated",
  unknown: "type.unknown",
} as const;

type Reason = ReasonOf<"droid", typeof CLASSES>;

interface ReaderState extends ChatState {
  /** What was shown to the human last: the reason if the turn then fails. */
  shown: string | null;
  /** Prompts that were read, and the ends of turns whose prompt was not. */
  prompts: Recent;
  ends: RecentMap<string>;
}

type Rule = ChatRule<ReaderState, Reason>;

const TOOLS: ChatTools = {
  shell: ["Execute"],
  writes: {
    Create: { path: "file_path", does: "created" },
    Edit: { path: "file_path", does: "modified" },
    MultiEdit: { path: "file_path", does: "modified" },
  },
  words: {
    exit: /^Error: Command failed \(exit code: (\d+)\)/,
    interrupted: /^Error: Command terminated by signal: SIG(?:TERM|INT|KILL)/,
    denied: /^.*\b(?:rejected|denied|cancelled|canceled) by (?:the )?user\b/i,
  },
};

const DROID: Chat<ReaderState, Reason> = {
  prefix: "droid",
  freshState: () => ({ ...freshChat(), shown: null, prompts: new Recent(256), ends: new RecentMap(8) }),
  sessionId: sessionIdOf,
  native: (record) => {
    const [type, role] = [str(record["type"]) ?? "(untyped)", str(obj(record["message"])?.["role"])];
    return role === null ? type : `${type}/${role}`;
  },
  time: ({ timestamp }) => millis(timestamp),
  identity: ({ type, id, timestamp }) =>
    type === "session_start" || str(id) === null ? null : `${str(id)}@${str(timestamp) ?? ""}`,
  // The files name the version of their format only.
  version: ({ type, version }) =>
    type === "session_start" ? `session v${typeof version === "number" ? version : "?"}` : null,
  fields: fieldsByType(
    {
      session_start: "title owner version cwd hostId isSessionTitleManuallySet",
      message: "parentId message",
      "message.":
        "role content visibility interactionMode modelId openaiMessageId reasoningEffort chatCompletionReasoningContent chatCompletionReasoningField",
      agent_turn_outcome: "turnId reason resultKind",
      compaction_state:
        "summaryText summaryTokens summaryKind anchorMessage removedCount systemInfo systemInfoText uiRenderCutoffMessageId",
    },
    ["type", "id", "timestamp"],
  ),
  inner: ({ message }) => ({ "message.": obj(message) }),
  classes: CLASSES,
  rules: {
    session_start: {
      rule: "droid.session",
      says(say, { record }) {
        say.header({ cwd: str(record["cwd"]) });
        // The name of every session that has none.
        if (record["title"] !== "New Session")
          say.title(str(record["title"]), record["isSessionTitleManuallySet"] === true ? "human" : "agent");
      },
    },
    "message/user": user,
    "message/assistant": ({ record, state }) => ({
      rule: awaitsPrompt(str(record["parentId"]) ?? "", state) ? "droid.answer.early" : "droid.answer",
      says(say) {
        const { content, modelId, openaiMessageId } = obj(record["message"]) ?? {};
        say.reply(blocksOf(content), { id: str(openaiMessageId) ?? str(record["id"]), model: str(modelId) });
      },
    }),
    compaction_state: {
      rule: "droid.compaction",
      says: (say, { record }) => say.compacted("unknown", str(record["summaryText"])),
    },
    agent_turn_outcome({ record, state }) {
      const [turn, reason] = [str(record["turnId"]) ?? "", str(record["reason"]) ?? ""];
      if (state.prompts.has(turn)) return { rule: "droid.outcome", says: (say) => outcome(say, state, reason) };
      return { rule: "droid.outcome.early", says: () => state.ends.set(turn, reason) };
    },
  },
  unknown: "droid.type.unknown",
  tools: TOOLS,
  repeated: "droid.id.repeated",
  inherited: "droid.id.inherited",
  beside: [{ file: settingsOf, rule: "droid.settings", says: totals }],
};

export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return readChat(DROID, ref, cursor, ctx);
}

/** A text of the client, in a block of its own. */
const REMINDER = /^\s*<system-reminder>[\s\S]*<\/system-reminder>\s*$/;

/** Errors are stored in the user's role too, and only shown to the human. */
function user({ record, state, beside, path }: Scene<ReaderState>): Rule {
  const { content, visibility } = obj(record["message"]) ?? {};
  const results = blocksOf(content).filter(({ type }) => type === "tool_result");
  if (results.length > 0) return { rule: "droid.result", says: (say) => results.forEach((one) => settle(say, one)) };
  const text = textOf(content);
  if (visibility === "user_only")
    return {
      rule: "droid.shown",
      says(say) {
        state.shown = text;
        say.note("source", text);
      },
    };
  const typed = blocksOf(content).filter(({ type, text: part }) => type === "text" && !REMINDER.test(str(part) ?? ""));
  const isTyped = visibility === undefined && (typed.length > 0 || imagesIn(content) > 0);
  if (!isTyped) return { rule: "droid.context", says: (say) => say.note("source", text) };
  const tags = objects(beside.json(settingsOf(path))?.["tags"]).map(({ name }) => name);
  const entry = tags.includes("exec") ? "headless" : "unknown";
  const id = str(record["id"]) ?? "";
  return {
    rule: "droid.prompt",
    says(say) {
      state.shown = null;
      state.prompts.add(id);
      say.prompt(textOf(typed), { entry, attachments: imagesIn(content) });
      const end = state.ends.get(id);
      state.ends.delete(id);
      if (end !== undefined) outcome(say, state, end);
    },
  };
}

/** The context of a prompt is named after it: an answer to the context alone was written before the prompt. */
function awaitsPrompt(parent: string, { prompts }: ReaderState): boolean {
  const [, prompt] = /^context-(.+)$/.exec(parent) ?? [];
  return prompt !== undefined && !prompts.has(prompt);
}

/** Of every command that ran to its end the last line is its exit code. */
const EXIT = /\[Process exited with code (-?\d+)\]\s*$/;

function settle(say: Say, { tool_use_id, content, is_error }: Block): void {
  const text = str(content) ?? textOf(content);
  const exit = EXIT.exec(text)?.[1];
  // A tool that was not there is refused without being called an error.
  const result: Result = { text, failed: is_error === true || /^Error: Tool not (?:permitted|found)\b/.test(text) };
  if (exit !== undefined) result.exit = Number(exit);
  say.result(str(tool_use_id) ?? "", result);
}

function outcome(say: Say, state: ReaderState, reason: string): void {
  if (reason === "completed") say.ends();
  else if (/cancel|interrupt|abort/i.test(reason)) say.interrupted();
  else say.fails(state.shown ?? reason);
}

/** Tokens are only stated for the whole session, so no turn owns them. */
function totals(say: Say, { tokenUsage, model }: Native, { path }: Pick<Scene<ReaderState>, "path">): void {
  const tokens = tokensIn(obj(tokenUsage), {
    input: "inputTokens",
    output: "outputTokens",
    cached: "cacheReadTokens",
    written: "cacheCreationTokens",
    reasoning: "thinkingTokens",
  });
  const response_id = `droid/${sessionIdOf(path)}`;
  if (tokens) say.record({ type: "usage", response_id, model: str(model), verdict: "counted", ...tokens });
}
