import { spawn } from "node:child_process";
import { createServer, type Server } from "node:http";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Daybook, listSessions, openSession } from "../src/index.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

interface Answer {
  text: string;
  calls?: { id: string; name: string; input: unknown }[];
  usage?: { input: number; output: number };
}

/** The scripted model: answers by what was said last. */
let script: (said: string[], asked: number) => Answer | "never" = () => ({ text: "" });
let server: Server;
let url = "";
let asked = 0;
/** Where the examples find the package by its name. */
let home = "";

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => (body += String(part)));
    request.on("end", () => {
      const { messages } = JSON.parse(body) as { messages: { text?: string; output?: string; error?: string }[] };
      const answer = script(
        messages.map(({ text, output, error }) => text ?? error ?? output ?? ""),
        ++asked,
      );
      if (answer !== "never") response.end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  home = mkdtempSync(join(tmpdir(), "daybook-examples-"));
  mkdirSync(join(home, "node_modules"));
  symlinkSync(ROOT, join(home, "node_modules", "agent-daybook"));
  symlinkSync(join(ROOT, "examples"), join(home, "examples"));
});
afterAll(() => void server.close());

function start(dir: string, ...args: string[]): { done: Promise<string>; kill: () => void } {
  const example = ["--preserve-symlinks", "--preserve-symlinks-main", join(home, "examples", "agent-loop.js")];
  const child = spawn(process.execPath, [...example, dir, ...args], {
    env: { PATH: process.env["PATH"], MODEL_URL: url },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  child.stdout.on("data", (part) => (out += String(part)));
  const done = new Promise<string>((resolve) => void child.on("close", () => resolve(out)));
  return { done, kill: () => void child.kill("SIGKILL") };
}

describe("the agent of the example", () => {
  it("is killed in mid-turn, goes on, is forked, and Daybook reports on it", { timeout: 120_000 }, async () => {
    const dir = mkdtempSync(join(tmpdir(), "daybook-loop-"));
    let atWork = (): void => undefined;
    const working = new Promise<void>((resolve) => (atWork = resolve));
    script = (said) => {
      if (said.at(-1) === "count the files") {
        setTimeout(atWork, 0);
        const calls = [{ id: "c1", name: "shell", input: { command: "sleep 600" } }];
        return { text: "I look.", calls, usage: { input: 100, output: 10 } };
      }
      if (said.at(-1) === "the agent was killed")
        return { text: "Again.", calls: [{ id: "c2", name: "shell", input: { command: "echo 3" } }] };
      return { text: `There are ${(said.at(-1) ?? "").trim()}.`, usage: { input: 50, output: 5 } };
    };
    const first = start(dir, "s", "count the files");
    await working;
    // The call must be in the log before the process dies: that is what is tested.
    while (!readFileSync(join(dir, "s.jsonl"), "utf8").includes('"tool_started"')) await new Promise(setImmediate);
    first.kill();
    await first.done;
    expect(await start(dir, "s").done).toBe("There are 3.\n");

    const session = openSession(dir, "s");
    session.fork("f", 1).close();
    session.close();
    script = (said) => ({ text: `After ${said.length} messages.`, usage: { input: 7, output: 1 } });
    expect(await start(dir, "f", "and then?").done).toBe("After 2 messages.\n");
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
