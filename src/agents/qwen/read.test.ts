import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Entry } from "../contract.ts";
import { readSession } from "./read.ts";
import {
  SESSION,
  assistant,
  bodies,
  classes,
  fixtures,
  prompts,
  reasons,
  record,
  result,
  settlements,
  system,
  telemetry,
  tool,
  user,
} from "./testing.ts";

const { corpusFile, read, readPath, refOf, scratch, writeSession } = fixtures;

const textPart = (text: string): { text: string } => ({ text });

const slash = (rawCommand: string, more: Record<string, unknown> = {}): Record<string, unknown> =>
  system("slash_command", { phase: "invocation", rawCommand, ...more });
const error = (): Record<string, unknown> => telemetry("api_error", { error_message: "500", status_code: 500 });

describe("genuine sessions", () => {
  it("yield prompts, a failed command, and each usage once", () => {
    const entries = readPath(corpusFile("27276ccb"));
    expect(prompts(entries)).toEqual([
      "prompt: First question: list the files. [lab:ls]",
      "prompt: Second question, with a failure. [lab:fail]",
      'prompt: Third question\nover two lines, with "quotes" and ünïcödé ✓ [lab:think]',
    ]);
    expect(settlements(entries.filter((entry) => entry.native === "tool_result"))).toEqual([
      "call_LlsS0xCmKmG0oi0: ok 0",
      "call_LfailS0xDMQPtwf10: failed 3",
    ]);
    expect(bodies(entries, "tool_finished").map((body) => body.duration_ms)).toEqual([260, 260, 228, 228]);
    const counted = bodies(entries, "usage").filter((usage) => usage.verdict === "counted");
    // Five replies and one request of the client's memory agent, which only telemetry records.
    expect(counted.map((usage) => usage.output_tokens)).toEqual([2350, 2351, 2352, 2353, 2360, 2361]);
    expect(bodies(entries, "session_meta")[0]).toMatchObject({ agent_version: "0.24.4", git: { branch: "main" } });
  });

  it("inherit the records a fork copied, recognised by their ids", () => {
    const inherited = new Set(readPath(corpusFile("27276ccb")).map((entry) => entry.identity ?? ""));
    const entries = readPath(corpusFile("28282389"), { inherited });
    expect(prompts(entries)).toEqual(["prompt: A turn in the fork. [lab:bye]"]);
    expect(entries.filter((entry) => entry.class === "inherited")).toHaveLength(21);
    expect(bodies(entries, "session_meta")[0]?.forked_from).toBe("27276ccb-5ac0-4226-91e5-7835a4019576");
    const counted = bodies(entries, "usage").filter((usage) => usage.verdict === "counted");
    expect(counted.map((usage) => usage.output_tokens)).toEqual([2362, 2363]);
  });

  it("link a background agent and count its usage in its own file", () => {
    const parent = readPath(corpusFile("chats/5a5ca63c"));
    const child = "agent-general-purpose-call_LagentS0xmSUfNA6U0";
    expect(bodies(parent, "child_linked").map((link) => [link.phase, link.child.session_id, link.role])).toEqual([
      ["spawned", child, "general-purpose"],
      ["returned", child, "general-purpose"],
    ]);
    const entries = readPath(corpusFile(child));
    expect(prompts(entries)).toEqual([]);
    expect(bodies(entries, "session_meta")[0]).toMatchObject({
      kind: "subagent",
      role: "general-purpose",
      parent: { source: "qwen", session_id: "5a5ca63c-dec8-4831-ab69-074e00f94d8d" },
      // Only the `.meta.json` file names the model.
      model: "lab-model",
    });
    expect(bodies(entries, "usage").map((usage) => usage.model)).toEqual(["lab-model", "lab-model"]);
    const own = bodies(entries, "usage").filter((usage) => usage.verdict === "counted");
    expect(own.map((usage) => usage.output_tokens)).toEqual([2388, 2390]);
    const ids = new Set(own.map((usage) => usage.response_id));
    const stated = bodies(parent, "usage").filter((usage) => ids.has(usage.response_id));
    expect(stated.map((usage) => usage.verdict)).toEqual(["duplicate", "duplicate"]);
  });

  it("distinguish an interrupt, a killed run and a rejected API request", () => {
    expect(bodies(readPath(corpusFile("71a267e6")), "cancelled")).toEqual([
      { type: "cancelled", reason: "interrupted" },
    ]);
    const killed = readPath(corpusFile("3cccf6b8"));
    expect(bodies(killed, "tool_started")).toHaveLength(1);
    expect(settlements(killed)).toEqual([]);
    expect(bodies(readPath(corpusFile("11757f12")), "failed")).toMatchObject([{ code: "400", turn_ended: true }]);
  });
});

