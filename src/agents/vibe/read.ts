/** One pass over a session. */
import type { Cursor, NativeRecord, ReadContext, Reading, SourceRef } from "../contract.ts";
import { recordIn, RecordLines } from "../kit/bundle.ts";
import { readChat, type Chat } from "../kit/chat.ts";
import { fieldsByType } from "../kit/drift.ts";
import { num, obj, str } from "../kit/native.ts";
import { tokensIn } from "../kit/tokens.ts";
import { sessionIdOf } from "./discover.ts";
import { CLASSES, freshState, nativeType, RULES, TOOLS, type ReaderState, type Reason } from "./rules.ts";
import { recordsOf } from "./store.ts";

const VIBE: Chat<ReaderState, Reason> = {
  prefix: "vibe",
  freshState,
  open: (ref, from, ctx) => new RecordLines(recordsOf(ref.path, ctx.meter), from),
  sessionId: sessionIdOf,
  native: nativeType,
  time: ({ createdAt }) => num(createdAt),
  identity: ({ id, createdAt }) => (str(id) === null ? null : `${str(id)}@${num(createdAt) ?? ""}`),
  fields: fieldsByType(
    {
      message: "role content source outcome userDisplayContent",
      reasoning: "text summary outcome",
      effect: "title detail state",
      checkpoint: "kind message details",
    },
    [
      "type",
      "id",
      "sessionId",
      "turnId",
      "createdAt",
      "updatedAt",
      "generationStatus",
      "relatedEntryId",
      "inputEntryId",
    ],
  ),
  classes: CLASSES,
  rules: RULES,
  unknown: "vibe.type.unknown",
  tools: TOOLS,
  usage: ({ part, id, usage }, { model }) => ({
    tokens: tokensIn(part === "response" ? obj(usage) : null, {
      input: "input_tokens",
      output: "output_tokens",
      cached: "cached_input_tokens",
      written: "cache_write_tokens",
      reasoning: "reasoning_tokens",
      inputHoldsCache: true,
    }),
    model,
    response: str(id),
  }),
  inherited: "vibe.id.inherited",
};

export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return readChat(VIBE, ref, cursor, ctx);
}

export function recordAt({ path }: SourceRef, line: number): NativeRecord | null {
  return recordIn(recordsOf(path), line);
}
