import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildDraft } from "../../turns/builder.ts";
import { obj, type Native } from "../kit/native.ts";
import { readSession } from "./read.ts";
import {
  SESSION,
  bodies,
  classes,
  complete,
  event,
  fixtures,
  message,
  prompts,
  reasons,
  settlements,
  start,
  user,
  workedIn,
} from "./testing.ts";

const { corpusFile, read, readPath, refOf, scratch, writeSession } = fixtures;

const counted = (entries: ReturnType<typeof read>): number[] =>
  bodies(entries, "usage")
    .filter((usage) => usage.verdict === "counted")
    .map((usage) => usage.output_tokens);

const prompt = (content: string): unknown => event("system.message", { role: "system", content });
const metrics = (input: number, output: number, cached = 0): unknown => ({
  m: { usage: { inputTokens: input, outputTokens: output, cacheReadTokens: cached, cacheWriteTokens: 0 } },
});

const shutdown = (modelMetrics: unknown): unknown => event("session.shutdown", { modelMetrics });
const error = (): unknown => event("session.error", { message: "x", errorType: "query" });

const usage = (apiCallId: string, sequence: number): unknown =>
  event("session.usage_record", {
    usage: {
      model: "m",
      inputTokens: 10,
      outputTokens: 2,
      apiCallId,
      accounting: { sourceSessionId: "s", sequence },
    },
  });

const PLACE = workedIn(corpusFile("04f6c590"), "copilot-1.0.102");

describe("the outcome of a turn", () => {
  /** The outcomes of the three turns of a genuine session with some records changed or left out. */
  const outcomes = (change: (record: Native, n: number) => Native | null): string[] => {
    const lines = readFileSync(corpusFile("04f6c590"), "utf8").trimEnd().split("\n");
    const path = writeSession(lines.flatMap((line, i) => change(JSON.parse(line) as Native, i + 1) ?? []));
    const reading = readSession(refOf(path), null, { detail: "full" });
    const draft = buildDraft(refOf(path), SESSION, reading, { ledger: false, toolDetail: true });
    return draft.turns.map((turn) => turn.outcome);
  };
  const LAST_OF_FIRST = 13;
  const ends = (record: Native): boolean => record["type"] === "assistant.turn_end";

  it("is completed by the end of a model request without tool calls", () => {
    expect(outcomes((record) => record)).toEqual(["completed", "completed", "completed"]);
  });

  it("is aborted or open if that end is missing, despite assistant text", () => {
    expect(outcomes((record, n) => (n === LAST_OF_FIRST && ends(record) ? null : record))).toEqual([
      "aborted",
      "completed",
      "completed",
    ]);
    expect(outcomes((record) => (ends(record) ? null : record))).toEqual(["aborted", "aborted", "open"]);
  });

  it("is completed by an empty response", () => {
    const mute = (record: Native): Native =>
      record["type"] === "assistant.message" ? { ...record, data: { ...obj(record["data"]), content: "" } } : record;
    expect(outcomes(mute)).toEqual(["completed", "completed", "completed"]);
  });

  it("is completed by the last text in versions that do not mark model requests", () => {
    expect(outcomes((record) => (/turn_(?:start|end)$/.test(String(record["type"])) ? null : record))).toEqual([
      "completed",
      "completed",
      "completed",
    ]);
  });
});

describe("genuine sessions", () => {
  it("yield prompts as typed, a failed command, and each response once over two resumes", () => {
    const entries = readPath(corpusFile("04f6c590"));
    expect(prompts(entries)).toEqual([
      "prompt: First question: list the files. [lab:ls]",
      "prompt: Second question, with a failure. [lab:fail]",
      'prompt: Third question\nover two lines, with "quotes" and ünïcödé ✓ [lab:think]',
    ]);
    expect(bodies(entries, "user").map((body) => body.entry)).toEqual(["headless", "headless", "headless"]);
    expect(settlements(entries)).toEqual(["call_LlsS0xr93324mx0: ok 0", "call_LfailS0xFQHvlHxS0: failed 3"]);
    expect(bodies(entries, "tool_finished").map((body) => body.duration_ms)).toEqual([63, 31]);
    expect(counted(entries)).toEqual([2436, 2437, 2438, 2439, 2440]);
    expect(bodies(entries, "assistant_finished").filter((body) => body.turn_ended)).toHaveLength(3);
    expect(bodies(entries, "session_meta")).toMatchObject([
      { cwd: PLACE, agent_version: "1.0.102", originator: "github/cli", model: "gpt-5.1" },
    ]);
  });

  it("contain the records of their subagents", () => {
    const entries = readPath(corpusFile("eb2ab11f"));
    expect(prompts(entries)).toEqual(["prompt: Delegate the counting to a sub-agent. [lab:agent]"]);
    expect(bodies(entries, "child_linked").map((link) => [link.phase, link.role, link.call_id])).toEqual([
      ["spawned", "task", "call_LagentS0xxDZJc6yJ0"],
      ["returned", "task", "call_LagentS0xxDZJc6yJ0"],
    ]);
    expect(bodies(entries, "tool_started").map((body) => body.parent_call_id)).toEqual([
      undefined,
      "call_LagentS0xxDZJc6yJ0",
      undefined,
    ]);
    expect(counted(entries)).toEqual([2459, 2460, 2461, 2462, 2463]);
    expect(bodies(entries, "user").map((body) => body.author)).toEqual(["human", "agent"]);
  });

  it("yield files, interrupts, errors and commands", () => {
    expect(bodies(readPath(corpusFile("8e6075c3")), "tool_finished")[0]?.files).toEqual([
      { path: `${PLACE}/note.txt`, operation: "created" },
    ]);
    const aborted = readPath(corpusFile("89ec8ed5"));
    expect(bodies(aborted, "cancelled")).toEqual([{ type: "cancelled", reason: "interrupted" }]);
    expect(bodies(aborted, "assistant_finished")).toEqual([]);
    expect(bodies(readPath(corpusFile("cbc86a97")), "failed")).toMatchObject([{ code: "400", turn_ended: true }]);
    expect(prompts(readPath(corpusFile("2b05d3c7")))).toEqual(["command: /greet the whole team"]);
    expect(settlements(readPath(corpusFile("a5306497")))).toEqual(["call_LunknownS0xm9EFXx5w0: failed -"]);
  });
});

