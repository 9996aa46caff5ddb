import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { UserBody } from "../../format/record.ts";
import type { Entry } from "../contract.ts";
import { codex } from "./index.ts";

const folder = mkdtempSync(join(tmpdir(), "codex-triggers-"));
let files = 0;

function read(...lines: unknown[]): Entry[] {
  const path = join(folder, `rollout-${++files}.jsonl`);
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return [...codex.read({ source: "codex", path, size: 0, mtimeMs: 0, container: "jsonl" }, null, { detail: "full" })];
}

const line = (type: string, payload: unknown, more: object = {}): object => ({
  timestamp: "2026-05-12T08:00:00.000Z",
  type,
  payload,
  ...more,
});
const M = (more: object = {}): object => line("session_meta", { id: "S", cwd: "/repo", source: "cli", ...more });
const item = (payload: object): object => line("response_item", payload);
const R = (...texts: unknown[]): object =>
  item({
    type: "message",
    role: "user",
    content: texts.map((text) => (typeof text === "string" ? { type: "input_text", text } : text)),
  });
const A = (text: string): object =>
  item({ type: "message", role: "assistant", content: [{ type: "output_text", text }] });
const event = (payload: object): object => line("event_msg", payload);
const E = (message: string, more: object = {}): object => event({ type: "user_message", message, ...more });
const TS = (turn: string): object => event({ type: "task_started", turn_id: turn });
const TD = (turn: string, more: object = {}): object => event({ type: "task_complete", turn_id: turn, ...more });
const UM = (text: string, thread = "S"): object =>
  event({
    type: "item_completed",
    thread_id: thread,
    turn_id: "t",
    item: { type: "UserMessage", content: [{ type: "text", text }] },
  });

const starts = (entries: Entry[]): number[] => entries.filter((e) => e.class === "trigger").map((e) => e.line);
const asked = (entries: Entry[]): UserBody[] =>
  entries
    .filter((e) => e.class === "trigger")
    .flatMap((e) => e.records.filter((r): r is UserBody => r.type === "user"));
const classes = (entries: Entry[]): string => entries.map((e) => e.class).join(" ");

describe("prompts and their echoes", () => {
  it("pairs a response item with the equal echo on the next line only", () => {
    expect(starts(read(R("first"), R("second")))).toEqual([1, 2]);
    expect(starts(read(R("first"), E("second")))).toEqual([1, 2]);
    expect(classes(read(R("same"), E("same")))).toBe("trigger echo");
    expect(classes(read(R("same"), E("same"), E("same")))).toBe("trigger echo trigger");
    expect(starts(read(E("same"), R("same")))).toEqual([1, 2]);
    expect(classes(read(R("same"), UM("same")))).toBe("trigger echo");
    expect(classes(read(R("same"), UM("other")))).toBe("trigger trigger");
    expect(classes(read(R("same"), "corrupt", E("same")))).toBe("trigger corrupt trigger");
  });

  it("joins several text items as the client does", () => {
    const entries = read(R("First", "", " ", "Last"), E("First\n\n \nLast"));
    expect(classes(entries)).toBe("trigger echo");
    expect(asked(entries)[0]?.text).toBe("First\n\n \nLast");
  });

  it("wants the echo of a prompt with an image to name the image", () => {
    const image = { type: "input_image", image_url: "data:image/png;base64,AA" };
    expect(starts(read(R("look", image), E("look")))).toEqual([1, 2]);
    const paired = read(
      R("<image name=[Image #1]>", image, "</image>", "look"),
      E("look", { local_images: ["/a.png"] }),
    );
    expect(classes(paired)).toBe("trigger echo");
    expect(asked(paired)[0]).toMatchObject({ text: "look", attachments: 1 });
  });

  it("takes odd and empty content as a prompt", () => {
    const odd = R(42, {}, { text: 42 }, { text: "  " }, { text: "Real" });
    const plain = item({ type: "message", role: "user", content: "plain" });
    expect(starts(read(M(), odd, plain, R(" ", "")))).toEqual([2, 3, 4]);
    expect(asked(read(event({ type: "user_message" })))[0]?.text).toBe("");
  });

  it.each([
    "<environment_context>\n  <cwd>/x</cwd>\n</environment_context>",
    "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nbe brief\n</INSTRUCTIONS>",
    "  <turn_aborted>\nstop\n</turn_aborted>",
    '<subagent_notification>\n{"agent_path":"c","status":"running"}\n</subagent_notification>',
    "<INSTRUCTIONS>x</INSTRUCTIONS>",
    "<user_instructions>\n\nx\n\n</user_instructions>",
    "<recommended_plugins>x</recommended_plugins>",
    "<skill>\n<name>n</name>\n</skill>",
    "<user_action>\n  <action>review</action>\n</user_action>\n",
    '<codex_internal_context source="goal">go on</codex_internal_context>',
    "<external_editor>x</external_editor>",
    '<hook_prompt hook_run_id="1">again</hook_prompt>',
    "Warning: apply_patch was requested via exec_command. Use the apply_patch tool instead of exec_command.",
    "Another language model started to solve this problem and produced a summary of its thinking process.",
  ])("knows generated text without an echo, and believes the echo: %j", (text) => {
    expect(starts(read(R(text), TS("t")))).toEqual([]);
    expect(asked(read(R(text), E(text)))[0]?.text).toBe(text);
    expect(asked(read(R(text), UM(text)))[0]?.text).toBe(text);
    const passthrough = { content_item_metadata: [{ provenance: { type: "user" } }] };
    const stated = { type: "message", role: "user", content: [{ text }] };
    expect(asked(read(item({ ...stated, internal_chat_message_metadata_passthrough: passthrough })))[0]?.text).toBe(
      text,
    );
  });

  it("recognises generated text among junk and by stated provenance", () => {
    expect(starts(read(R(42, "<environment_context>x</environment_context>"), TS("t")))).toEqual([]);
    const stated = { content_item_metadata: [{ provenance: { type: "harness" } }] };
    const message = { type: "message", role: "user", content: [{ text: "unheard-of" }] };
    const entries = read(item({ ...message, internal_chat_message_metadata_passthrough: stated }));
    expect(classes(entries)).toBe("setup");
  });

  it("keeps prompts that only begin like generated text", () => {
    const trick = "# AGENTS.md instructions are out of date, please say hello.";
    expect(asked(read(R(trick), TS("t")))[0]?.text).toBe(trick);
    // 0.36 and 0.47 themselves judged by the beginning alone.
    const quoted = "<environment_context> is what the prompt calls it; what is that?";
    expect(asked(read(R(quoted), E(quoted, { kind: "environment_context" })))[0]?.text).toBe(quoted);
  });

  it("cuts the client's wrapper off", () => {
    const ide = "# Context from my IDE setup:\n\n## Open tabs:\n- a.ts\n\n## My request for Codex:\nfix it\n";
    const mentioned = "\n# Files mentioned by the user:\n\n## a.png: /tmp/a.png\n\n## My request:\nlook\n";
    expect(asked(read(R(ide), E(ide)))[0]?.text).toBe("fix it");
    expect(asked(read(R(mentioned), E(mentioned)))[0]?.text).toBe("look");
  });

  it("is tentative where the echo may still come", () => {
    const [open] = read(R("first"));
    expect(open).toMatchObject({ class: "trigger", tentative: true });
  });
});

