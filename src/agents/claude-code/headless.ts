import type { Headless, HeadlessAnswer } from "../contract.ts";
import { countOf, parseOrNull } from "../kit/printed-events.ts";

/** `claude -p` without built-in tools, so that nothing in its input can make it act (tried with 2.1.325). */
export const headless: Headless = {
  run: ({ model, server }) => ({
    words: [
      "claude",
      "-p",
      "--output-format",
      "json",
      "--tools",
      "",
      "--strict-mcp-config",
      ...(server === null
        ? []
        : [
            "--mcp-config",
            JSON.stringify({ mcpServers: { [server.name]: entry(server.command) } }),
            "--allowedTools",
            server.tools.map((tool) => `mcp__${server.name}__${tool}`).join(","),
          ]),
      ...(model === null ? [] : ["--model", model]),
    ],
  }),
  answer: (printed) => answerIn(printed),
};

function entry([command, ...args]: readonly string[]): Record<string, unknown> {
  return { type: "stdio", command, args };
}

interface Result {
  result?: unknown;
  is_error?: unknown;
  total_cost_usd?: unknown;
  usage?: Record<string, unknown>;
}

/** The output is one object or, with other settings, a list of messages that ends with that object. */
function answerIn(printed: string): HeadlessAnswer {
  const value = parseOrNull(printed.trim());
  const said = (Array.isArray(value) ? (value.at(-1) as unknown) : value) as Result | null;
  if (typeof said !== "object" || said === null)
    return { text: null, error: printed.trim().slice(0, 500) || "it printed nothing", tokens: null, cost_usd: null };
  const text = typeof said.result === "string" ? said.result : null;
  const failed = said.is_error === true || text === null;
  const { usage, total_cost_usd: cost } = said;
  return {
    text: failed ? null : text,
    error: failed ? (text ?? "it gave no result") : null,
    tokens: usage ? { input: inputOf(usage), output: countOf(usage["output_tokens"]) } : null,
    cost_usd: typeof cost === "number" && Number.isFinite(cost) ? cost : null,
  };
}

function inputOf(usage: Record<string, unknown>): number {
  return ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"].reduce(
    (sum, key) => sum + countOf(usage[key]),
    0,
  );
}
