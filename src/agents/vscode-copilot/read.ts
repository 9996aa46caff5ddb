/** One pass over a session. */
import { instant } from "../../base/io/instant.ts";
import type { Cursor, NativeRecord, ReadContext, Reading, SourceRef } from "../contract.ts";
import { recordIn, RecordLines } from "../kit/bundle.ts";
import { freshChat, readChat, type Chat, type StatedUsage } from "../kit/chat.ts";
import { fieldsByType } from "../kit/drift.ts";
import { nonEmpty, num, obj, objects, str, type Native } from "../kit/native.ts";
import { tokensIn } from "../kit/tokens.ts";
import { sessionIdOf } from "./discover.ts";
import { recordsOf } from "./records.ts";
import { CLASSES, endTime, modelIn, RULES, TOOLS, type ReaderState, type Reason } from "./rules.ts";

const CHAT: Chat<ReaderState, Reason> = {
  prefix: "vscode",
  freshState: () => ({ ...freshChat(), begun: false, called: false }),
  open: (ref, from, ctx) => new RecordLines(recordsOf(ref.path, ctx.meter), from),
  sessionId: sessionIdOf,
  native: ({ part }) => str(part) ?? "(none)",
  time(record) {
    if (record["part"] === "end") return endTime(record);
    return record["part"] === "request" ? instant(num(record["timestamp"]) ?? Number.NaN) : null;
  },
  identity: ({ part, requestId }) => (part === "request" ? nonEmpty(requestId) : null),
  fields: fieldsByType({
    request:
      "part requestId timestamp confirmation message shouldBeRemovedOnSend agent modelId modeInfo editedFileEvents variableData isHidden responseMarkdownInfo followups vote voteDownReason slashCommand usedContext contentReferences codeCitations timeSpentWaiting isSystemInitiated systemInitiatedLabel workingSet elapsedMs responseTimestamp promptTokens outputTokens",
    document:
      "part version creationDate customTitle initialLocation inputState responderUsername requesterUsername responderAvatarIconUri requesterAvatarIconUri sessionId hasPendingEdits repoData pendingRequests lastMessageDate isImported welcomeMessage computedTitle",
  }),
  classes: CLASSES,
  rules: RULES,
  unknown: "vscode.kind.unknown",
  tools: TOOLS,
  usage: usageOf,
};

/**
 * The extension states the tokens of the last request of a turn alone. They are those of the turn if it made only one:
 * of the others nothing is known.
 */
function usageOf(record: Native): StatedUsage | null {
  if (record["part"] !== "end") return null;
  const result = obj(record["result"]);
  const metadata = obj(result?.["metadata"]);
  if (objects(metadata?.["toolCallRounds"]).length > 1) return null;
  const stated = obj(result?.["usage"]) ?? obj(record["usage"]) ?? metadata;
  return {
    tokens: tokensIn(stated, {
      input: "promptTokens",
      output: stated === metadata ? "outputTokens" : "completionTokens",
    }),
    model: nonEmpty(metadata?.["resolvedModel"]) ?? modelIn(record["modelId"]),
    response: nonEmpty(record["responseId"]) ?? nonEmpty(record["requestId"]),
  };
}

export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return readChat(CHAT, ref, cursor, ctx);
}

export function recordAt({ path }: SourceRef, line: number): NativeRecord | null {
  return recordIn(recordsOf(path), line);
}
