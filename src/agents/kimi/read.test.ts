import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildDraft } from "../../turns/builder.ts";
import type { FileDraft } from "../../turns/model.ts";
import type { Entry } from "../contract.ts";
import { bodies, fixturesOf, settlements } from "../kit/testing.ts";
import { sessionIdOf } from "./discover.ts";
import { readSession } from "./read.ts";

const FILE = "sessions/wd_w_0/session_1/agents/main/wire.jsonl";
const { scratch, refOf, writeSession, read } = fixturesOf({ source: "kimi", corpus: "", file: FILE, readSession });

const HEADER = { type: "metadata", protocol_version: "1.5", created_at: 1 };

function asked(type: string, text: string, origin: object): object[] {
  const content = [{ type: "text", text }];
  return [
    { type, input: content, origin, time: 2 },
    { type: "context.append_message", message: { role: "user", content, origin }, time: 2 },
  ];
}

function event(type: string, fields: object): object {
  return { type: "context.append_loop_event", event: { type, ...fields }, time: 3 };
}

function called(name: string, args: object, result: object): object[] {
  return [event("tool.call", { toolCallId: name, name, args }), event("tool.result", { toolCallId: name, result })];
}

function draft(records: readonly object[]): FileDraft {
  const ref = refOf(writeSession(records));
  const reading = readSession(ref, null, { detail: "full" });
  return buildDraft(ref, "s", reading, { ledger: false, toolDetail: true });
}

/** What humans typed; what a command was expanded to is left out. */
function prompts(entries: readonly Entry[]): string[] {
  return bodies(entries, "user")
    .filter(({ author }) => author === "human")
    .map(({ kind, text }) => `${kind}: ${text}`);
}

describe("a trigger", () => {
  it("is what a human typed, once, and nothing that the client wrote", () => {
    const command = { kind: "skill_activation", trigger: "user-slash", skillName: "review", skillArgs: "fast" };
    const entries = read([
      HEADER,
      ...asked("turn.prompt", "go", { kind: "user" }),
      ...asked("turn.steer", "faster", { kind: "user" }),
      ...asked("turn.prompt", "Review the code.", command),
      ...asked("turn.prompt", "Review the code.", { ...command, trigger: "model-tool" }),
      ...asked("turn.prompt", "every morning", { kind: "cron_job" }),
      {
        type: "context.append_message",
        message: { role: "user", content: [], origin: { kind: "injection" } },
        time: 4,
      },
      { type: "full_compaction.begin", source: "auto", time: 4 },
      { type: "full_compaction.begin", source: "manual", instruction: "keep names", time: 4 },
    ]);
    expect(prompts(entries)).toEqual([
      "prompt: go",
      "queued: faster",
      "command: /review fast",
      "command: /compact keep names",
    ]);
  });

  it("is one text, whether it is announced before its message or behind it", () => {
    const content = [{ type: "text", text: "faster" }];
    const steered = { role: "user", content, id: "m1", origin: { kind: "user", inTurn: true } };
    const entries = read([
      HEADER,
      ...asked("turn.prompt", "go", { kind: "user" }),
      { type: "prompt.steered", promptIds: ["m1"], messageId: "m1", content, time: 3 },
      { type: "context.append_message", message: steered, time: 4 },
      { type: "turn.steer", input: content, origin: steered.origin, messageId: "m1", promptIds: ["m1"], time: 4 },
      ...asked("turn.prompt", "next", { kind: "user" }),
    ]);
    expect(prompts(entries)).toEqual(["prompt: go", "queued: faster", "prompt: next"]);
  });

  it("is taken back with the turn that an undo counts", () => {
    const undone = (count: number, between: readonly object[] = []): unknown[] =>
      bodies(
        read([
          HEADER,
          ...asked("turn.prompt", "one", { kind: "user" }),
          ...asked("turn.prompt", "two", { kind: "user" }),
          ...between,
          ...asked("turn.prompt", "three", { kind: "user" }),
          { type: "context.undo", count, time: 9 },
        ]),
        "cancelled",
      ).map(({ reason, from_line }) => [reason, from_line]);
    expect([undone(1), undone(2)]).toEqual([[["rewound", 6]], [["rewound", 4]]]);
    const compacted = [{ type: "context.apply_compaction", summary: "s", compactedCount: 2, time: 5 }];
    expect(undone(2, compacted)).toEqual([["rewound", 7]]);
  });

  it("is the task of nobody in a sub-agent, which belongs to its session", () => {
    const records = [HEADER, ...asked("turn.prompt", "count", { kind: "system_trigger", name: "subagent" })];
    const path = join(scratch(), FILE.replace("main", "agent-0"));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
    const entries = [...readSession(refOf(path), null, { detail: "full" })];
    expect(prompts(entries)).toEqual([]);
    expect(sessionIdOf(path)).toBe("session_1__agent-0");
    expect(bodies(entries, "session_meta")[0]?.parent).toEqual({ source: "kimi", session_id: "session_1" });
  });

  it("is every text of a human in a session taken over from Kimi CLI", () => {
    const message = (role: string, text: string, more: object = {}): object => ({
      type: "context.append_message",
      message: { role, content: [{ type: "text", text }], ...more },
    });
    const call = { type: "function", id: "c", name: "Shell", arguments: '{"command":"ls"}' };
    const entries = read([
      HEADER,
      message("user", "go"),
      message("assistant", "I look.", { toolCalls: [call] }),
      message("tool", "a", { toolCallId: "c" }),
      message("user", "<system>Do not stop.</system>"),
    ]);
    expect(prompts(entries)).toEqual(["prompt: go"]);
    expect(settlements(entries)).toEqual(["c: ok -"]);
  });
});