describe("user messages", () => {
  it("are prompts unless they name another origin", () => {
    const entries = read([
      start(),
      user("typed"),
      user("mine", { source: "user" }),
      user("steer", { delivery: "steering" }),
      user("later", { delivery: "queued" }),
      user("skill body", { source: "skill-pdf" }),
      user("keep going", { isAutopilotContinuation: true, source: "autopilot" }),
      user("<system_notification>done</system_notification>"),
      user("hello", { transformedContent: "<cross_session_message>from_session_id: x\nhello" }),
      user("what is <cross_session_message>?", { transformedContent: "what is <cross_session_message>?" }),
      user("task", { source: "agent-main" }, { agentId: "a" }),
    ]);
    expect(prompts(entries)).toEqual([
      "prompt: typed",
      "prompt: mine",
      "queued: steer",
      "queued: later",
      "prompt: what is <cross_session_message>?",
    ]);
    expect(reasons(entries).slice(5, 9)).toEqual([
      "copilot.user.skill",
      "copilot.user.autopilot",
      "copilot.user.notification",
      "copilot.user.cross_session",
    ]);
  });

  it("have an entry derived from the system prompt", () => {
    const turn = event("assistant.turn_start", { turnId: "0" });
    const entries = read([
      start(),
      user("a"),
      prompt("You are an interactive CLI"),
      turn,
      user("b"),
      turn,
      user("c"),
      prompt("You are running in non-interactive mode"),
      turn,
    ]);
    expect(bodies(entries, "user").map((body) => body.entry)).toEqual(["interactive", "interactive", "headless"]);
    const last = read([start(), user("a")]).at(-1);
    expect([last?.tentative, last?.class]).toEqual([true, "trigger"]);
  });

  it("may be shell commands run without the model", () => {
    const data = { toolCallId: "c", toolName: "bash", arguments: { command: "ls" } };
    const entries = read([
      start(),
      event("tool.user_requested", data),
      complete("c", { shellExecution: { exitCode: 0 }, isUserRequested: true }),
    ]);
    expect(prompts(entries)).toEqual(["shell: !ls"]);
    expect(bodies(entries, "assistant_finished").map((one) => one.turn_ended)).toEqual([true]);
    expect(settlements(entries)).toEqual(["c: ok 0"]);
  });
});

describe("settlement", () => {
  it("is derived from success, exit code and refusal", () => {
    const entries = read([
      start(),
      user("go"),
      complete("ok", { result: { content: "fine" } }),
      complete("old", { result: { content: "x\n<exited with exit code 2>" } }),
      complete("says", { result: { content: "<exited with exit code 2>\nwas printed" } }),
      complete("no", { success: false, error: { code: "denied", message: "The user rejected this tool call." } }),
      complete("esc", { success: false, error: { code: "aborted", message: "x" } }),
      complete("bad", { success: false, error: { code: "failure", message: "no" } }),
    ]);
    expect(settlements(entries)).toEqual([
      "ok: ok -",
      "old: failed 2",
      "says: ok -",
      "no: denied -",
      "esc: interrupted -",
      "bad: failed -",
    ]);
  });
});

