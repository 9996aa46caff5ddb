import { messageOf } from "../../base/errors.ts";
import { AgentFailed } from "./failed.ts";
import type { Agent, AgentReply, EndpointSettings } from "./model.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Maximum number of tokens of an answer. */
const LONGEST_ANSWER = 16_000;

/** A model behind a URL that the user configured. Without a configured endpoint nothing is sent from here. */
export function endpointAgent(settings: EndpointSettings, model: string, env: Env): Agent {
  const { url, key_env: variable } = settings;
  const api = settings.api ?? (/\/messages\/?$/.test(url) ? "anthropic" : "openai");
  const name = new URL(url).host;
  return {
    name,
    model,
    callsTools: false,
    async ask({ prompt, signal }) {
      const key = variable === undefined ? null : (env[variable]?.trim() ?? "");
      if (key === "") throw new AgentFailed(name, `$${variable} is not set`, "it is to hold the key of the endpoint");
      const body = { model, max_tokens: LONGEST_ANSWER, messages: [{ role: "user", content: prompt }] };
      const answer = await postJson(name, url, headersOf(api, key), body, signal);
      return api === "anthropic" ? messagesReply(name, answer) : chatReply(name, answer);
    },
  };
}

function headersOf(api: "openai" | "anthropic", key: string | null): Record<string, string> {
  const type = { "content-type": "application/json" };
  if (api === "anthropic")
    return { ...type, "anthropic-version": "2023-06-01", ...(key === null ? {} : { "x-api-key": key }) };
  return { ...type, ...(key === null ? {} : { authorization: `Bearer ${key}` }) };
}

async function postJson(
  name: string,
  url: string,
  headers: Record<string, string>,
  body: unknown,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  try {
    const init = { method: "POST", headers, body: JSON.stringify(body), redirect: "error" as const };
    const response = await globalThis.fetch(url, { ...init, ...(signal ? { signal } : {}) });
    const text = await response.text();
    if (!response.ok) throw new AgentFailed(name, `${response.status} ${text.slice(0, 300)}`);
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof AgentFailed || signal?.aborted === true) throw error;
    throw new AgentFailed(name, messageOf(error));
  }
}

interface Chat {
  choices?: { message?: { content?: unknown } }[];
  usage?: { prompt_tokens?: unknown; completion_tokens?: unknown };
}

function chatReply(name: string, answer: unknown): AgentReply {
  const { choices, usage } = answer as Chat;
  const text = choices?.[0]?.message?.content;
  if (typeof text !== "string") throw new AgentFailed(name, "its reply holds no message");
  return { text, tokens: tokensOf(usage?.prompt_tokens, usage?.completion_tokens), cost_usd: null };
}

interface Messages {
  content?: { type?: unknown; text?: unknown }[];
  usage?: { input_tokens?: unknown; output_tokens?: unknown };
}

function messagesReply(name: string, answer: unknown): AgentReply {
  const { content, usage } = answer as Messages;
  const texts = (content ?? []).flatMap(({ text }) => (typeof text === "string" ? [text] : []));
  if (texts.length === 0) throw new AgentFailed(name, "its reply holds no text");
  return { text: texts.join(""), tokens: tokensOf(usage?.input_tokens, usage?.output_tokens), cost_usd: null };
}

function tokensOf(input: unknown, output: unknown): AgentReply["tokens"] {
  return typeof input === "number" && typeof output === "number" ? { input, output } : null;
}