describe("what kind of action it was", () => {
  it("tells queued prompts, hand-overs and plain ones apart", () => {
    const entries = read(
      M(),
      TS("a"),
      R("one"),
      E("one"),
      R("two"),
      E("two"),
      TD("a"),
      TS("b"),
      R("three"),
      E("three"),
    );
    expect(asked(entries).map((user) => user.kind)).toEqual(["prompt", "queued", "prompt"]);
    const plan = "PLEASE IMPLEMENT THIS PLAN:\n# Plan";
    const handed = read(R(plan), E(plan), A("done"), R("Continue"), E("Continue"), A("ok"), R("Approved."));
    expect(asked(handed).map((user) => user.kind)).toEqual(["command", "prompt", "prompt"]);
  });

  it("takes a shell command once, with its result", () => {
    const text =
      "<user_shell_command>\n<command>\nls -1\n</command>\n<result>\nExit code: 2\nDuration: 0.5000 seconds\nOutput:\nno\n</result>\n</user_shell_command>";
    const command = {
      type: "CommandExecution",
      id: "c",
      command: ["/bin/bash", "-lc", "ls -1"],
      source: "user_shell",
      status: "failed",
      exit_code: 2,
    };
    const old = read(M(), TS("a"), R(text), TD("a", { last_agent_message: null }));
    expect(classes(old)).toBe("session setup trigger reaction");
    expect(old[2]?.records).toMatchObject([
      { type: "user", text: "!ls -1", kind: "shell" },
      { type: "tool_started", name: "user_shell" },
      { type: "tool_finished", status: "failed", exit_code: 2, duration_ms: 500 },
    ]);
    expect(old[3]?.records[0]).toMatchObject({ type: "assistant_finished", turn_ended: true });
    const now = read(M(), TS("a"), event({ type: "item_completed", turn_id: "a", item: command }), R(text), TD("a"));
    expect(classes(now)).toBe("session setup trigger echo reaction");
  });

  it("takes /compact from its task, and never Codex's own compaction", () => {
    const compact = line("compacted", { message: "summary" });
    const manual = read(
      M(),
      TS("a"),
      compact,
      event({ type: "context_compacted" }),
      TD("a", { last_agent_message: null }),
    );
    expect(classes(manual)).toBe("session trigger reaction reaction reaction");
    expect(asked(manual)[0]).toMatchObject({ text: "/compact", kind: "command", entry: "interactive" });
    expect(manual[2]?.records).toEqual([{ type: "compacted", trigger: "manual", summary: "summary" }]);
    expect(manual[3]?.records).toEqual([]);
    expect(starts(read(M(), TS("a"), compact, R("go"), E("go"), TD("a")))).toEqual([4]);
    const inTurn = read(M(), TS("a"), R("go"), E("go"), compact, A("ok"), TD("a"));
    expect(inTurn[4]?.records).toMatchObject([{ type: "compacted", trigger: "auto" }]);
  });

  it("does not take the summary that /compact asked for as an answer (0.154)", () => {
    const compact = line("compacted", { message: "Another language model wrote this:\nso far so good" });
    const entries = read(
      M(),
      TS("a"),
      A("so far so good"),
      event({ type: "token_count", info: null }),
      compact,
      TD("a"),
    );
    expect(entries[2]?.reason).toBe("codex.compaction.output");
    expect(read(M(), TS("a"), R("go"), E("go"), A("so far so good"), TD("a"))[4]?.reason).toBe("codex.assistant");
  });

  it("tells /compact from auto compaction in files without tasks by what stands around it", () => {
    const compact = line("compacted", { message: "summary" });
    const notice = event({ type: "agent_message", message: "Compact task completed" });
    const later = { timestamp: "2026-05-12T08:00:07.000Z" };
    const typed = [R("b"), E("b")].map((one) => ({ ...one, ...later }));
    expect(starts(read(M(), R("a"), E("a"), A("done"), compact, notice, ...typed))).toEqual([2, 5, 7]);
    // The prompt that was too much had waited for it (0.80, 0.99); and nobody types commands into `exec`.
    expect(starts(read(M(), R("a"), E("a"), A("done"), compact, R("b"), E("b")))).toEqual([2, 6]);
    expect(starts(read(M({ source: "exec" }), R("a"), E("a"), A("done"), compact, ...typed))).toEqual([2, 6]);
    const auto = read(
      M(),
      R("a"),
      E("a"),
      A("more"),
      compact,
      notice,
      event({ type: "agent_message", message: "x" }),
      A("x"),
    );
    expect(starts(auto)).toEqual([2]);
  });

  it("counts a review once", () => {
    const entered = event({
      type: "entered_review_mode",
      target: { type: "uncommittedChanges" },
      user_facing_hint: "current changes",
    });
    const exited = event({
      type: "exited_review_mode",
      review_output: { findings: [{ file: "a.ts", line: 3, message: "m" }], overall_explanation: "fine" },
    });
    const exit = R("<user_action>\n<action>review</action>\n</user_action>");
    const entries = read(
      M({ source: "exec" }),
      entered,
      TS("c"),
      E("Review it"),
      E("Review it"),
      exit,
      exited,
      A("fine"),
      TD("x"),
    );
    expect(starts(entries)).toEqual([2]);
    expect(asked(entries)[0]).toMatchObject({ text: "/review current changes", kind: "command", entry: "headless" });
    expect(entries[6]?.records[0]).toMatchObject({ text: "", review: { findings: [{ path: "a.ts", start_line: 3 }] } });
    const items = read(
      M(),
      event({ type: "item_completed", thread_id: "S", item: { type: "EnteredReviewMode" } }),
      UM("Review", "child"),
    );
    expect(starts(items)).toEqual([2]);
    expect(items[2]?.records).toMatchObject([
      { type: "child_linked", relation: "review", child: { session_id: "child" } },
    ]);
  });

  it.each([
    [{ source: { subagent: { thread_spawn: { parent_thread_id: "P" } } } }, "subagent"],
    [{ source: { subagent: { thread_spawn: { depth: 1 } } } }, "subagent"],
    [{ source: { subagent: { other: "guardian" } } }, "internal"],
    [{ source: { subagent: "review" } }, "review"],
    [{ source: { subagent: "compact" } }, "internal"],
    [{ source: { subagent: "future-variant" } }, "internal"],
    [{ source: { subagent: {} } }, "internal"],
    [{ thread_source: "subagent" }, "subagent"],
    [{ thread_source: "thread_title" }, "internal"],
    [{ originator: "Claude Code" }, "companion"],
    [{ originator: "prompt_diary" }, "internal"],
  ])("has no human trigger in a session like %j", (meta, kind) => {
    const entries = read(M(meta), R("do it"), E("do it"));
    expect(entries[0]?.records[0]).toMatchObject({ kind });
    expect(classes(entries)).toBe("session reaction echo");
    expect(entries[1]?.records[0]).toMatchObject({ type: "user", author: "agent", text: "do it" });
  });

  it.each([
    { source: null },
    { source: "cli" },
    { source: "exec" },
    { source: { other: "root" } },
    { source: { subagent: null } },
  ])("is a root session with %j", (meta) => expect(starts(read(M(meta), R("do it"), E("do it")))).toEqual([2]));
});
