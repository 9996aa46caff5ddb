import type { CountedResponse } from "../views/response.ts";
import { outputOf, sellerOf, type Convention } from "./convention.ts";
import { double, type Attributes } from "./otlp.ts";
import { jsonObject, promptTokens, unicodeJson } from "./plain-values.ts";
import type { Step } from "./steps.ts";
import { usd } from "./tables.ts";

/** Vendor names as the convention spells them. */
const SELLERS = { mistral: "mistralai", "x-ai": "xai", moonshotai: "moonshot" };
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
    "llm.provider": sellerOf(model, SELLERS),
    ...(response ? usageOf(response) : {}),
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

function usageOf(response: CountedResponse): Attributes {
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
