import type { Headless, HeadlessAnswer } from "../contract.ts";
import { countOf, printedEvents, nonEmptyString } from "../kit/printed-events.ts";

/** `opencode run`, which takes settings for one run from a variable and prints one event per line (1.18.33). */
export const headless: Headless = {
  // Concurrent runs fail now and then, because the database is locked.
  atOnce: 1,
  run: ({ model, server }) => ({
    words: ["opencode", "run", "--format", "json", ...(model === null ? [] : ["--model", model])],
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        // Input must not be able to trigger actions: all tools are off except those of the server.
        tools: { "*": false, ...(server === null ? {} : { [`${server.name}_*`]: true }) },
        permission: { edit: "deny", bash: "deny", webfetch: "deny" },
        ...(server === null ? {} : { mcp: { [server.name]: { type: "local", command: [...server.command] } } }),
      }),
    },
  }),
  answer: (printed) => answerIn(printed),
};

interface Event {
  type?: unknown;
  error?: { name?: unknown; data?: { message?: unknown } };
  part?: { text?: unknown; cost?: unknown; tokens?: Tokens };
}

interface Tokens {
  input?: unknown;
  output?: unknown;
  reasoning?: unknown;
  cache?: { read?: unknown; write?: unknown };
}

/** Every step states its own tokens and cost. The text after the last tool call is the answer. */
function answerIn(printed: string): HeadlessAnswer {
  const texts: string[] = [];
  let [error, cost]: [string | null, number | null] = [null, null];
  let tokens = null as HeadlessAnswer["tokens"];
  for (const event of printedEvents(printed) as Event[]) {
    const { type, part } = event;
    if (type === "tool_use") texts.length = 0;
    if (type === "text" && typeof part?.text === "string") texts.push(part.text);
    if (type === "step_finish" && part?.tokens) {
      const { input, output, reasoning, cache } = part.tokens;
      tokens = {
        input: (tokens?.input ?? 0) + countOf(input) + countOf(cache?.read) + countOf(cache?.write),
        output: (tokens?.output ?? 0) + countOf(output) + countOf(reasoning),
      };
      // Without a price it states 0.
      if (countOf(part.cost) > 0) cost = (cost ?? 0) + countOf(part.cost);
    }
    if (type === "error")
      error = nonEmptyString(event.error?.data?.message) ?? nonEmptyString(event.error?.name) ?? "it failed";
  }
  const text = texts.length === 0 ? null : texts.join("");
  return { text, error: text === null ? error : null, tokens, cost_usd: cost };
}
