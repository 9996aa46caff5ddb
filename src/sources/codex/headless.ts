import type { Headless, HeadlessAnswer } from "../contract.ts";
import { countOf, printedEvents, nonEmptyString } from "../kit/printed-events.ts";

/** `codex exec`, read-only and without approvals; it prints one event per line (tried with 0.166.0). */
export const headless: Headless = {
  run: ({ model, server }) => ({
    words: [
      "codex",
      "exec",
      "--json",
      "--skip-git-repo-check",
      "--sandbox",
      "read-only",
      "-c",
      'approval_policy="never"',
      ...(server === null ? [] : serverWords(server)),
      ...(model === null ? [] : ["--model", model]),
      "-",
    ],
  }),
  answer: (printed) => answerIn(printed),
};

/** The values must be TOML; these JSON strings, arrays and booleans are valid TOML as well. */
function serverWords({ name, command: [command, ...args] }: { name: string; command: readonly string[] }): string[] {
  const settings = {
    command,
    args,
    required: true,
    // The server itself limits what its tools may do.
    default_tools_approval_mode: "approve",
  };
  return Object.entries(settings).flatMap(([key, value]) => [
    "-c",
    `mcp_servers.${name}.${key}=${JSON.stringify(value)}`,
  ]);
}

interface Event {
  type?: unknown;
  message?: unknown;
  error?: { message?: unknown };
  item?: { type?: unknown; text?: unknown };
  usage?: { input_tokens?: unknown; output_tokens?: unknown };
}

function answerIn(printed: string): HeadlessAnswer {
  const answer: HeadlessAnswer = { text: null, error: null, tokens: null, cost_usd: null };
  for (const event of printedEvents(printed) as Event[]) {
    const { type, item, usage } = event;
    if (type === "item.completed" && item?.type === "agent_message" && typeof item.text === "string")
      answer.text = item.text;
    if (type === "turn.completed" && usage)
      answer.tokens = { input: countOf(usage.input_tokens), output: countOf(usage.output_tokens) };
    if (type === "turn.failed") answer.error = nonEmptyString(event.error?.message) ?? "the turn failed";
    else if (type === "error") answer.error ??= nonEmptyString(event.message);
  }
  if (answer.tokens !== null && answer.text !== null) answer.error = null;
  return answer;
}
