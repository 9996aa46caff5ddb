/** One pass over the log of one agent of a session. */
import type { Cursor, ReadContext, Reading, SourceRef } from "../contract.ts";
import { readChat, type Chat } from "../kit/chat.ts";
import { fieldsByType } from "../kit/drift.ts";
import { digest, num, obj, str, type Native } from "../kit/native.ts";
import { tokensIn } from "../kit/tokens.ts";
import { sessionIdOf, STATE_FILE } from "./discover.ts";
import { CLASSES, eventOf, freshState, RULES, TOOLS, type ReaderState, type Reason } from "./rules.ts";

const KIMI: Chat<ReaderState, Reason> = {
  prefix: "kimi",
  freshState,
  sessionId: sessionIdOf,
  native: nativeType,
  time: (record) => num(record["time"]) ?? num(record["created_at"]),
  identity,
  // The files name the version of their format only.
  version: ({ type, protocol_version }) => (type === "metadata" ? `protocol ${str(protocol_version) ?? "?"}` : null),
  fields: fieldsByType(
    {
      metadata: "protocol_version created_at",
      "turn.prompt": "input origin promptId turnId",
      "turn.steer": "input origin promptId promptIds messageId turnId",
      "turn.ended": "turnId reason durationMs error interruptReason stopReason traceId",
      "context.append_message": "message",
      "message.": "role content toolCalls origin id name toolCallId partial tools providerMessageId isError note",
      ...Object.fromEntries(
        ["step.begin", "step.end", "content.part", "tool.call", "tool.result"].map((type) => [type, "event"]),
      ),
      "event.":
        "type uuid parentUuid turnId step stepUuid part toolCallId name args display result finishReason usage messageId providerFinishReason rawFinishReason llmFirstTokenLatencyMs llmStreamDurationMs llmRequestBuildMs llmServerFirstTokenMs llmServerDecodeMs llmClientConsumeMs llmClientBlockedMs",
      "usage.record": "model usage usageScope",
      "usage.": "inputOther output inputCacheRead inputCacheCreation",
      "llm.request":
        "kind provider model modelAlias thinkingEffort thinkingKeep temperature topP maxTokens betaApi toolSelect systemPromptHash systemPrompt toolsHash messageCount turnStep attempt projection droppedCount",
    },
    ["type", "agentId", "time"],
  ),
  inner: ({ message, event, usage }) => ({ "message.": obj(message), "event.": obj(event), "usage.": obj(usage) }),
  classes: CLASSES,
  rules: RULES,
  unknown: "kimi.type.unknown",
  tools: TOOLS,
  usage: (record, { model }) => ({
    tokens: tokensIn(record["type"] === "usage.record" ? obj(record["usage"]) : null, {
      input: "inputOther",
      output: "output",
      cached: "inputCacheRead",
      written: "inputCacheCreation",
    }),
    // The record itself has the user's own name for the model.
    model: model ?? str(record["model"]),
  }),
  inherited: "kimi.id.inherited",
  beside: [
    {
      file: () => STATE_FILE,
      rule: "kimi.state",
      time: ({ updatedAt }) => num(updatedAt),
      says(say, { title, isCustomTitle }, { state }) {
        if (state.kind === "root" && str(title) !== null)
          say.title(str(title), isCustomTitle === true ? "human" : "agent");
      },
    },
  ],
};

export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return readChat(KIMI, ref, cursor, ctx);
}

function nativeType(record: Native): string {
  const type = str(record["type"]) ?? "(untyped)";
  return type === "context.append_loop_event" ? (str(eventOf(record)["type"]) ?? type) : type;
}

/** Few records have an id, but a fork copies them with their times. */
function identity(record: Native): string | null {
  if (record["type"] === "metadata") return null;
  return str(record["promptId"]) ?? `${digest(JSON.stringify(record))}@${num(record["time"]) ?? ""}`;
}
