import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Native } from "../kit/native.ts";
import { bodies, prompts } from "../kit/testing.ts";
import { assistant, fixtures, record, result, SESSION, text, tool, user } from "./testing.ts";
import { describe, expect, it } from "vitest";

const { read, readPath } = fixtures;

const queue = (operation: string, content?: string): Native => ({
  type: "queue-operation",
  operation,
  timestamp: "2026-05-12T08:00:00.000Z",
  sessionId: SESSION,
  ...(content === undefined ? {} : { content }),
});

describe("a prompt in the queue", () => {
  const busy = [
    user("one"),
    assistant([tool("t", "Bash")], { stop: "tool_use" }),
    queue("enqueue", "two"),
    user([result("t", "ok")]),
  ];

  it("is a trigger when it is removed from the queue during a turn (2.1.88)", () => {
    const entries = read([...busy, queue("remove"), assistant([text("both")], { stop: "end_turn" })]);
    expect(prompts(entries)).toEqual(["prompt: one", "queued: two"]);
    expect(entries[4]?.reason).toBe("claude.queue.absorbed");
  });

  it("is no trigger if withdrawn, and only one if an attachment repeats it (later releases)", () => {
    const queued = { type: "queued_command", prompt: "two", commandMode: "prompt" };
    const attachment = user("", { type: "attachment", attachment: queued, message: undefined });
    expect(prompts(read([...busy, queue("remove", "two"), attachment]))).toEqual(["prompt: one", "queued: two"]);
    expect(prompts(read([...busy, queue("popAll", "two"), assistant([text("one")])]))).toEqual(["prompt: one"]);
    const listing = { type: "skill_listing", content: "" };
    const listed = user("", { type: "attachment", attachment: listing, message: undefined });
    expect(prompts(read([listed, ...busy, queue("remove", "two"), assistant([text("one")])]))).toEqual(["prompt: one"]);
  });

  it("is not taken into the turn of a prompt that a hook blocked: nothing runs there", () => {
    const content = "UserPromptSubmit operation blocked by hook:\n[check.sh]: no\n\n\nOriginal prompt: one";
    const blocked = record("system", { subtype: "informational", content, level: "warning" });
    const removed = [queue("enqueue", "two"), queue("remove")];
    expect(prompts(read([blocked, ...removed]))).toEqual(["prompt: one"]);
    // It is, in the turn that begins after it.
    expect(prompts(read([blocked, user("next"), ...removed]))).toEqual(["prompt: one", "prompt: next", "queued: two"]);
  });

  it("is repeated by a record of about the same time, before it or after it, and by no other", () => {
    const at = (seconds: number): string => new Date(Date.UTC(2026, 4, 12, 8, 0, seconds)).toISOString();
    const queued = { type: "queued_command", prompt: "go on", commandMode: "prompt" };
    const attachment = user("", { type: "attachment", attachment: queued, message: undefined, timestamp: at(30) });
    const after = (seconds: number): string[] =>
      prompts(read([user("one"), attachment, user("go on", { timestamp: at(seconds) })])).slice(1);
    for (const near of [21, 30, 39]) expect(after(near)).toEqual(["queued: go on"]);
    for (const far of [10, 50]) expect(after(far)).toEqual(["queued: go on", "prompt: go on"]);
  });

  it("is no trigger if it is a background task notification", () => {
    const notice = "<task-notification>\n<task-id>b1</task-id>\n</task-notification>";
    const entries = read([user("one"), assistant([text("…")]), queue("enqueue", notice), queue("remove")]);
    expect(prompts(entries)).toEqual(["prompt: one"]);
  });

  it("is no trigger if it is a background task that starts (genuine file, 2.1.50)", () => {
    const path = fileURLToPath(new URL("../../../test/fixtures/claude/", import.meta.url));
    expect(prompts(readPath(join(path, "66bfd503-48fa-4ce7-bd20-acb0c10551e9.jsonl")))).toEqual([
      "prompt: Start it in the background. [lab:bglong]",
      "prompt: Delegate it. [lab:agent]",
      "prompt: After. [lab:hello]",
    ]);
    // A human may paste something similar.
    const queued = (content: string): string[] =>
      prompts(read([...busy, queue("remove"), queue("enqueue", content), queue("remove")])).slice(2);
    expect(queued('{"task_id":"b1","description":"d","task_type":"local_bash"}')).toEqual([]);
    for (const pasted of [
      '{"task_id":"b1","task_type":"local_bash"} what is this?',
      '{"task_id":"b1","task_type":"local_bash"',
      '{"task_id":1,"task_type":"local_bash"}',
      '{"task_id":"b1","type":"local_bash"}',
      '[{"task_id":"b1","task_type":"local_bash"}]',
    ])
      expect(queued(pasted)).toEqual([`queued: ${pasted}`]);
  });

  it("is one trigger, or none yet, if the client takes it out and puts it back (2.1.1)", () => {
    const round = [queue("enqueue", "go"), queue("dequeue")];
    const triggers = (...records: Native[]): string[] => prompts(read(records));
    expect(triggers(...round, ...round, ...round)).toEqual(["prompt: go"]);
    expect(triggers(...round, ...round, queue("enqueue", "go"))).toEqual([]);
    expect(triggers(...round, queue("enqueue", "on"), queue("dequeue"))).toEqual(["prompt: go", "prompt: on"]);
  });

  it("is a tentative trigger while no record follows, as in a killed run (2.0.42)", () => {
    const started = [queue("enqueue", "go"), queue("dequeue")];
    const [, dequeued] = read(started);
    expect([dequeued?.class, dequeued?.reason, dequeued?.tentative]).toEqual(["trigger", "claude.queue.only", true]);
    expect(prompts(read([...started, user("go")]))).toEqual(["prompt: go"]);
  });
});

describe("Escape with a prompt in the queue (2.1.325)", () => {
  it("cancels the previous turn, although the interrupt marker follows the queued prompt", () => {
    const entries = read([
      user("one", { promptId: "p1" }),
      assistant([tool("t", "Bash")], { id: "m1", stop: "tool_use" }),
      user("two", { promptId: "p2", promptSource: "queued" }),
      user([text("[Request interrupted by user for tool use]")], { promptId: "p2", interruptedMessageId: "m1" }),
      assistant([text("two it is")], { id: "m2", stop: "end_turn" }),
    ]);
    expect(bodies(entries, "cancelled")).toHaveLength(1);
    expect(entries[3]?.turnId).toBe("p1");
  });
});

describe("a command killed by Escape", () => {
  it("cancels its turn if the interrupt marker is in the same record as the result", () => {
    const refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
    const blocks = [result("t", refusal, { is_error: true }), text("[Request interrupted by user for tool use]")];
    const old = read([user("go"), assistant([tool("t", "Bash")]), user(blocks)]);
    expect(bodies(old, "cancelled")).toHaveLength(1);
    expect(bodies(old, "tool_finished").map((one) => one.status)).toEqual(["denied"]);
    const queued = read([user("go"), assistant([tool("t", "Bash")]), user(blocks, { interruptedMessageId: "m" })]);
    expect(bodies(queued, "tool_finished").map((one) => one.status)).toEqual(["interrupted"]);
  });

  it("is interrupted even if it has an exit code (2.0.42, 2.1.88)", () => {
    const output = "Exit code 137\n[Request interrupted by user for tool use]";
    const entries = read([user("go"), assistant([tool("t", "Bash")]), user([result("t", output, { is_error: true })])]);
    expect(bodies(entries, "tool_finished").map((one) => one.status)).toEqual(["interrupted"]);
  });
});
