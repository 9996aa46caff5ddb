import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildDraft } from "../../turns/builder.ts";
import type { FileDraft } from "../../turns/model.ts";
import { pi } from "./source.ts";
import { readSession } from "./read.ts";
import { bodies, call, FILE, read, scratch, Script, SESSION, write } from "./testing.ts";

function draft(script: Script): FileDraft {
  const ref = write(script.records);
  const reading = readSession(ref, null, { detail: "full" });
  return buildDraft(ref, pi.sessionId(ref), reading, { ledger: false, toolDetail: true });
}

describe("triggers", () => {
  it("are prompts, `!` commands, skills and text typed during a running turn", () => {
    const script = new Script();
    script.add("message", { message: { role: "system", content: "", sections: {} } });
    script.user("go");
    script.says([call("c1")], "toolUse");
    script.result("c1", "a\n");
    script.user("faster", Date.UTC(2026, 10, 15, 7, 0, 3));
    script.says("done");
    script.add("message", {
      message: { role: "bashExecution", command: "make", output: "no", exitCode: 2, cancelled: false },
    });
    script.user('<skill name="x" location="/s">\nBody\n</skill>\n\nuse it');
    const found = draft(script);
    expect(found.turns.map((turn) => [turn.trigger.kind, turn.trigger.text.split("\n")[0], turn.outcome])).toEqual([
      ["prompt", "go", "completed"],
      ["queued", "faster", "completed"],
      ["shell", "!make", "completed"],
      ["command", '<skill name="x" location="/s">', "open"],
    ]);
    expect(found.tools.map((tool) => [tool.name, tool.status, tool.exit_code])).toEqual([
      ["bash", "ok", 0],
      ["bash", "failed", 2],
    ]);
  });

  it("are not text of extensions, summaries or a parent agent", () => {
    const script = new Script();
    script.add("custom_message", { customType: "x", content: "injected", display: true });
    script.add("message", { message: { role: "custom", content: "injected" } });
    script.add("branch_summary", { fromId: "root", summary: "before" });
    expect(read(script.records).map((entry) => entry.class)).toEqual(["session", "setup", "setup", "setup"]);
    const child = new Script();
    child.user("look around");
    const path = join(scratch(), FILE.replace(".jsonl", ""), "scout.jsonl");
    const entries = [...readSession(write(child.records, path), null, { detail: "full" })];
    expect(entries.map((entry) => entry.class)).toEqual(["session", "reaction"]);
    expect(bodies(entries, "session_meta")[0]?.parent).toEqual({ source: "pi", session_id: SESSION });
    expect(bodies(entries, "user")[0]?.author).toBe("agent");
  });
});