it("a turn ends with its last step where no record states its end", () => {
  const ends = (protocol_version: string): boolean =>
    read([
      { ...HEADER, protocol_version },
      ...asked("turn.prompt", "go", { kind: "user" }),
      event("content.part", { part: { type: "text", text: "done" } }),
      event("step.end", { finishReason: "end_turn" }),
    ]).some(({ records }) => records.some((body) => body.type === "assistant_finished" && body.turn_ended === true));
  expect([ends("1.3"), ends("1.5")]).toEqual([true, false]);
});

describe("a call", () => {
  const go = [HEADER, ...asked("turn.prompt", "go", { kind: "user" })];

  it("that goes on in the background has not ended, and one without an error exited with 0", () => {
    const output = "task_id: b1\npid: 2\nstatus: running\nautomatic_notification: true\n";
    expect(settlements(read([...go, ...called("Bash", {}, { output })]))).toEqual(["Bash: pending -"]);
    expect(settlements(read([...go, ...called("Bash", {}, { output: "x" })]))).toEqual(["Bash: ok 0"]);
    const failed = { output: "no\nCommand failed with exit code: 4.", isError: true };
    expect(settlements(read([...go, ...called("Bash", {}, failed)]))).toEqual(["Bash: failed 4"]);
  });

  it("is refused where the permission says so, whatever its result says", () => {
    const refusal = {
      type: "permission.record_approval_result",
      toolCallId: "Write",
      result: { decision: "rejected" },
    };
    const calls = called("Write", { path: "a" }, { output: "?", isError: true });
    expect(settlements(read([...go, refusal, ...calls]))).toEqual(["Write: denied -"]);
  });

  it("creates a file that was not there, and changes any other", () => {
    const wrote = (key: string | null): unknown =>
      draft([
        ...go,
        { type: "file_history.tracked", path: "src/a.ts", entry: { key, version: 1 } },
        ...called("Write", { path: "/w/src/a.ts", content: "" }, { output: "Wrote 0 bytes" }),
      ]).turns[0]?.files;
    expect(wrote(null)).toMatchObject([{ path: "/w/src/a.ts", operation: "created" }]);
    expect(wrote("file-history/1@v1")).toMatchObject([{ path: "/w/src/a.ts", operation: "modified" }]);
  });
});

it("counts a negative number of tokens for nothing, and says so", () => {
  const usage = { inputOther: -9, output: 5, inputCacheRead: 3, inputCacheCreation: 0 };
  const entries = read([HEADER, ...asked("turn.prompt", "go", { kind: "user" }), { type: "usage.record", usage }]);
  expect(bodies(entries, "usage")).toMatchObject([{ input_tokens: 0, output_tokens: 5, cached_input_tokens: 3 }]);
  expect(bodies(entries, "unreadable").map(({ reason }) => reason)).toEqual(["impossible_number"]);
});
