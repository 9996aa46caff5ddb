/** One pass over the updates of a session. */
import { join } from "node:path";
import type { Cursor, ReadContext, Reading, SourceRef } from "../contract.ts";
import type { Beside } from "../kit/bundle.ts";
import { readChat, type Chat, type StatedUsage } from "../kit/chat.ts";
import { fieldsByType } from "../kit/drift.ts";
import { millis, num, obj, objects, str, type Native } from "../kit/native.ts";
import type { Say } from "../kit/say.ts";
import { tokensIn, type TokenFields } from "../kit/tokens.ts";
import { sessionIdOf, SUMMARY } from "./discover.ts";
import {
  CLASSES,
  freshState,
  headerIn,
  RULES,
  TOOLS,
  updateOf,
  type ReaderState,
  type Reason,
  type Started,
} from "./rules.ts";

const TOOL_UPDATE = "toolCallId title kind status content locations rawInput rawOutput _meta";

/** The fields of the updates that are read. */
const KNOWN: Readonly<Record<string, string>> = {
  user_message_chunk: "content messageId _meta",
  agent_message_chunk: "content messageId _meta",
  agent_thought_chunk: "content messageId _meta",
  tool_call: TOOL_UPDATE,
  tool_call_update: TOOL_UPDATE,
  turn_completed: "prompt_id stop_reason agent_result usage",
};

const FIELDS = new Map([
  ...fieldsByType(Object.fromEntries(Object.keys(KNOWN).map((type) => [type, "timestamp method params"]))),
  ...fieldsByType(Object.fromEntries(Object.entries(KNOWN).map(([type, names]) => [`${type}.`, names])), [
    "sessionUpdate",
  ]),
  ...fieldsByType({
    "usage.":
      "inputTokens outputTokens totalTokens cachedReadTokens cacheCreationTokens reasoningTokens modelCalls apiDurationMs costUsdTicks costIsPartial modelUsage numTurns usageIsIncomplete",
  }),
]);

const GROK: Chat<ReaderState, Reason> = {
  prefix: "grok",
  freshState,
  sessionId: sessionIdOf,
  native: (record) => str(updateOf(record)["sessionUpdate"]) ?? "(untyped)",
  time: (record) => num(metaOf(record)["agentTimestampMs"]) ?? seconds(record["timestamp"]),
  identity,
  fields: FIELDS,
  // The envelope is the same for all.
  inner: (record) => {
    const update = updateOf(record);
    return { [`${str(update["sessionUpdate"]) ?? ""}.`]: update, "usage.": obj(update["usage"]) };
  },
  classes: CLASSES,
  rules: RULES,
  unknown: "grok.type.unknown",
  tools: TOOLS,
  usage,
  repeated: "grok.id.repeated",
  inherited: "grok.id.inherited",
  beside: [{ file: () => SUMMARY, rule: "grok.summary", time: ({ updated_at }) => millis(updated_at), says: summary }],
};

export function readSession(ref: SourceRef, cursor: Cursor | null, ctx: ReadContext): Reading {
  return readChat(GROK, ref, cursor, ctx);
}

function metaOf(record: Native): Native {
  return obj(obj(record["params"])?.["_meta"]) ?? {};
}

function seconds(value: unknown): number | null {
  const time = num(value);
  return time === null ? null : time * 1000;
}

/** Updates are numbered from the start of the process, so the number alone is given again; a fork copies both. */
function identity(record: Native): string | null {
  const { eventId, agentTimestampMs } = metaOf(record);
  if (str(eventId) === null) return null;
  // The blocks of one text share a number.
  const block = str(obj(updateOf(record)["content"])?.["type"]) ?? "";
  return `${str(eventId)}@${num(agentTimestampMs) ?? ""}/${block}`;
}

/** The whole prompt is stated as input. */
const TOKENS: TokenFields = {
  input: "inputTokens",
  output: "outputTokens",
  cached: "cachedReadTokens",
  written: "cacheCreationTokens",
  reasoning: "reasoningTokens",
  inputHoldsCache: true,
};

/** A turn's tokens by model, without those of the sub-agents that ended in it: they state theirs themselves. */
function usage(record: Native, state: ReaderState, beside: Beside): StatedUsage[] {
  const { sessionUpdate, prompt_id, usage: stated } = updateOf(record);
  if (sessionUpdate !== "turn_completed") return [];
  const turn = str(prompt_id) ?? "";
  const children = state.children.toJSON().filter(([, { prompt, to }]) => prompt === turn && to !== null);
  const spent = children.flatMap(([child, started]) => spentBy(child, started, beside));
  return modelsIn(obj(stated)).map(([model, whole]) => {
    const theirs = spent.flatMap((one) => modelsIn(one).filter(([name]) => name === model));
    const own = theirs.reduce((rest, [, tokens]) => without(rest, tokens), whole);
    return { tokens: tokensIn(own, TOKENS), model, response: `${turn}/${model ?? ""}` };
  });
}

/** What is stated for each model; for none if they are not told apart. */
function modelsIn(stated: Native | null): [string | null, Native][] {
  if (!stated) return [];
  const models = Object.entries(obj(stated["modelUsage"]) ?? {}).flatMap(([model, tokens]): [string, Native][] => {
    const found = obj(tokens);
    return found ? [[model, found]] : [];
  });
  return models.length > 0 ? models : [[null, stated]];
}

/** The turns of a sub-agent, which may have been continued: those that ended while it ran for this parent. */
function spentBy(child: string, { from, to }: Started, beside: Beside): Native[] {
  const cwd = str(beside.json(join("subagents", child, "meta.json"))?.["child_cwd"]) ?? "";
  const places = [join("..", child), join("..", "..", encodeURIComponent(cwd), child)];
  const stated = places.map((place) => beside.json(join(place, "usage.json"))).find((found) => found !== null);
  return objects(stated?.["turns"]).filter(({ endedAt }) => {
    const ended = millis(endedAt);
    return ended !== null && ended >= (from ?? -Infinity) && ended <= (to ?? Infinity);
  });
}

function without(whole: Native, part: Native): Native {
  const names = ["inputTokens", "outputTokens", "cachedReadTokens", "cacheCreationTokens", "reasoningTokens"];
  const less = names.map((name): [string, unknown] => {
    const [all, some] = [num(whole[name]), num(part[name])];
    return [name, all === null || some === null || some < 0 ? whole[name] : Math.max(0, all - some)];
  });
  return { ...whole, ...Object.fromEntries(less) };
}

function summary(say: Say, document: Native): void {
  const header = headerIn(document);
  say.header(header);
  if (header.kind !== "subagent")
    say.title(str(document["generated_title"]), document["title_is_manual"] === true ? "human" : "agent");
}