describe("the record tree", () => {
  it("rewinds the turns after the record the human returned to", () => {
    const script = new Script();
    script.user("one");
    const first = script.says("1");
    script.user("two");
    script.says("2");
    script.back(first);
    script.add("branch_summary", { fromId: "x", summary: "tried two", usage: { input: 7, output: 1 } });
    script.user("three");
    script.says("3");
    const found = draft(script);
    expect(found.turns.map((turn) => [turn.trigger.text, turn.taken_back])).toEqual([
      ["one", null],
      ["two", "rewound"],
      ["three", null],
    ]);
    // The abandoned branch and its summary still cost tokens.
    expect(found.usage).toHaveLength(4);
    expect(found.tokens.counted).toBe(3 * 20 + 8);
  });

  it("rewinds all turns if the first prompt is edited", () => {
    const script = new Script();
    script.user("one");
    script.says("1");
    script.back(null);
    script.user("uno");
    expect(draft(script).turns.map((turn) => turn.taken_back)).toEqual(["rewound", null]);
  });

  it("takes nothing back of a branch to which the human returns", () => {
    const script = new Script();
    script.user("one");
    const first = script.says("1");
    script.user("two");
    const second = script.says("2");
    script.back(first);
    script.user("three");
    script.says("3");
    script.back(second);
    script.user("four");
    script.says("4");
    expect(draft(script).turns.map(({ trigger, taken_back, follows }) => [trigger.text, taken_back, follows])).toEqual([
      ["one", null, undefined],
      ["two", null, undefined],
      ["three", null, 0],
      ["four", null, 1],
    ]);
  });

  it("rewinds what followed a record in the middle of a turn, however long ago that was", () => {
    const script = new Script();
    script.user("one");
    const middle = script.says([call("c")], "toolUse");
    script.result("c", "ok");
    script.says("1");
    script.user("two");
    for (let i = 0; i < 700; i++) script.says([call(`c${i}`)], "toolUse");
    script.says("2");
    script.back(middle);
    script.user("three");
    expect(draft(script).turns.map((turn) => turn.taken_back)).toEqual([null, "rewound", null]);
  });

  it("has prompts of two windows queued only behind work of their own window", () => {
    const script = new Script();
    script.user("one");
    const first = script.says("1");
    script.user("in A");
    const asked = script.says([call("a")], "toolUse");
    script.back(first);
    // Typed before the last record of A was written.
    const typed = Date.parse("2026-11-15T07:00:03.500Z");
    script.user("in B", typed);
    script.says("b");
    script.back(asked);
    script.result("a", "ok");
    script.says("a");
    const { turns } = draft(script);
    expect(turns.map(({ trigger, final_text, outcome }) => [trigger.kind, final_text, outcome])).toEqual([
      ["prompt", "1", "completed"],
      ["prompt", "a", "completed"],
      ["prompt", "b", "completed"],
    ]);
  });

  it("does not rewind if the line of a parent is missing", () => {
    const script = new Script();
    script.user("one");
    script.says("1");
    script.user("two");
    expect(bodies(read(script.records.toSpliced(2, 1)), "cancelled")).toEqual([]);
  });

  it("recognises a line that was written twice", () => {
    const script = new Script();
    script.user("one");
    script.says("1");
    const entries = read([...script.records, script.records[2]]);
    expect(entries.at(-1)?.class).toBe("duplicate");
    expect(bodies(entries, "usage").map((usage) => usage.verdict)).toEqual(["counted", "duplicate"]);
  });

  it("recognises the copies in a fork, up to its own first prompt", () => {
    const script = new Script();
    script.user("one");
    script.says("1");
    const inherited = new Set(read(script.records).map((entry) => entry.identity ?? ""));
    const origin = `/home/x/.pi/agent/sessions/--w--/${FILE}`;
    const fork = new Script({ id: "fork", parentSession: origin });
    fork.user("one");
    fork.says("1");
    fork.user("own");
    const entries = read(fork.records, { inherited });
    expect(entries.map((entry) => entry.class)).toEqual(["session", "inherited", "inherited", "trigger"]);
    expect(bodies(entries, "session_meta")[0]?.forked_from).toBe(SESSION);
    expect(bodies(entries, "usage").map((usage) => usage.verdict)).toEqual(["inherited"]);
  });
});

describe("turn outcomes and tool results", () => {
  it("distinguish a failed request from one that was retried", () => {
    const script = new Script();
    script.user("go");
    const failed = script.says([], "error", { errorMessage: "500: no", usage: { input: 0, output: 0 } });
    expect(draft(script).turns.map((turn) => turn.outcome)).toEqual(["failed"]);
    expect(read(script.records).at(-1)?.tentative).toBe(true);
    script.add("context_edit", { targetId: failed, replacement: null });
    script.says("ok");
    expect(draft(script).turns.map((turn) => turn.outcome)).toEqual(["completed"]);
    expect(draft(script).usage).toHaveLength(1);
  });

  it("include an abort and the tool call it interrupted", () => {
    const script = new Script();
    script.user("go");
    script.says([call("c1")], "toolUse");
    script.result("c1", "half\n\nCommand aborted", { isError: true });
    script.says("", "aborted", { errorMessage: "Request was aborted." });
    script.user("again"); // 0.87.1
    script.says("", "error", { errorMessage: "This operation was aborted" });
    const found = draft(script);
    expect(found.turns.map((turn) => turn.outcome)).toEqual(["aborted", "aborted"]);
    expect(found.tools.map((tool) => tool.status)).toEqual(["interrupted"]);
  });

  it("include exit codes, refusals and written files", () => {
    const script = new Script();
    script.user("go");
    script.says(
      [call("a"), call("b", "x"), call("c", "write", { path: "n.txt" }), call("d", "edit", { path: "m.txt" })],
      "toolUse",
    );
    script.result("a", "out\n\nCommand exited with code 3", { isError: true });
    script.result("b", "Tool execution was blocked: policy", { isError: true });
    script.result("c", "Successfully wrote to n.txt");
    script.result("d", "no match", { isError: true });
    const found = draft(script);
    expect(found.tools.map((tool) => [tool.status, tool.exit_code])).toEqual([
      ["failed", 3],
      ["denied", null],
      ["ok", null],
      ["failed", null],
    ]);
    expect(found.turns[0]?.files.map((file) => file.path)).toEqual(["n.txt"]);
  });
});