describe("user records", () => {
  it("are prompts only if their provenance says so or is missing", () => {
    const bare = user("old style");
    delete bare["provenance"];
    const entries = read([
      user("typed"),
      bare,
      user("steer", { subtype: "mid_turn_user_message", systemPayload: { displayText: "steer me" } }),
      user("tick", { subtype: "cron", provenance: "system" }),
      user("go on", { subtype: "goal_runtime", provenance: "goal_runtime" }),
      user("with hooks added", { systemPayload: { displayText: "with", hookContext: "hooks" } }),
      user("odd", { subtype: "brand_new", provenance: "system" }),
    ]);
    expect(prompts(entries)).toEqual(["prompt: typed", "prompt: old style", "queued: steer me", "prompt: with"]);
    expect(classes(entries)).toBe("trigger trigger trigger reaction reaction trigger unknown");
  });

  it("in subagent files are tasks, not prompts", () => {
    const side = { isSidechain: true, agentId: "a" };
    const path = join(scratch(), "subagents", SESSION, "agent-a.jsonl");
    const entries = readPath(
      writeSession(
        [user("count", side), user("and report", { ...side, externalInputKind: "message" }), user("hurry", side)],
        path,
      ),
    );
    expect(prompts(entries)).toEqual([]);
    expect(bodies(entries, "user").map((body) => body.author)).toEqual(["agent", "agent", "source"]);
    writeFileSync(join(dirname(path), "agent-a.meta.json"), '{"parentAgentId":"b","agentType":"Explore"}');
    expect(bodies(readPath(path), "session_meta")[0]).toMatchObject({
      role: "Explore",
      parent: { session_id: "agent-b" },
    });
  });

  it("in subagent files get the model even if its file is written later", () => {
    const side = { isSidechain: true, agentId: "a", model: undefined };
    const path = join(scratch(), "subagents", SESSION, "agent-a.jsonl");
    writeSession([user("count", side), assistant([{ text: "one" }], side), assistant([{ text: "two" }], side)], path);
    const entries: Entry[] = [];
    for (const entry of readSession(refOf(path), null, { detail: "full" })) {
      if (entries.length === 0) writeFileSync(join(dirname(path), "agent-a.meta.json"), '{"model":"m-1"}');
      entries.push(entry);
    }
    const [first, ...rest] = entries;
    expect(bodies(first ? [first] : [], "session_meta")[0]?.model).toBeUndefined();
    expect(bodies(rest, "usage").map((usage) => usage.model)).toEqual(["m-1", "m-1"]);
    expect(bodies(rest, "context").map((context) => context.model)).toEqual(["m-1"]);
  });
});

describe("an empty response", () => {
  it("ends the turn in a root session, but not in a subagent file", () => {
    const thought = assistant([{ text: "hm", thought: true }]);
    const entries = read([user("go"), assistant([]), user("more"), thought]);
    expect(bodies(entries, "assistant_finished").map((body) => [body.text, body.turn_ended])).toEqual([
      ["", true],
      ["", true],
    ]);
    const side = { isSidechain: true, agentId: "a" };
    const path = join(scratch(), "subagents", SESSION, "agent-a.jsonl");
    writeSession([user("count", side), assistant([{ text: "hm", thought: true }], side)], path);
    expect(bodies(readPath(path), "assistant_finished")).toEqual([]);
  });
});

