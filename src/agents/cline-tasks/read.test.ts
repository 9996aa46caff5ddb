import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { buildDraft } from "../../turns/builder.ts";
import type { FileDraft } from "../../turns/model.ts";
import type { Entry, SourceRef } from "../contract.ts";
import { bodies, settlements } from "../kit/testing.ts";
import { readSession } from "./read.ts";
import { message, request, TASK, writeTask } from "./testing.ts";

const directories: string[] = [];

afterEach(() => directories.splice(0).forEach((path) => rmSync(path, { recursive: true, force: true })));

function refOf(messages: readonly object[] | string): SourceRef {
  const root = mkdtempSync(join(tmpdir(), "tasks-"));
  directories.push(root);
  writeTask(root, messages, "1");
  const path = join(root, "tasks", "1", "ui_messages.json");
  const { size, mtimeMs } = statSync(path);
  return { source: "cline-tasks", path, size, mtimeMs, container: "json" };
}

function read(messages: readonly object[] | string): Entry[] {
  return [...readSession(refOf(messages), null, { detail: "full" })];
}

function draft(messages: readonly object[]): FileDraft {
  const ref = refOf(messages);
  return buildDraft(ref, "s", readSession(ref, null, { detail: "full" }), { ledger: false, toolDetail: true });
}

describe("a task", () => {
  it("has the turns that the human asked for, and the answer to a question is none of them", () => {
    expect(draft(TASK).turns.map(({ trigger, outcome, final_text }) => [trigger.text, outcome, final_text])).toEqual([
      ["Add a test for the parser.", "completed", "The test is in test_parser.py."],
      ["And one for the lexer, ünïcödé ✓", "aborted", ""],
    ]);
  });

  it("states what each request cost, with the cache apart", () => {
    expect(
      bodies(read(TASK), "usage").map((body) => [body.input_tokens, body.cached_input_tokens, body.model]),
    ).toEqual([
      [100, 40, "lab-model"],
      [10, 160, "lab-model"],
      [5, 170, "lab-model"],
      [7, 180, "lab-model"],
    ]);
  });

  it("does not say how a call ended", () => {
    expect(new Set(settlements(read(TASK)).map((line) => line.split(": ")[1]))).toEqual(new Set(["pending -", "ok -"]));
    expect(settlements(read(TASK)).filter((line) => line.endsWith("ok -"))).toHaveLength(1);
  });

  it("names its directory and the release", () => {
    const headers = bodies(read(TASK), "session_meta");
    expect(headers.some(({ cwd }) => cwd === "/srv/work/app")).toBe(true);
    expect(headers.some(({ agent_version }) => agent_version === "3.51.0")).toBe(true);
  });
});

it("a request that failed is neither an answer nor a prompt", () => {
  const failed = message("ask/api_req_failed", { message: "no credit" }, 2);
  const [turn] = draft([message("say/text", "go", 0), request(1, [0, 0, 0, 0]), failed]).turns;
  expect([turn?.outcome, turn?.final_text]).toEqual(["failed", ""]);
});

it("an unknown kind, a text that is no message and half a file are said", () => {
  const odd = [message("say/text", "go", 0), message("say/hologram", "", 1), "no message" as unknown as object];
  expect(read(odd).map(({ class: cls }) => cls)).toEqual(["trigger", "unknown", "corrupt"]);
  expect(read('[{"ts":1,"type":"say"').map(({ class: cls }) => cls)).toEqual(["corrupt"]);
});

it("numbers that are no tokens are not counted", () => {
  const stated = { tokensIn: -5, tokensOut: "many", cacheReads: 7 };
  const entries = read([message("say/text", "go", 0), message("say/api_req_started", stated, 1)]);
  expect(bodies(entries, "usage")).toMatchObject([{ input_tokens: 0, output_tokens: 0, cached_input_tokens: 7 }]);
  expect(bodies(entries, "unreadable").map(({ reason }) => reason)).toEqual(["impossible_number"]);
});