describe("usage", () => {
  it("without usage records is completed by the totals at shutdown", () => {
    const entries = read([
      start({ selectedModel: "m" }),
      user("a"),
      message("x", { outputTokens: 10, apiCallId: "r1" }),
      message("", { outputTokens: 10, apiCallId: "r1" }),
      message("y", { outputTokens: 20, apiCallId: "r2" }),
      shutdown(metrics(300, 30, 100)),
      event("session.resume"),
      user("b"),
      message("z", { outputTokens: 5, apiCallId: "r3" }),
      shutdown(metrics(50, 5)),
    ]);
    const sum = { input: 0, cached: 0, output: 0 };
    for (const usage of bodies(entries, "usage")) {
      if (usage.verdict !== "counted") continue;
      sum.input += usage.input_tokens;
      sum.cached += usage.cached_input_tokens;
      sum.output += usage.output_tokens;
    }
    expect(sum).toEqual({ input: 250, cached: 100, output: 35 });
  });

  it("with usage records is not counted again from the totals, also after a resume", () => {
    const entries = read([
      start(),
      user("a"),
      usage("same", 1),
      message("x", { apiCallId: "same", outputTokens: 2 }),
      usage("same", 2),
      shutdown(metrics(20, 4)),
      event("session.resume"),
      user("b"),
      usage("other", 3),
      shutdown(metrics(30, 6)),
    ]);
    expect(counted(entries)).toEqual([2, 2, 2]);
    expect(new Set(bodies(entries, "usage").map((body) => body.response_id)).size).toBe(5);
  });

  it("stated after its message has the same response id and counts", () => {
    const entries = read([
      start(),
      user("a"),
      message("x", { apiCallId: "r", outputTokens: 2 }),
      event("assistant.usage", { model: "m", inputTokens: 10, outputTokens: 2, apiCallId: "r" }),
    ]);
    const [first, second] = bodies(entries, "usage");
    expect(second).toMatchObject({ response_id: first?.response_id, verdict: "counted", input_tokens: 10 });
  });
});

describe("other events", () => {
  it("rename the session, compact it, change its directory or finish a turn", () => {
    const entries = read([
      start(),
      user("a"),
      event("session.title_changed", { title: "t" }),
      event("session.compaction_complete", { success: true, summaryContent: "so far" }),
      event("session.context_changed", { cwd: "/other", branch: "b" }),
      event("session.task_complete", { summary: "all done" }),
      event("session.mode_changed", {}),
    ]);
    expect(classes(entries)).toBe("session trigger session reaction session reaction session");
    expect(bodies(entries, "session_renamed")).toEqual([{ type: "session_renamed", title: "t", by: "agent" }]);
    expect(bodies(entries, "compacted")[0]?.summary).toBe("so far");
    expect(bodies(entries, "context").at(-1)).toMatchObject({ cwd: "/other", git: { branch: "b" } });
    expect(bodies(entries, "assistant_finished")).toMatchObject([{ text: "all done", turn_ended: true }]);
  });

  it("of type error end a turn only if the agent does not continue", () => {
    const entries = read([start(), user("a"), error(), message("fine"), user("b"), error(), user("c")]);
    expect(bodies(entries, "failed").map((body) => body.turn_ended)).toEqual([false, true]);
  });

  it("of unknown type are reported as drift, and repeated ones are duplicates", () => {
    const one = { ...user("x"), odd: 1 };
    const path = writeSession([start(), one, one, event("brand.new"), "{"]);
    const reading = readSession(refOf(path), null, { detail: "full" });
    expect(classes([...reading])).toBe("session trigger duplicate unknown corrupt");
    expect(reading.drift()).toMatchObject({
      unknownTypes: { "1.0.0 · brand.new": 1 },
      unknownFields: { "1.0.0 · user.message · odd": 2 },
    });
  });

  it("copied from another file are inherited, but the header keeps its metadata", () => {
    const copied = [start(), user("old"), message("x", { outputTokens: 3 })];
    const inherited = new Set(copied.map((item) => String(item["id"])));
    const entries = read([...copied, user("new")], { inherited });
    expect(classes(entries)).toBe("inherited inherited inherited trigger");
    expect(bodies(entries, "session_meta")).toHaveLength(1);
    expect(bodies(entries, "usage").map((usage) => usage.verdict)).toEqual(["inherited"]);
  });

  it("take what the header lacks from the workspace file", () => {
    const path = writeSession([event("session.start", { sessionId: SESSION }), user("x")]);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(join(dirname(path), "workspace.yaml"), "cwd: /y\nbranch: 'it''s'\nclient_name: vscode\n");
    const entries = readPath(path);
    expect(bodies(entries, "session_meta")[0]).toMatchObject({ cwd: "/y", git: { branch: "it's" } });
    expect(bodies(entries, "user")[0]?.entry).toBe("ide");
  });
});

describe("documents of the first versions", () => {
  it("are read like the events of current versions", () => {
    const path = join(scratch(), "history-session-state", `session_${SESSION}_1759950000000.json`);
    const chatMessages = [
      { role: "user", content: "hello" },
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "c", function: { name: "bash", arguments: '{"command":"ls"}' } }],
      },
      { role: "tool", tool_call_id: "c", content: "a\n<exited with exit code 1>" },
      { role: "assistant", content: "done" },
      { role: "odd" },
    ];
    mkdirSync(dirname(path));
    writeFileSync(path, JSON.stringify({ sessionId: SESSION, startTime: "2025-10-08T21:10:16.398Z", chatMessages }));
    const entries = readPath(path);
    expect(classes(entries)).toBe("session trigger reaction reaction reaction unknown");
    expect(prompts(entries)).toEqual(["prompt: hello"]);
    expect(bodies(entries, "tool_started")[0]?.input).toEqual({ command: "ls" });
    expect(settlements(entries)).toEqual(["c: failed 1"]);
  });
});
