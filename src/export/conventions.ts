import { PriceTable } from "../views/pricing/price-table.ts";
import type { CountedResponse } from "../views/response.ts";
import { jsonObject, promptTokens, unicodeJson } from "./format.ts";
import { type Attributes, double } from "./otlp.ts";
import type { Step, StepCall } from "./steps.ts";
import { usd } from "./tables.ts";

/** The attribute names of one semantic convention. Which spans exist and how they are nested is the same for all. */
export interface Convention {
  /** On every span: its session. */
  session: (sessionId: string) => Attributes;
  agent: (name: string, model: string | null) => Attributes;
  response: (model: string | null, response: CountedResponse | null) => Attributes;
  call: (call: StepCall) => Attributes;
  /** Conversation content, written only on request. */
  content: {
    agent: (asked: string, answered: string) => Attributes;
    response: (step: Step) => Attributes;
    call: (call: StepCall) => Attributes;
  };
}

const prices = new PriceTable();

/** The vendor of a model, as the convention spells it; null if unknown. */
function sellerOf(model: string | null, names: Readonly<Record<string, string>>): string | null {
  const seller = model === null ? null : prices.providerOf(model);
  return seller === null ? null : (names[seller] ?? seller);
}

/** The output of a call, or its error. */
function outputOf({ end }: StepCall): string | null {
  return end?.output ?? end?.error ?? null;
}

/** Vendor names as the convention spells them. */
const SELLERS = { google: "gcp.gemini", mistral: "mistral_ai", "x-ai": "x_ai" };

/** OpenTelemetry's conventions for generative AI, 1.41. */
export const genAi: Convention = {
  session: (id) => ({ "gen_ai.conversation.id": id, "session.id": id }),
  agent: (name, model) => ({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.provider.name": providerOf(model),
    "gen_ai.agent.name": name,
    "gen_ai.request.model": model,
  }),
  response: (model, response) => ({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": providerOf(model),
    "gen_ai.request.model": model,
    "gen_ai.response.model": model,
    ...(response ? genAiUsage(response) : {}),
  }),
  call: ({ name, call_id }) => ({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": name,
    "gen_ai.tool.call.id": call_id,
    "gen_ai.tool.type": "function",
  }),
  content: {
    agent: (asked, answered) => ({
      "gen_ai.input.messages": unicodeJson([{ role: "user", parts: [textPart(asked)] }]),
      "gen_ai.output.messages":
        answered === ""
          ? null
          : unicodeJson([{ role: "assistant", parts: [textPart(answered)], finish_reason: "stop" }]),
    }),
    response: (step) => {
      const parts = partsOf(step);
      const finish = step.calls.length > 0 ? "tool_call" : "stop";
      return {
        "gen_ai.output.messages":
          parts.length === 0 ? null : unicodeJson([{ role: "assistant", parts, finish_reason: finish }]),
      };
    },
    call: (call) => ({
      "gen_ai.tool.call.arguments": unicodeJson(jsonObject(call.input)),
      "gen_ai.tool.call.result": outputOf(call),
    }),
  },
};

/** The convention requires a provider on every model span. */
function providerOf(model: string | null): string {
  return sellerOf(model, SELLERS) ?? "_OTHER";
}

function genAiUsage(response: CountedResponse): Attributes {
  return {
    "gen_ai.response.id": response.response_id,
    "gen_ai.usage.input_tokens": promptTokens(response),
    "gen_ai.usage.output_tokens": response.output_tokens,
    "gen_ai.usage.cache_read.input_tokens": response.cached_input_tokens,
    "gen_ai.usage.cache_creation.input_tokens": response.cache_write_tokens,
    "gen_ai.usage.reasoning.output_tokens": response.reasoning_tokens,
  };
}

function textPart(content: string): object {
  return { type: "text", content };
}

function partsOf({ reasoning, text, calls }: Step): object[] {
  return [
    ...(reasoning === "" ? [] : [{ type: "reasoning", content: reasoning }]),
    ...(text === "" ? [] : [textPart(text)]),
    ...calls.map(({ call_id, name, input }) => ({
      type: "tool_call",
      id: call_id,
      name,
      arguments: jsonObject(input),
    })),
  ];
}

/** Vendor names as the convention spells them. */
const SYSTEMS = { mistral: "mistralai", "x-ai": "xai", moonshotai: "moonshot" };
const TEXT = "text/plain";
const JSON_TYPE = "application/json";

/**
 * The OpenInference conventions, used by Phoenix and others: lists are flattened, one attribute per field of each
 * element.
 */
export const openInference: Convention = {
  session: (id) => ({ "session.id": id }),
  agent: (name) => ({ "openinference.span.kind": "AGENT", "agent.name": name }),
  response: (model, response) => ({
    "openinference.span.kind": "LLM",
    "llm.model_name": model,
    "llm.provider": sellerOf(model, SYSTEMS),
    ...(response ? llmUsage(response) : {}),
  }),
  call: ({ name, call_id }) => ({ "openinference.span.kind": "TOOL", "tool.name": name, "tool.id": call_id }),
  content: {
    agent: (asked, answered) => ({ ...value("input", asked, TEXT), ...value("output", answered, TEXT) }),
    response: (step) => ({ ...value("output", step.text, TEXT), ...messageOf(step) }),
    call: (call) => {
      const given = unicodeJson(jsonObject(call.input));
      return {
        ...value("input", given, JSON_TYPE),
        "tool.parameters": given,
        ...value("output", outputOf(call) ?? "", TEXT),
      };
    },
  },
};

/** An empty text has no attributes. */
function value(side: "input" | "output", text: string, type: string): Attributes {
  return text === "" ? {} : { [`${side}.value`]: text, [`${side}.mime_type`]: type };
}

function llmUsage(response: CountedResponse): Attributes {
  const { cached_input_tokens, cache_write_tokens, output_tokens, reasoning_tokens } = response;
  const prompt = promptTokens(response);
  const cost = usd(response.pico);
  return {
    "llm.token_count.prompt": prompt,
    "llm.token_count.completion": output_tokens,
    "llm.token_count.total": prompt + output_tokens,
    "llm.token_count.prompt_details.cache_read": cached_input_tokens,
    "llm.token_count.prompt_details.cache_write": cache_write_tokens,
    "llm.token_count.completion_details.reasoning": reasoning_tokens,
    "llm.cost.total": cost === null ? null : double(cost),
  };
}

/** The output of the model, as the only message of its response. */
function messageOf({ reasoning, text, calls }: Step): Attributes {
  const message = "llm.output_messages.0.message";
  // Reasoning can be told from text only in a list of contents.
  const contents =
    reasoning === "" ? [] : [{ type: "reasoning", text: reasoning }, ...(text === "" ? [] : [{ type: "text", text }])];
  const fields = [
    ...(reasoning === "" && text !== "" ? [[`${message}.content`, text]] : []),
    ...contents.flatMap((one, i) => named(`${message}.contents.${i}.message_content`, one)),
    ...calls.flatMap(({ call_id, name, input }, i) =>
      named(`${message}.tool_calls.${i}.tool_call`, {
        id: call_id,
        "function.name": name,
        "function.arguments": unicodeJson(jsonObject(input)),
      }),
    ),
  ];
  return fields.length === 0 ? {} : { [`${message}.role`]: "assistant", ...Object.fromEntries(fields) };
}

function named(prefix: string, fields: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(fields).map(([name, one]) => [`${prefix}.${name}`, one]);
}