describe("session settings and file formats", () => {
  it("include model, thinking level, title and compaction", () => {
    const script = new Script();
    script.add("model_change", { provider: "anthropic", modelId: "claude-x" });
    script.add("thinking_level_change", { thinkingLevel: "high" });
    script.user("go");
    script.says("ok");
    script.add("compaction", {
      summary: "so far",
      firstKeptEntryId: "1",
      tokensBefore: 9,
      usage: { input: 4, output: 4 },
    });
    script.add("usage", { kind: "cache_warm", model: "claude-x", usage: { cacheRead: 50 } });
    script.add("session_info", { name: "Named" });
    script.add("label", { targetId: "1", label: "here" });
    const found = draft(script);
    expect(found.turns[0]?.context).toMatchObject({ model: "claude-x", effort: "high", cwd: "/w" });
    expect(found.meta).toMatchObject({ provider: "anthropic", title: "Named" });
    expect(found.tokens.counted).toBe(20 + 8 + 50);
    expect(bodies(read(script.records), "compacted")).toEqual([
      { type: "compacted", trigger: "unknown", summary: "so far" },
    ]);
  });

  it("include version 1, without ids and parents", () => {
    const timestamp = "2025-11-20T10:00:00.000Z";
    const records = [
      { type: "session", id: "old", timestamp, cwd: "/w", provider: "p", modelId: "m", thinkingLevel: "off" },
      { type: "message", timestamp, message: { role: "user", content: "hello", timestamp: 1 } },
      {
        type: "message",
        timestamp,
        message: { role: "assistant", content: [{ type: "text", text: "hi" }], stopReason: "stop" },
      },
    ];
    const entries = read(records);
    expect(entries.map((entry) => entry.class)).toEqual(["session", "trigger", "reaction"]);
    expect(new Set(entries.map((entry) => entry.identity)).size).toBe(3);
  });

  it("report unknown types and fields as drift", () => {
    const script = new Script();
    script.add("vision", {});
    script.add("label", { targetId: "1", label: "x", colour: "red" });
    const reading = readSession(write(script.records), null, { detail: "full" });
    expect([...reading].map((entry) => entry.class)).toEqual(["session", "unknown", "session"]);
    expect(reading.drift()).toEqual({
      versions: { "session v3": 3 },
      unknownTypes: { "session v3 · vision": 1 },
      unknownFields: { "session v3 · label · colour": 1 },
    });
  });
});

describe("discovery", () => {
  it("finds sessions below pi's directory and reports foreign files", () => {
    const home = scratch();
    const folder = join(home, ".pi", "agent", "sessions", "--w--");
    const ref = write(new Script().records, join(folder, FILE));
    writeFileSync(join(folder, "notes.jsonl"), '{"type":"other"}\n');
    mkdirSync(join(home, "elsewhere"));
    const codes: string[] = [];
    const report = ({ code }: { code: string }): unknown => codes.push(code);
    expect([...pi.discover({ env: {}, home, roots: null, report })]).toEqual([ref]);
    expect(codes).toEqual(["file_foreign"]);
    const env = { PI_CODING_AGENT_DIR: join(home, ".pi", "agent") };
    expect([...pi.discover({ env, home: "/none", roots: null, report })]).toEqual([ref]);
    expect([...pi.discover({ env: {}, home: "/none", roots: [join(home, ".pi")], report })]).toEqual([ref]);
    expect(pi.sessionId(ref)).toBe(SESSION);
  });

  it("takes the session id from the header if the file name has none", () => {
    expect(pi.sessionId(write(new Script().records, join(scratch(), "mine.jsonl")))).toBe(SESSION);
  });
});
