import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildDraft } from "../../turns/builder.ts";
import type { FileDraft } from "../../turns/model.ts";
import { bodies, fixturesOf, settlements } from "../kit/testing.ts";
import { readSession } from "./read.ts";

const FILE = "sessions/%2Fw/parent/updates.jsonl";
const { scratch, refOf, writeSession, read } = fixturesOf({ source: "grok", corpus: "", file: FILE, readSession });

let at = 0;

function update(fields: object, time = ++at, promptId = "p"): object {
  const named = { eventId: `parent-${time}`, agentTimestampMs: time, promptId };
  return { timestamp: 0, method: "session/update", params: { sessionId: "parent", update: fields, _meta: named } };
}

function asked(text: string, promptIndex: number, block: object = {}): object {
  return update({
    sessionUpdate: "user_message_chunk",
    content: { type: "text", text, ...block },
    _meta: { promptIndex },
  });
}

function called(id: string, name: string, fields: object): object[] {
  const tool = { "x.ai/tool": { name, kind: "execute" } };
  return [
    update({ sessionUpdate: "tool_call", toolCallId: id, title: name, rawInput: {}, _meta: tool }),
    update({ sessionUpdate: "tool_call_update", toolCallId: id, ...fields }),
  ];
}

function ended(usage: object, time?: number, prompt_id = "p"): object {
  return update({ sessionUpdate: "turn_completed", prompt_id, stop_reason: "end_turn", usage }, time);
}

function draft(records: readonly object[]): FileDraft {
  const ref = refOf(writeSession(records));
  return buildDraft(ref, "s", readSession(ref, null, { detail: "full" }), { ledger: false, toolDetail: true });
}

describe("a prompt", () => {
  it("is all its blocks, and what was typed where a skill was sent", () => {
    const image = update({
      sessionUpdate: "user_message_chunk",
      content: { type: "image", data: "", mimeType: "image/png" },
      _meta: { promptIndex: 0 },
    });
    const skill = asked("Review everything.", 1, { _meta: { displayText: "/review all" } });
    const { turns } = draft([asked("Look at this", 0), image, asked("and at that", 0), skill]);
    expect(turns.map(({ trigger }) => [trigger.kind, trigger.text])).toEqual([
      ["prompt", "Look at this\nand at that"],
      ["command", "/review all"],
    ]);
  });

  it("is none if the agent gave it to itself", () => {
    const done = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Done." } };
    const scheduled = update(done, ++at, "scheduler-fired-1");
    const { turns } = draft([asked("go", 0), ended({}), asked("every hour", 1), scheduled]);
    expect(turns.map(({ trigger }) => trigger.text)).toEqual(["go"]);
  });

  it("that was rewound is taken back, and numbers are given again", () => {
    const rewind = update({ sessionUpdate: "rewind_marker", target_prompt_index: 1 });
    const { turns } = draft([asked("a", 0), asked("b", 1), asked("c", 2), rewind, asked("d", 1)]);
    expect(turns.map(({ trigger, taken_back }) => [trigger.text, taken_back])).toEqual([
      ["a", null],
      ["b", "rewound"],
      ["c", "rewound"],
      ["d", null],
    ]);
  });
});

describe("a call", () => {
  const bash = (fields: object): object => ({ status: "completed", rawOutput: { type: "Bash", ...fields } });

  it("ended with its exit code, whatever its status says", () => {
    const calls = [
      ...called("a", "run_terminal_command", bash({ exit_code: 3 })),
      ...called("b", "run_terminal_command", bash({ exit_code: 0 })),
      ...called("c", "run_terminal_command", bash({})),
      ...called("d", "mcp__x", { status: "completed", rawOutput: { type: "MCP", is_error: true } }),
      ...called("e", "grep", { status: "completed", rawOutput: { type: "GrepSearch", exit_code: 1 } }),
    ];
    expect(settlements(read([asked("go", 0), ...calls]))).toEqual([
      "a: failed 3",
      "b: ok 0",
      "c: pending -",
      "d: failed -",
      "e: ok -",
    ]);
  });

  it("in the background ends when its task does", () => {
    const started = called("a", "run_terminal_command", {
      status: "completed",
      rawOutput: { type: "BackgroundTaskStarted" },
    });
    const end = update({
      sessionUpdate: "task_completed",
      task_snapshot: { task_id: "a", tool_call_id: "a", exit_code: 2 },
    });
    expect(settlements(read([asked("go", 0), ...started, ended({}), end]))).toEqual(["a: pending -", "a: failed 2"]);
  });
});

describe("the tokens of a turn", () => {
  const spent = (input: number, more: object = {}): object => ({
    modelUsage: { m: { inputTokens: input, outputTokens: 10, cachedReadTokens: 5, ...more } },
  });
  const child = (type: string, time: number): object =>
    update({ sessionUpdate: type, child_session_id: "child", parent_prompt_id: "p", subagent_type: "general" }, time);
  const stated = (endedAt: number, input: number): object => ({
    endedAt: new Date(endedAt).toISOString(),
    ...spent(input),
  });

  function withChild(turns: readonly object[], ...records: readonly object[]): object[] {
    const path = writeSession([asked("go", 0), ...records]);
    const usage = join(dirname(dirname(path)), "child", "usage.json");
    mkdirSync(dirname(usage), { recursive: true });
    writeFileSync(usage, JSON.stringify({ turns }));
    return bodies([...readSession(refOf(path), null, { detail: "full" })], "usage");
  }

  it("are without those of the sub-agents that ended in it", () => {
    at = 1000;
    const found = withChild(
      [stated(500, 999), stated(2500, 40)],
      child("subagent_spawned", 2000),
      child("subagent_finished", 3000),
      ended(spent(100, { outputTokens: 50 }), 4000),
    );
    expect(found).toMatchObject([{ input_tokens: 60, cached_input_tokens: 0, output_tokens: 40, model: "m" }]);
  });

  it("are all that is stated if the sub-agent goes on, or its files are gone", () => {
    at = 1000;
    const goesOn = withChild([stated(2500, 40)], child("subagent_spawned", 2000), ended(spent(100), 4000));
    expect(goesOn).toMatchObject([{ input_tokens: 95 }]);
    const gone = withChild(
      [],
      child("subagent_spawned", 2000),
      child("subagent_finished", 3000),
      ended(spent(100), 4000),
    );
    expect(gone).toMatchObject([{ input_tokens: 95 }]);
  });

  it("are said to be impossible where they are", () => {
    const entries = read([asked("go", 0), ended(spent(-9))]);
    expect(bodies(entries, "unreadable").map(({ reason }) => reason)).toEqual(["impossible_number"]);
    expect(scratch()).toBeTruthy();
  });
});
