/** One pass over the messages of a session, or of one of its sub-agents. */
import type { Cursor, ReadContext, Reading, SourceRef } from "../contract.ts";
import { freshChat, readChat, type Chat } from "../kit/chat.ts";
import { DocumentLines } from "../kit/document-lines.ts";
import { fieldsByType } from "../kit/drift.ts";
import { list, millis, num, obj, str, type Native } from "../kit/native.ts";
import { tokensIn } from "../kit/tokens.ts";
import { isSubagent, manifestOf, sessionIdOf } from "./discover.ts";
import { CLASSES, manifest, RULES, TOKENS, TOOLS, type ReaderState, type Reason } from "./rules.ts";

const MESSAGE = "id role content ts modelInfo metrics metadata";

const CLINE: Chat<ReaderState, Reason> = {
  prefix: "cline",
  freshState: (path) => ({ ...freshChat(isSubagent(path) ? "subagent" : "root"), working: false, wraps: false }),
  open: (ref, from, ctx) => new DocumentLines(ref, from, ctx, itemsIn),
  sessionId: sessionIdOf,
  native: ({ role, version }) => str(role) ?? (version === undefined ? "(no role)" : "document"),
  time: ({ ts, started_at }) => num(ts) ?? millis(started_at),
  // A restored session begins with copies that keep their ids.
  identity: ({ id, ts }) => (str(id) === null ? null : `${str(id)}@${num(ts) ?? ""}`),
  version: (record) => str(obj(record["origin"])?.["version"]),
  fields: fieldsByType({
    document: "version updated_at agent sessionId taskType origin system_prompt",
    user: MESSAGE,
    assistant: MESSAGE,
    "metrics.": "inputTokens outputTokens cacheReadTokens cacheWriteTokens cost",
  }),
  inner: ({ metrics }) => ({ "metrics.": obj(metrics) }),
  classes: CLASSES,
  rules: RULES,
  unknown: "cline.role.unknown",
  tools: TOOLS,
  usage: ({ metrics, modelInfo, id }) => ({
    tokens: tokensIn(obj(metrics), TOKENS),
    model: str(obj(modelInfo)?.["id"]),
    response: str(id),
  }),
  repeated: "cline.id.repeated",
  inherited: "cline.id.inherited",
  beside: [
    {
      file: manifestOf,
      rule: "cline.manifest",
      time: ({ ended_at, started_at }) => millis(ended_at) ?? millis(started_at),
      says: manifest,
    },
  ],
};

export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return readChat(CLINE, ref, cursor, ctx);
}

/** What the document says of itself, and then its messages. */
function itemsIn({ messages, ...document }: Native): unknown[] {
  return [document, ...list(messages)];
}