describe("slash commands", () => {
  const printed = system("slash_command", { phase: "result", rawCommand: "/about", outputHistoryItems: [] });

  it("are triggers if they expand to a prompt or start work of the model, else session records", () => {
    const entries = read([
      slash("/about"),
      printed,
      user("plain"),
      assistant([textPart("ok")]),
      slash("/greet all", { sentToModel: true }),
      user("Greet all politely."),
      assistant([textPart("hi")]),
      slash("/goal win", { sentToModel: false }),
      user("Continue toward the goal", { subtype: "goal_runtime", provenance: "goal_runtime" }),
      assistant([textPart("won")]),
      slash("/compress"),
      system("chat_compression", { compressedHistory: [{ role: "user", parts: [textPart("so far")] }] }),
      slash("/hidden", { hiddenInvocation: true }),
      slash("/quit"),
    ]);
    expect(prompts(entries)).toEqual([
      "prompt: plain",
      "command: /greet all",
      "command: /goal win",
      "command: /compress",
    ]);
    expect(reasons(entries).filter((reason) => reason.startsWith("qwen.command"))).toEqual([
      "qwen.command.local",
      "qwen.command.result",
      "qwen.command.expanded",
      "qwen.command.model",
      "qwen.command.model",
      "qwen.command.hidden",
      "qwen.command.local",
    ]);
    expect(entries.at(-1)?.tentative).toBe(true);
    expect(bodies(entries, "compacted")[0]?.summary).toBe("so far");
  });
});

describe("settlement", () => {
  it("is derived from status, exit code and refusal text", () => {
    const entries = read([
      user("go"),
      assistant(["ok", "exit", "old", "no", "esc", "bad"].map((id) => tool(id, "run_shell_command"))),
      result("ok", { output: "fine" }, { status: "success" }),
      result("exit", { error: "x" }, { status: "error", resultDisplay: { exitCode: 2 } }),
      result(
        "old",
        { output: "Output: x\nExit Code: 3\nSignal: (none)\nProcess Group PGID: (none)" },
        { status: "success" },
      ),
      result("no", { error: "[Operation Cancelled] Reason: User did not allow tool call" }, { status: "cancelled" }),
      result("esc", { error: "[Operation Cancelled] Reason: Operation cancelled" }, { status: "cancelled" }),
      result("bad", { error: "no such file" }),
    ]);
    expect(settlements(entries)).toEqual([
      "ok: ok -",
      "exit: failed 2",
      "old: failed 3",
      "no: denied -",
      "esc: interrupted -",
      "bad: failed -",
    ]);
  });

  it("lists the file an edit changed, and uses telemetry if there is no result", () => {
    const entries = read([
      user("go"),
      assistant([tool("w", "write_file", { file_path: "/w/a" }), tool("e", "edit", { file_path: "/w/b" })]),
      result("w", { output: "" }, { status: "success", resultDisplay: { fileDiff: "", originalContent: null } }),
      result("e", { output: "" }, { status: "success", resultDisplay: { fileDiff: "", originalContent: "x" } }),
      assistant([tool("t", "glob")]),
      telemetry("tool_call", { call_id: "t", duration_ms: 12, status: "success", success: true }),
    ]);
    expect(
      bodies(entries, "tool_finished").map((body) => [body.call_id, body.files?.[0]?.operation, body.duration_ms]),
    ).toEqual([
      ["w", "created", null],
      ["e", "modified", null],
      ["t", undefined, 12],
    ]);
  });
});

describe("usage", () => {
  it("adds thoughts to the output unless the total includes them", () => {
    const usage = { promptTokenCount: 10, cachedContentTokenCount: 4, candidatesTokenCount: 5, thoughtsTokenCount: 3 };
    const entries = read([
      user("go"),
      assistant([textPart("a")], { usageMetadata: { ...usage, totalTokenCount: 18 } }),
      assistant([textPart("b")], { usageMetadata: { ...usage, totalTokenCount: 15 } }),
    ]);
    expect(
      bodies(entries, "usage").map((body) => [body.input_tokens, body.output_tokens, body.reasoning_tokens]),
    ).toEqual([
      [6, 8, 3],
      [6, 5, 3],
    ]);
  });

  it("from telemetry is a duplicate, unless it is of a helper without a transcript", () => {
    const numbers = { input_token_count: 10, output_token_count: 2, total_token_count: 12 };
    const entries = read([
      user("go"),
      telemetry("api_response", numbers),
      assistant([textPart("a")]),
      telemetry("api_response", { ...numbers, subagent_id: "memory" }),
      assistant([textPart("b")]),
    ]);
    expect(bodies(entries, "usage").map((body) => body.verdict)).toEqual([
      "counted",
      "duplicate",
      "counted",
      "counted",
    ]);
  });
});

