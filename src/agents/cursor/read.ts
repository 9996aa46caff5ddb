/** One pass over a conversation of the editor, or over a transcript. */
import type { Cursor, NativeRecord, ReadContext, Reading, SourceRef } from "../contract.ts";
import { recordIn, RecordLines } from "../kit/bundle.ts";
import { freshChat, readChat, type Chat } from "../kit/chat.ts";
import { fieldsByType } from "../kit/drift.ts";
import { instant } from "../../base/io/instant.ts";
import { num, obj, str, type Native } from "../kit/native.ts";
import { tokensIn } from "../kit/tokens.ts";
import { parentOf, sessionIdOf } from "./discover.ts";
import { conversationIn, timeOf } from "./native.ts";
import {
  answeredInEditor,
  answeredInTranscript,
  askedInEditor,
  askedInTranscript,
  bubbleType,
  CLASSES,
  conversation,
  endedInTranscript,
  modelIn,
  TOOLS,
  transcriptTime,
  type ReaderState,
  type Reason,
} from "./rules.ts";

const SHARED = { prefix: "cursor", classes: CLASSES, unknown: "cursor.type.unknown", tools: TOOLS } as const;

const TRANSCRIPT: Chat<ReaderState, Reason> = {
  ...SHARED,
  freshState: (path) => ({ ...freshChat(parentOf(path) ? "subagent" : "root"), begun: false, model: null }),
  sessionId: sessionIdOf,
  native: ({ role, type }) => str(role) ?? str(type) ?? "(none)",
  time: transcriptTime,
  fields: fieldsByType({ user: "role message", assistant: "role message", turn_ended: "type status error" }),
  rules: {
    user: askedInTranscript,
    assistant: { rule: "cursor.answer", says: answeredInTranscript },
    turn_ended: { rule: "cursor.ended", says: endedInTranscript },
  },
};

export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return readChat(ref.key === undefined ? TRANSCRIPT : inEditor(ref.path, ref.key), ref, cursor, ctx);
}

/** What its head says decides how the messages are read. */
function inEditor(path: string, id: string): Chat<ReaderState, Reason> {
  const { head, records } = conversationIn(path, id);
  const kind = obj(head["subagentInfo"]) ? "subagent" : "root";
  return {
    ...SHARED,
    freshState: () => ({ ...freshChat(kind), begun: false, model: modelIn(head["modelConfig"]) }),
    open: (_ref, from) => new RecordLines(records, from),
    sessionId: () => id,
    native: bubbleType,
    time: (record) =>
      bubbleType(record) === "conversation" ? instant(num(record["createdAt"]) ?? Number.NaN) : timeOf(record),
    identity: (record) => str(record["bubbleId"]),
    rules: {
      user: askedInEditor(head),
      assistant: answeredInEditor(head),
      // Rewritten with every message, so it comes last and is read again with every change.
      conversation: { rule: "cursor.conversation", open: true, says: conversation },
    },
    usage: (record: Native, state) => ({
      tokens: tokensIn(obj(record["tokenCount"]), { input: "inputTokens", output: "outputTokens" }),
      model: modelIn(record["modelInfo"]) ?? state.model,
    }),
  };
}

export function recordAt({ path, key }: SourceRef, line: number): NativeRecord | null {
  return key === undefined ? null : recordIn(conversationIn(path, key).records, line);
}
