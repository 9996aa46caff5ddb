import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { agentOf } from "../../src/narrate/agents/agent.ts";
import { headlessOf } from "../../src/book/reading/source-ids.ts";

const cwd = tmpdir();

describe("agent settings", () => {
  it("name at most one agent, which must be known and have a model if it is an endpoint", () => {
    expect(agentOf({}, {})).toBeNull();
    expect(() => agentOf({ agent: "codex", command: ["x"] }, {})).toThrow("not several");
    expect(() => agentOf({ agent: "aider" }, {})).toThrow("nobody knows how to ask");
    expect(() => agentOf({ endpoint: { url: "http://127.0.0.1:1/v1/messages" } }, {})).toThrow("needs a model");
  });

  it("may name any command that reads the prompt from stdin and prints the answer", async () => {
    const script = "process.stdin.on('data', (d) => process.stdout.write(String(d).toUpperCase()))";
    const agent = agentOf({ command: [process.execPath, "-e", script] }, process.env);
    expect(await agent?.ask({ prompt: "words", cwd })).toEqual({ text: "WORDS", tokens: null, cost_usd: null });
    const failing = agentOf(
      { command: [process.execPath, "-e", "console.error('no key'); process.exit(3)"] },
      process.env,
    );
    await expect(failing?.ask({ prompt: "x", cwd })).rejects.toThrow("it ended with 3: no key");
    // As OpenCode 1.18.33 prints it while another of its processes locks its database.
    const locked = "console.error('\\u001b[31mSQLiteError: database is locked\\u001b[0m\\nparams:'); process.exit(1)";
    const lockedAgent = agentOf({ command: [process.execPath, "-e", locked] }, process.env);
    await expect(lockedAgent?.ask({ prompt: "x", cwd })).rejects.toThrow(
      "it ended with 1: SQLiteError: database is locked",
    );
    await expect(agentOf({ command: ["no-such-program-here"] }, {})?.ask({ prompt: "x", cwd })).rejects.toThrow(
      "there is no program no-such-program-here",
    );
  });

  it.each([
    [
      "/v1/messages",
      { content: [{ type: "text", text: "hi" }], usage: { input_tokens: 7, output_tokens: 2 } },
      "x-api-key",
    ],
    [
      "/v1/chat/completions",
      { choices: [{ message: { content: "hi" } }], usage: { prompt_tokens: 7, completion_tokens: 2 } },
      "authorization",
    ],
  ])("may name an HTTP endpoint at %s, with a model and a key", async (path, answer, header) => {
    const received: Record<string, unknown> = {};
    const server = createServer((request, response) => {
      let text = "";
      request.on("data", (chunk) => (text += String(chunk)));
      request.on("end", () => {
        Object.assign(received, { path: request.url, key: request.headers[header], body: JSON.parse(text) as unknown });
        response.writeHead(request.headers[header] === undefined ? 401 : 200).end(JSON.stringify(answer));
      });
    });
    await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
    try {
      const agent = agentOf({ endpoint: { url, key_env: "THE_KEY" }, model: "m" }, { THE_KEY: "secret" });
      expect(await agent?.ask({ prompt: "p", cwd })).toEqual({
        text: "hi",
        tokens: { input: 7, output: 2 },
        cost_usd: null,
      });
      expect(received).toMatchObject({ path, key: expect.stringContaining("secret") as string, body: { model: "m" } });
      await expect(
        agentOf({ endpoint: { url, key_env: "OTHER" }, model: "m" }, {})?.ask({ prompt: "p", cwd }),
      ).rejects.toThrow("$OTHER is not set");
      await expect(agentOf({ endpoint: { url }, model: "m" }, {})?.ask({ prompt: "p", cwd })).rejects.toThrow("401");
    } finally {
      server.close();
    }
  });
});

/** Output of the agents that scripts/narrate-agents.js runs, shortened. */
describe("agent output", () => {
  const answer = (source: string, printed: string): unknown => headlessOf(source)?.answer(printed);

  it("of Claude Code is one JSON object with text, tokens and cost, or an error", () => {
    const usage = { input_tokens: 3, cache_creation_input_tokens: 4, cache_read_input_tokens: 5, output_tokens: 6 };
    const result = { type: "result", is_error: false, result: "{}", total_cost_usd: 0.25, usage };
    expect(answer("claude-code", JSON.stringify(result))).toEqual({
      text: "{}",
      error: null,
      tokens: { input: 12, output: 6 },
      cost_usd: 0.25,
    });
    expect(answer("claude-code", JSON.stringify({ ...result, is_error: true, result: "Not logged in" }))).toMatchObject(
      { text: null, error: "Not logged in" },
    );
    expect(answer("claude-code", "Error: no")).toMatchObject({ text: null, error: "Error: no" });
  });

  it("of Codex is a list of events, of which the last message is the answer", () => {
    const lines = [
      { type: "thread.started", thread_id: "t" },
      { type: "item.completed", item: { type: "agent_message", text: "wait" } },
      { type: "item.completed", item: { type: "agent_message", text: "{}" } },
      { type: "turn.completed", usage: { input_tokens: 9, cached_input_tokens: 1, output_tokens: 2 } },
    ].map((event) => JSON.stringify(event));
    expect(answer("codex", lines.join("\n"))).toEqual({
      text: "{}",
      error: null,
      tokens: { input: 9, output: 2 },
      cost_usd: null,
    });
    const failed = JSON.stringify({ type: "turn.failed", error: { message: "quota" } });
    expect(answer("codex", failed)).toMatchObject({ text: null, error: "quota" });
  });

  it("of OpenCode is a list of events, with the last text as answer and tokens per step", () => {
    const lines = [
      { type: "text", part: { text: "before" } },
      { type: "tool_use", part: {} },
      { type: "text", part: { text: "{}" } },
      {
        type: "step_finish",
        part: { cost: 0.5, tokens: { input: 1, output: 2, reasoning: 3, cache: { read: 4, write: 5 } } },
      },
    ].map((event) => JSON.stringify(event));
    expect(answer("opencode", lines.join("\n"))).toEqual({
      text: "{}",
      error: null,
      tokens: { input: 10, output: 5 },
      cost_usd: 0.5,
    });
    // Without output there is no error here either: the reason is then taken from stderr.
    expect(answer("opencode", "")).toEqual({ text: null, error: null, tokens: null, cost_usd: null });
    expect(answer("codex", "")).toMatchObject({ text: null, error: null });
  });
});