describe("telemetry of a subagent", () => {
  it("is a duplicate if a transcript exists, even if only the agent type is named (0.21.2)", () => {
    const numbers = { input_token_count: 10, output_token_count: 2, total_token_count: 12 };
    const side = { ...numbers, subagent_name: "general-purpose", prompt_id: `${SESSION}#general-purpose-1a2b#0` };
    const project = scratch();
    const path = join(project, "chats", `${SESSION}.jsonl`);
    const records = [user("go"), telemetry("api_response", side), assistant([textPart("a")])];
    const verdicts = (): string[] => bodies(readPath(writeSession(records, path)), "usage").map((one) => one.verdict);
    expect(verdicts()).toEqual(["counted", "counted"]);
    writeSession([user("task")], join(project, "subagents", SESSION, "agent-general-purpose-call_1.jsonl"));
    expect(verdicts()).toEqual(["duplicate", "counted"]);
  });
});

describe("actions in the terminal (0.24.4)", () => {
  it("include /compress, recorded after its compression", () => {
    const info = { triggerReason: "manual" };
    const command = { phase: "invocation", rawCommand: "/compress", sentToModel: false };
    const entries = read([
      user("go"),
      assistant([textPart("a")]),
      system("chat_compression", { info, compressedHistory: [] }),
      system("slash_command", command),
      user("on"),
    ]);
    expect(prompts(entries)).toEqual(["prompt: go", "command: /compress", "prompt: on"]);
    expect(bodies(entries, "compacted").map((one) => one.trigger)).toEqual(["manual"]);
  });

  it("include cancelling a tool, which cancels the turn unless the model continues", () => {
    const stopped = { error: "[Operation Cancelled] Reason: User intentionally cancelled." };
    const cut = [user("go"), assistant([tool("t", "run_shell_command")]), result("t", stopped)];
    expect(bodies(read([...cut, user("next")]), "cancelled")).toHaveLength(1);
    expect(bodies(read([...cut, assistant([textPart("so be it")])]), "cancelled")).toEqual([]);
  });
});

describe("other records", () => {
  it("rewind turns, rename the session and set the approval mode", () => {
    const first = user("first");
    const reply = assistant([textPart("ok")], { parentUuid: first["uuid"] });
    const second = user("second", { parentUuid: reply["uuid"] });
    const title = system("custom_title", { customTitle: "t", titleSource: "auto" });
    const entries = read([
      first,
      reply,
      second,
      system("rewind", { truncatedCount: 2 }, { parentUuid: reply["uuid"] }),
      title,
      { ...title, uuid: "again" },
      system("session_approval_mode", { mode: "yolo" }),
    ]);
    expect(bodies(entries, "cancelled")).toEqual([{ type: "cancelled", reason: "rewound", from_line: 3 }]);
    expect(bodies(entries, "session_renamed")).toEqual([{ type: "session_renamed", title: "t", by: "agent" }]);
    expect(bodies(entries, "context").at(-1)).toEqual({ type: "context", approval_policy: "yolo" });
  });

  it("of type error end a turn only if the model does not continue", () => {
    const entries = read([user("a"), error(), assistant([textPart("fine")]), user("b"), error(), user("c")]);
    expect(bodies(entries, "failed").map((body) => body.turn_ended)).toEqual([false, true]);
  });

  it("of unknown type are reported as drift, and repeated ones are duplicates", () => {
    const one = user("x", { odd: 1 });
    const path = writeSession([one, one, record("brand-new"), system("odd", {}), "{"]);
    const reading = readSession(refOf(path), null, { detail: "full" });
    expect(classes([...reading])).toBe("trigger duplicate unknown unknown corrupt");
    expect(reading.drift()).toEqual({
      versions: { "0.24.0": 4 },
      unknownTypes: { "0.24.0 · brand-new": 1, "0.24.0 · system/odd": 1 },
      unknownFields: { "0.24.0 · user · odd": 2 },
    });
  });
});
