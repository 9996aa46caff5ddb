import { mkdirSync, mkdtempSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Entry } from "../contract.ts";
import { bodies, settlements } from "../kit/testing.ts";
import { manifestOf } from "./discover.ts";
import { readSession } from "./read.ts";

function read(messages: readonly object[], manifest: object = {}): Entry[] {
  const path = join(mkdtempSync(join(tmpdir(), "daybook-cline-")), "sessions/1_a/1_a.messages.json");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ version: 1, updated_at: "2026-11-18T07:00:00.000Z", messages }, null, 2));
  writeFileSync(join(dirname(path), manifestOf(path)), JSON.stringify(manifest));
  const ref = { source: "cline", path, size: 0, mtimeMs: statSync(path).mtimeMs, container: "json" } as const;
  return [...readSession(ref, null, { detail: "full" })];
}

let serial = 0;

function message(role: string, content: unknown, more: object = {}): object {
  serial += 1;
  return { id: `m${serial}`, role, content, ts: serial, ...more };
}

const typed = (text: string): string => `<user_input mode="act">${text}</user_input>`;

function ended(name: string, content: unknown, more: object = {}): string[] {
  const call = { type: "tool_use", id: "c", name, input: { path: "a.txt", question: "Red?", options: ["Yes", "No"] } };
  const result = { type: "tool_result", tool_use_id: "c", name, content, ...more };
  return settlements(read([message("user", typed("go")), message("assistant", [call]), message("user", [result])]));
}

/** What humans typed; what a command was expanded to is left out. */
function prompts(entries: readonly Entry[]): string[] {
  return bodies(entries, "user")
    .filter(({ author }) => author === "human")
    .map(({ kind, text }) => `${kind}: ${text}`);
}

describe("a prompt", () => {
  it("is unwrapped if the client wrote the wrapper, and nothing else", () => {
    const entries = read([
      message("user", typed("go")),
      message("user", `<mode_notice>The mode changed.</mode_notice>\n${typed("on")}`),
      message("user", `${typed("see")}\n<file_content path="a">\nx\n</file_content>`),
      message("user", typed(`what does ${typed("x")} mean?`)),
      message("user", typed('<user_command slash="review">Review all.</user_command>')),
    ]);
    expect(prompts(entries)).toEqual([
      "prompt: go",
      "prompt: on",
      "prompt: see",
      `prompt: what does ${typed("x")} mean?`,
      "command: /review",
    ]);
    const asked = `what is ${typed("x")}?`;
    expect(prompts(read([message("user", asked)]))).toEqual([`prompt: ${asked}`]);
  });

  it("is no text without the wrapper, once the client has wrapped one", () => {
    const limit = message("user", "Your previous response was cut off.", { metadata: { userRunSpan: 0 } });
    expect(prompts(read([message("user", typed("go")), limit]))).toEqual(["prompt: go"]);
    expect(prompts(read([message("user", "go"), message("user", "on")]))).toEqual(["prompt: go", "prompt: on"]);
  });

  it("is no text of the client", () => {
    const injected = message("user", "Finish it.", { metadata: { kind: "completion_reminder" } });
    expect(prompts(read([injected, message("user", "[TASK RESUMPTION] go on")]))).toEqual([]);
  });
});

describe("a call", () => {
  it("fails if one of its commands did, with the code that its error states", () => {
    const ok = { query: "a", result: "Command exited with code 9", success: true };
    const bad = { query: "b", result: "", error: "Command exited with code 7", success: false };
    expect(ended("run_commands", [ok, bad])).toEqual(["c: failed 7"]);
    expect(ended("run_commands", [ok])).toEqual(["c: ok 0"]);
    const on = { query: "a", result: "[Command is still running. Output will continue in /tmp/x]", success: true };
    expect(ended("run_commands", [on])).toEqual(["c: pending -"]);
  });

  it("is refused or interrupted by its error, not by what a command printed", () => {
    const refused = "This tool call was rejected by the user and not executed";
    expect(ended("editor", JSON.stringify({ error: `${refused}. -- NOT a failure.` }), { is_error: true })).toEqual([
      "c: denied -",
    ]);
    const printed = { query: "a", result: `${refused}\nCommand was aborted`, error: "Command exited with code 1" };
    expect(ended("run_commands", [{ ...printed, success: false }])).toEqual(["c: failed 1"]);
    const aborted = { query: "a", result: "", error: "Command failed: Command was aborted", success: false };
    expect(ended("run_commands", [aborted])).toEqual(["c: interrupted -"]);
  });
});

it("an error of the API is neither an answer nor a prompt", () => {
  const error = message("assistant", "no such model", { metadata: { displayOnly: true, displayRole: "error" } });
  const entries = read([message("user", typed("go")), error]);
  expect(bodies(entries, "failed").map((body) => body.message)).toEqual(["no such model"]);
  expect(bodies(entries, "assistant_finished")).toEqual([]);
});

it("the facts say how a turn ended that was cut off", () => {
  const go = [message("user", typed("go"))];
  expect(bodies(read(go, { status: "cancelled" }), "cancelled")).toHaveLength(1);
  expect(bodies(read(go, { status: "running" }), "cancelled")).toEqual([]);
  expect(bodies(read([...go, message("assistant", "done")], { status: "cancelled" }), "cancelled")).toEqual([]);
});

it("tokens that only the total of the session states belong to no turn", () => {
  const response = message("assistant", "a", { metrics: { inputTokens: 10, outputTokens: 2, cacheReadTokens: 4 } });
  const usage = { inputTokens: 30, outputTokens: 5, cacheReadTokens: 9, cacheWriteTokens: 0 };
  const facts = { model: "m", metadata: { usage } };
  const stated = bodies(read([message("user", typed("go")), response], facts), "usage_total");
  const models = [{ model: "m", input_tokens: 21, cached_input_tokens: 9, output_tokens: 5 }];
  expect(stated).toMatchObject([{ includes_children: false, models, unwritten: "cline.manifest.unwritten" }]);
});
