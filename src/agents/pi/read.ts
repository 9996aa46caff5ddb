/** One pass over a session file. */
import { join } from "node:path";
import type { Cursor, ReadContext, Reading, SourceRef } from "../contract.ts";
import { readChat, type Chat, type StatedUsage } from "../kit/chat.ts";
import { obj, str, type Native } from "../kit/native.ts";
import type { PromptDirectory } from "../kit/prompts.ts";
import { tokensIn } from "../kit/tokens.ts";
import { sessionIdOf } from "./discover.ts";
import * as native from "./native.ts";
import { CLASSES, RULES, TOOLS, type Reason } from "./rules.ts";

const PI: Chat<native.ReaderState, Reason> = {
  prefix: "pi",
  freshState: native.freshState,
  sessionId: sessionIdOf,
  native: native.nativeType,
  time: native.timeOf,
  identity: native.identityOf,
  version: native.versionOf,
  fields: native.FIELDS,
  inner: (record) => ({ "message.": native.messageOf(record) }),
  classes: CLASSES,
  rules: RULES,
  unknown: ({ type }) => (type === "message" ? "pi.message.unknown_role" : "pi.type.unknown"),
  tools: TOOLS,
  usage: usageOf,
  repeated: (record, state) => (native.OWNER.isRepeated(record, state) ? "pi.id.repeated" : null),
  inherited: "pi.id.inherited",
  commands: commandsBeside,
  owner: native.OWNER,
};

export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return readChat(PI, ref, cursor, ctx);
}

/**
 * Stated by assistant messages, and since 0.87 also by `usage` records, summaries and tool results that used a model
 * themselves. `input` excludes the cache, `output` includes the reasoning (checked against served numbers).
 */
function usageOf(record: Native): StatedUsage {
  const { usage, model, responseId } = native.bodyOf(record);
  const tokens = tokensIn(obj(usage), {
    input: "input",
    output: "output",
    cached: ["cacheRead", "cache.read"],
    written: ["cacheWrite", "cacheCreation", "cache.write"],
    reasoning: "reasoning",
  });
  return { tokens, model: str(model), response: str(responseId) };
}

/** Prompt templates are stored beside the sessions. */
function commandsBeside(path: string): PromptDirectory[] {
  const home = /^(.*)[\\/]sessions[\\/]/.exec(path)?.[1];
  return home === undefined ? [] : [{ dir: join(home, "prompts"), formats: ["md"], nested: null }];
}
