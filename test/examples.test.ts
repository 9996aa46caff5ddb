import { spawn } from "node:child_process";
import { createServer, type Server } from "node:http";
import { mkdtempSync, readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Daybook, listSessions, openSession } from "../src/index.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const LOOP = "examples/agent-loop.js";
const AGENTS = "test/openai-agents.mjs";

interface Answer {
  text: string;
  calls?: { id: string; name: string; input: unknown }[];
  usage?: { input: number; output: number };
}

interface Message {
  text?: string;
  output?: string;
  error?: string;
  content?: string;
}

/** The scripted model: computes an answer from the texts of all messages. */
let script: (texts: string[]) => Answer = () => ({ text: "" });
let server: Server;
let url = "";

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => (body += String(part)));
    request.on("end", () => {
      const { messages } = JSON.parse(body) as { messages: Message[] };
      const answer = script(
        messages.map(({ text, error, output, content }) => text ?? error ?? output ?? content ?? ""),
      );
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(request.url === "/" ? answer : completion(answer)));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => void server.close());

let completions = 0;

/** The same answer in the format of OpenAI's chat completions. */
function completion({ text, calls, usage }: Answer): object {
  const tool_calls = calls?.map(({ id, name, input }) => {
    return { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
  });
  const message = { role: "assistant", content: text, ...(tool_calls ? { tool_calls } : {}) };
  const { input = 0, output = 0 } = usage ?? {};
  return {
    id: `r${++completions}`,
    object: "chat.completion",
    created: 1,
    model: "gpt-5.1",
    choices: [{ index: 0, finish_reason: tool_calls ? "tool_calls" : "stop", message }],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  };
}

function start(program: string, model: string, ...args: string[]): { done: Promise<string>; kill: () => void } {
  const child = spawn(process.execPath, [join(ROOT, program), ...args], {
    env: { PATH: process.env["PATH"], MODEL_URL: model },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  child.stdout.on("data", (part) => (out += String(part)));
  const done = new Promise<string>((resolve) => void child.on("close", () => resolve(out)));
  return { done, kill: () => void child.kill("SIGKILL") };
}

describe("examples/agent-loop.js", () => {
  it("continues after a kill in mid-turn and in a fork, and Daybook reads its log", async () => {
    const dir = mkdtempSync(join(tmpdir(), "daybook-loop-"));
    let onCall = (): void => undefined;
    const called = new Promise<void>((resolve) => (onCall = resolve));
    script = (texts) => {
      if (texts.at(-1) === "count the files") {
        setTimeout(onCall, 0);
        const calls = [{ id: "c1", name: "shell", input: { command: "sleep 600" } }];
        return { text: "I look.", calls, usage: { input: 100, output: 10 } };
      }
      if (texts.at(-1) === "the agent was killed")
        return { text: "Again.", calls: [{ id: "c2", name: "shell", input: { command: "echo 3" } }] };
      return { text: `There are ${(texts.at(-1) ?? "").trim()}.`, usage: { input: 50, output: 5 } };
    };
    const first = start(LOOP, url, dir, "s", "count the files");
    await called;
    // Kill the process only when the log contains the call: that is the case to test.
    while (!readFileSync(join(dir, "s.jsonl"), "utf8").includes('"tool_started"')) await new Promise(setImmediate);
    first.kill();
    await first.done;
    expect(await start(LOOP, url, dir, "s").done).toBe("There are 3.\n");

    const session = openSession(dir, "s");
    session.fork("f", 1).close();
    session.close();
    script = (texts) => ({ text: `After ${texts.length} messages.`, usage: { input: 7, output: 1 } });
    expect(await start(LOOP, url, dir, "f", "and then?").done).toBe("After 2 messages.\n");
    expect(listSessions(dir).map(({ session_id, forked_from }) => [session_id, forked_from])).toEqual([
      ["s", null],
      ["f", "s"],
    ]);

    const daybook = new Daybook({ roots: { log: [dir] }, env: {}, timezone: "UTC" });
    const turns = await daybook.turns();
    expect(turns.map(({ trigger, outcome, usage }) => [trigger.text, outcome, usage.output_tokens])).toEqual([
      ["count the files", "completed", 15],
      ["and then?", "completed", 1],
    ]);
    const tools = await daybook.tools();
    expect(tools.map(({ status, exit_code }) => [status, exit_code])).toEqual([
      ["interrupted", null],
      ["ok", 0],
    ]);
    const { sessions } = await daybook.audit();
    expect(sessions.every(({ balanced }) => balanced)).toBe(true);
  });
});

describe("an @openai/agents agent with examples/openai-agents-session.js", () => {
  it("continues after a kill and in a fork, and Daybook reads its log", async () => {
    const dir = mkdtempSync(join(tmpdir(), "daybook-agents-"));
    const model = `${url}v1`;
    const usage = { input: 20, output: 2 };
    script = (texts) => {
      const last = texts.at(-1);
      if (last === "look around") return { text: "", calls: [{ id: "c1", name: "look", input: {} }], usage };
      if (last === "die") return { text: "", calls: [{ id: "c2", name: "die", input: {} }], usage };
      return { text: `${last} after ${texts.length}`, usage };
    };
    expect(await start(AGENTS, model, dir, "s", "look around").done).toBe("3 files after 3\n");
    expect(await start(AGENTS, model, dir, "s", "die").done).toBe("");
    expect(await start(AGENTS, model, dir, "s", "and?").done).toBe("and? after 5\n");
    const session = openSession(dir, "s");
    const first = session.state.turns[0];
    session.fork("f", first?.last_seq ?? 0).close();
    session.close();
    expect(await start(AGENTS, model, dir, "f", "else?").done).toBe("else? after 5\n");

    const turns = await new Daybook({ roots: { log: [dir] }, env: {}, timezone: "UTC" }).turns();
    expect(
      turns.map(({ trigger, outcome, tools, usage: spent }) => [trigger.text, outcome, tools.ok, spent.output_tokens]),
    ).toEqual([
      ["look around", "completed", 1, 4],
      ["and?", "completed", 0, 2],
      ["else?", "completed", 0, 2],
    ]);
  });
});
