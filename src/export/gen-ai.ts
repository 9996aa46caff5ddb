import type { CountedResponse } from "../views/response.ts";
import { outputOf, sellerOf, type Convention } from "./convention.ts";
import type { Attributes } from "./otlp.ts";
import { jsonObject, promptTokens, unicodeJson } from "./plain-values.ts";
import type { Step } from "./steps.ts";

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
    ...(response ? usageOf(response) : {}),
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

function usageOf(response: CountedResponse): Attributes {
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
