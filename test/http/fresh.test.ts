import { appendFileSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Daybook } from "../../src/answers/daybook.ts";
import { mcpOverHttp } from "../../src/doors/mcp/server.ts";
import { copyCorpus, open, scratch } from "../store/fixture.ts";
import { askingOf } from "./serving.ts";

/** In ms: after this time an answer must contain what was written. */
const RULE = 2000;

interface Living {
  daybook: Daybook;
  /** Appends a prompt to one of the sessions. */
  say: (text: string) => void;
}

/** A library that stays open, over sessions that grow. */
async function living(book: string | undefined, { roots } = copyCorpus(["codex-0.130.0"])): Promise<Living> {
  const daybook = open(roots, book);
  const [session] = await daybook.sessions({ limit: 1 });
  const path = session?.session_path ?? "";
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const start = lines.findIndex((line) => line.includes('"task_started"'));
  const prompt = lines.findIndex((line) => line.includes('"user_message"'));
  const say = (text: string): void => {
    const turn = lines.slice(start, prompt + 1).join("\n");
    const asked = JSON.parse(lines[prompt] ?? "") as { payload: { message: string } };
    const old = JSON.stringify(asked.payload.message).slice(1, -1);
    appendFileSync(path, `${turn.replaceAll(old, text)}\n`);
  };
  return { daybook, say };
}

const hasPrompt = (text: string, answer: unknown): boolean => JSON.stringify(answer).includes(text);

describe("two seconds after a line was written it is in the answer", () => {
  it("of the HTTP API, though nobody listens for changes", async () => {
    const { daybook, say } = await living(scratch("home"));
    const ask = askingOf(daybook);
    const turns = async (): Promise<unknown> => (await ask("/api/turns?limit=500")).json();
    expect(hasPrompt("water the ferns", await turns())).toBe(false);
    say("water the ferns");
    await sleep(RULE);
    expect(hasPrompt("water the ferns", await turns())).toBe(true);
    daybook.close();
  });

  it.each([
    ["with a book", true],
    ["without a book", false],
  ])("of a library that stays open %s", async (_, hasBook) => {
    const { daybook, say } = await living(hasBook ? scratch("home") : undefined);
    expect(hasPrompt("count the spoons", await daybook.turns())).toBe(false);
    say("count the spoons");
    await sleep(RULE);
    expect(hasPrompt("count the spoons", await daybook.turns())).toBe(true);
    daybook.close();
  });

  it("of MCP over HTTP", async () => {
    const { daybook, say } = await living(scratch("home"));
    const answer = mcpOverHttp(daybook, undefined);
    const list = async (): Promise<string> => {
      const body = JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "list", arguments: { what: "turns" } },
      });
      const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
      return (await answer(new Request("http://127.0.0.1/mcp", { method: "POST", body, headers }))).text();
    };
    expect(await list()).not.toContain("polish the brass");
    say("polish the brass");
    await sleep(RULE);
    expect(await list()).toContain("polish the brass");
    daybook.close();
  });
});

it("a program that ends soon looks at the files once", async () => {
  const corpus = copyCorpus(["codex-0.130.0"]);
  const { roots } = corpus;
  const { say, daybook } = await living(scratch("home"), corpus);
  const short = open(roots, scratch("home"), { lookOnce: true });
  expect(hasPrompt("dust the shelf", await short.turns())).toBe(false);
  say("dust the shelf");
  await sleep(RULE);
  expect(hasPrompt("dust the shelf", await short.turns())).toBe(false);
  expect(hasPrompt("dust the shelf", await daybook.turns())).toBe(true);
  short.close();
  daybook.close();
});
