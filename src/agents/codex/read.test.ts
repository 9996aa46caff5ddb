import { appendFileSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { RecordBody } from "../../record/record.ts";
import type { Entry, ReadContext, SourceRef } from "../contract.ts";
import { codex } from "./source.ts";

const folder = mkdtempSync(join(tmpdir(), "codex-read-"));
let files = 0;

function file(lines: readonly unknown[], name = `rollout-${++files}.jsonl`): SourceRef {
  const path = join(folder, name);
  writeFileSync(path, lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
  return { source: "codex", path, size: 0, mtimeMs: 0, container: name.endsWith(".json") ? "json" : "jsonl" };
}
function read(lines: readonly unknown[], more: Partial<ReadContext> = {}): Entry[] {
  return [...codex.read(file(lines), null, { detail: "full", ...more })];
}

const at = (time: string, type: string, payload: unknown, more: object = {}): object => ({
  timestamp: `2026-05-12T08:${time}.000Z`,
  type,
  payload,
  ...more,
});
const meta = (payload: object, time = "00:00"): object =>
  at(time, "session_meta", { id: "S", timestamp: `2026-05-12T08:${time}.000Z`, cwd: "/repo", ...payload });
const user = (text: string, time = "00:00"): object =>
  at(time, "response_item", { type: "message", role: "user", content: [{ type: "input_text", text }] });
const says = (text: string, time = "00:00"): object =>
  at(time, "response_item", { type: "message", role: "assistant", content: [{ type: "output_text", text }] });
const item = (payload: object): object => at("00:00", "response_item", payload);
const event = (payload: object, time = "00:00"): object => at(time, "event_msg", payload);

const bodies = <T extends RecordBody["type"]>(entries: Entry[], type: T): Extract<RecordBody, { type: T }>[] =>
  entries.flatMap((entry) => entry.records.filter((r): r is Extract<RecordBody, { type: T }> => r.type === type));
const classes = (entries: Entry[]): string => entries.map((entry) => entry.class).join(" ");

const agentEvent = (message: string): object => event({ type: "agent_message", message });
const texts = (entries: Entry[]): string[] => bodies(entries, "assistant_finished").map((body) => body.text);
const ordinal = (n: number, line: object): object => ({ ...line, ordinal: n });
const message = (role: string, text: string): object => ({
  type: "message",
  role,
  content: [{ type: "input_text", text }],
});
it("the cursor stays before the first tentative entry, wherever an incomplete line ends the file", () => {
  for (let between = 0; between < 20; between++) {
    const begun = event({ type: "task_started", turn_id: "t", model_context_window: 1000 });
    const filler = Array.from({ length: between }, () => item(message("developer", "Rules.")));
    const ref = file([meta({}), begun, ...filler]);
    appendFileSync(ref.path, '{"timestamp":"2026-05-12T08:00:01.000Z","type":"respo');
    const reading = codex.read(ref, null, { detail: "full" });
    const first = [...reading].find((entry) => entry.tentative);
    expect(reading.cursor().line, `${between} between`).toBe((first?.line ?? 0) - 1);
  }
});

describe("assistant text", () => {
  it("is recorded once, in whatever order a version writes its copies", () => {
    expect(texts(read([agentEvent("x"), says("x")]))).toEqual(["x"]);
    expect(texts(read([says("x"), agentEvent("x")]))).toEqual(["x"]);
    expect(
      texts(read([agentEvent("x"), event({ type: "token_count", info: null }), says("x"), agentEvent("x"), says("x")])),
    ).toEqual(["x", "x"]);
    expect(texts(read([agentEvent("only"), user("next"), event({ type: "user_message", message: "next" })]))).toEqual([
      "only",
    ]);
    const copy = event({
      type: "item_completed",
      turn_id: "t",
      item: { type: "AgentMessage", content: [{ type: "Text", text: "x" }] },
    });
    expect(texts(read([copy, says("x")]))).toEqual(["x"]);
  });

  it("is taken from the end of the turn if no other record holds it", () => {
    const started = event({ type: "task_started", turn_id: "t" });
    expect(texts(read([started, event({ type: "task_complete", turn_id: "t", last_agent_message: "done" })]))).toEqual([
      "done",
    ]);
  });

  it("of a reasoning summary is recorded once, although each part has an event", () => {
    const summary = ["one", "two"].map((text) => ({ type: "summary_text", text }));
    const entries = read([
      event({ type: "agent_reasoning", text: "one" }),
      event({ type: "agent_reasoning", text: "two" }),
      item({ type: "reasoning", summary, encrypted_content: "gAAA" }),
    ]);
    expect(bodies(entries, "reasoning_finished")).toEqual([{ type: "reasoning_finished", text: "one\n\ntwo" }]);
  });
});

describe("the end of a turn", () => {
  const started = event({ type: "task_started", turn_id: "t" });
  const turnStart = [meta({}), started, user("go"), event({ type: "user_message", message: "go" })];
  it("is completed, failed with an error or without a response, interrupted or rolled back", () => {
    const end = (payload: object): RecordBody | undefined => read([...turnStart, event(payload)]).at(-1)?.records[0];
    expect(end({ type: "task_complete", turn_id: "t", last_agent_message: null })).toMatchObject({
      type: "failed",
      turn_ended: true,
    });
    const error = { message: "no", codex_error_info: "other" };
    expect(end({ type: "task_complete", turn_id: "t", error })).toMatchObject({
      type: "failed",
      message: "no",
      code: "other",
    });
    expect(end({ type: "turn_aborted", turn_id: "t", reason: "interrupted", duration_ms: 5 })).toMatchObject({
      type: "cancelled",
      reason: "interrupted",
    });
    expect(end({ type: "thread_rolled_back", num_turns: 2 })).toEqual({
      type: "cancelled",
      reason: "rolled_back",
      turns: 2,
    });
    const answered = read([
      ...turnStart,
      says("ok"),
      event({ type: "task_complete", turn_id: "t", duration_ms: 7 }),
    ]).at(-1);
    expect(answered?.records[0]).toMatchObject({
      type: "assistant_finished",
      text: "",
      turn_ended: true,
      duration_ms: 7,
    });
  });
});

describe("copied history", () => {
  const parent = [meta({ id: "P" }), user("old"), event({ type: "user_message", message: "old" }), says("was")];
  it("is inherited only at the start of the file if the parent's records are known", () => {
    const identities = new Set(read(parent, { identities: true }).flatMap((entry) => entry.identity ?? []));
    const child = [meta({ id: "C", forked_from_id: "P" }, "30:00"), ...parent, user("new"), says("now"), user("old")];
    const entries = read(child, { inherited: identities });
    expect(classes(entries)).toBe("session inherited inherited inherited inherited trigger reaction trigger");
    expect(entries[0]?.identity).toBe("C");
  });

  it("is recognised by its timestamps if the parent is missing", () => {
    const usage = event(
      {
        type: "token_count",
        info: {
          total_token_usage: { input_tokens: 5, output_tokens: 1 },
          last_token_usage: { input_tokens: 5, output_tokens: 1 },
        },
      },
      "30:00",
    );
    const own = event(
      {
        type: "token_count",
        info: {
          total_token_usage: { input_tokens: 8, output_tokens: 2 },
          last_token_usage: { input_tokens: 3, output_tokens: 1 },
        },
      },
      "40:01",
    );
    const copy = [
      meta({ id: "C" }, "30:00"),
      meta({ id: "P" }, "30:00"),
      user("old", "30:00"),
      usage,
      user("new", "40:00"),
      own,
    ];
    const entries = read(copy);
    expect(classes(entries)).toBe("session inherited inherited inherited trigger reaction");
    expect(bodies(entries, "usage").map((u) => [u.verdict, u.input_tokens])).toEqual([
      ["inherited", 5],
      ["counted", 3],
    ]);
  });

  it("ends before the first own ordinal of a subagent, and a revert cancels turns", () => {
    const spawned = { source: { subagent: { thread_spawn: {} } }, subagent_history_start_ordinal: 2 };
    expect(classes(read([ordinal(0, meta(spawned)), ordinal(1, user("old")), ordinal(2, user("task"))]))).toBe(
      "session inherited reaction",
    );
    const reverted = read([ordinal(9, meta({ history_base: { thread_id: "S", end_ordinal_exclusive: 9 } }))]);
    expect(reverted[0]).toMatchObject({
      position: 9,
      records: [{ type: "session_meta" }, { type: "cancelled", reason: "rewound", from_line: 9 }],
    });
  });
});

describe("files of the first versions", () => {
  const header = { id: "L", timestamp: "2025-07-01T10:00:00.000Z", instructions: null, git: { branch: "main" } };
  const context =
    "<environment_context>\nCurrent working directory: /old\nApproval policy: on-request\n</environment_context>";
  const shell = { type: "function_call", name: "shell", arguments: '{"command":["ls"]}', call_id: "c" };
  const result = {
    type: "function_call_output",
    call_id: "c",
    output: '{"output":"x","metadata":{"exit_code":1,"duration_seconds":0.5}}',
  };

  it("are read although their records have no envelope", () => {
    const entries = read([
      header,
      { record_type: "state" },
      message("user", context),
      message("user", `${context}\n\nfix it`),
      shell,
      result,
      message("assistant", "done"),
    ]);
    expect(classes(entries)).toBe("session setup setup trigger reaction reaction reaction");
    expect(entries[0]).toMatchObject({ identity: "L", time: Date.parse(header.timestamp) });
    expect(entries[2]?.records).toEqual([{ type: "context", cwd: "/old", approval_policy: "on-request" }]);
    expect(entries[3]?.records[0]).toMatchObject({ text: "fix it", kind: "prompt" });
    expect(entries[5]?.records[0]).toMatchObject({ status: "failed", exit_code: 1, duration_ms: 500 });
    expect(entries.some((entry) => entry.tentative)).toBe(false);
  });

  it("are read from a single JSON document", () => {
    const ref = file(
      [{ session: header, items: [message("user", "hi"), message("assistant", "yes"), 7] }],
      "rollout-old.json",
    );
    const reading = codex.read(ref, null, { detail: "full" });
    const entries = [...reading];
    expect(entries.map((entry) => [entry.line, entry.class])).toEqual([
      [1, "session"],
      [2, "trigger"],
      [3, "reaction"],
      [4, "corrupt"],
    ]);
    expect([...codex.read(ref, reading.cursor(), { detail: "full" })]).toEqual([]);
  });
});

describe("reading a file", () => {
  it("yields one entry per line, also if malformed or unknown, and reports drift", () => {
    const entries = read([
      "not json",
      "[]",
      "",
      at("00:00", "novelty", {}),
      event({ type: "novel" }),
      { type: "session_meta" },
      user("hi"),
    ]);
    expect(classes(entries)).toBe("corrupt corrupt session unknown unknown session trigger");
    const reading = codex.read(file([at("00:00", "novelty", {}), meta({ cli_version: "9", odd: 1 })]), null, {
      detail: "full",
    });
    expect([...reading]).toHaveLength(2);
    expect(reading.drift()).toEqual({
      versions: { unknown: 1, "9": 1 },
      unknownTypes: { "unknown · novelty": 1 },
      unknownFields: { "9 · session_meta · odd": 1 },
    });
  });

  it("resumes a growing file at its tentative entry with the same result", () => {
    const lines = [
      meta({}),
      user("a"),
      event({ type: "user_message", message: "a" }),
      says("b"),
      event({ type: "agent_message", message: "b" }),
    ];
    const ref = file(lines.slice(0, 2));
    const first = codex.read(ref, null, { detail: "full" });
    expect([...first].at(-1)?.tentative).toBe(true);
    expect(first.cursor().line).toBe(1);
    appendFileSync(
      ref.path,
      lines
        .slice(2)
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(""),
    );
    const rest = [...codex.read(ref, JSON.parse(JSON.stringify(first.cursor())), { detail: "full" })];
    expect(classes(rest)).toBe("trigger echo reaction reaction");
    expect(rest).toEqual([...codex.read(ref, null, { detail: "full" })].slice(1));
  });

  it("records only the changes in a repeated header", () => {
    const entries = read([
      meta({ git: { branch: "a" } }),
      meta({ git: { branch: "a" } }),
      meta({ git: { branch: "b" } }),
    ]);
    expect(entries.map((entry) => entry.records.length)).toEqual([1, 0, 1]);
    expect(entries[2]?.records[0]).toMatchObject({ git: { branch: "b" }, cwd: "/repo" });
    expect(entries[2]?.records[0]).not.toHaveProperty("originator");
  });

  it("skips lines without usage at usage detail, but still finds prompts", () => {
    const lines = [
      meta({}),
      at("00:00", "response_item", { type: "message", role: "developer", content: [] }),
      user("go"),
      event({ type: "user_message", message: "go" }),
      at("00:00", "response_item", { type: "function_call_output", call_id: "c", output: "x".repeat(700) }),
      at("00:00", "world_state", { full: true }, {}),
    ];
    expect(read(lines, { detail: "usage" }).map((entry) => entry.reason)).toEqual([
      "codex.header",
      "codex.skimmed",
      "codex.response_item.echoed",
      "codex.user_message.echo",
      "codex.skimmed",
      "codex.skimmed",
    ]);
  });
});
