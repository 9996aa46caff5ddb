import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { UserBody } from "../../record/record.ts";
import type { Entry } from "../contract.ts";
import { codex } from "./source.ts";

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
const header = (more: object = {}): object => line("session_meta", { id: "S", cwd: "/repo", source: "cli", ...more });
const item = (payload: object): object => line("response_item", payload);
const userItem = (...texts: unknown[]): object =>
  item({
    type: "message",
    role: "user",
    content: texts.map((text) => (typeof text === "string" ? { type: "input_text", text } : text)),
  });
const assistantItem = (text: string): object =>
  item({ type: "message", role: "assistant", content: [{ type: "output_text", text }] });
const event = (payload: object): object => line("event_msg", payload);
const userEvent = (message: string, more: object = {}): object => event({ type: "user_message", message, ...more });
const taskStarted = (turn: string): object => event({ type: "task_started", turn_id: turn });
const taskComplete = (turn: string, more: object = {}): object =>
  event({ type: "task_complete", turn_id: turn, ...more });
const userMessage = (text: string, thread = "S"): object =>
  event({
    type: "item_completed",
    thread_id: thread,
    turn_id: "t",
    item: { type: "UserMessage", content: [{ type: "text", text }] },
  });

const triggerLines = (entries: Entry[]): number[] => entries.filter((e) => e.class === "trigger").map((e) => e.line);
const triggers = (entries: Entry[]): UserBody[] =>
  entries
    .filter((e) => e.class === "trigger")
    .flatMap((e) => e.records.filter((r): r is UserBody => r.type === "user"));
const classes = (entries: Entry[]): string => entries.map((e) => e.class).join(" ");

describe("reading prompts and their echoes", () => {
  it("pairs a response item only with an equal echo on the next line", () => {
    expect(triggerLines(read(userItem("first"), userItem("second")))).toEqual([1, 2]);
    expect(triggerLines(read(userItem("first"), userEvent("second")))).toEqual([1, 2]);
    expect(classes(read(userItem("same"), userEvent("same")))).toBe("trigger echo");
    expect(classes(read(userItem("same"), userEvent("same"), userEvent("same")))).toBe("trigger echo trigger");
    expect(triggerLines(read(userEvent("same"), userItem("same")))).toEqual([1, 2]);
    expect(classes(read(userItem("same"), userMessage("same")))).toBe("trigger echo");
    expect(classes(read(userItem("same"), userMessage("other")))).toBe("trigger trigger");
    expect(classes(read(userItem("same"), "corrupt", userEvent("same")))).toBe("trigger corrupt trigger");
  });

  it("joins several text items as the client does", () => {
    const entries = read(userItem("First", "", " ", "Last"), userEvent("First\n\n \nLast"));
    expect(classes(entries)).toBe("trigger echo");
    expect(triggers(entries)[0]?.text).toBe("First\n\n \nLast");
  });

  it("requires the echo of a prompt with an image to name the image", () => {
    const image = { type: "input_image", image_url: "data:image/png;base64,AA" };
    expect(triggerLines(read(userItem("look", image), userEvent("look")))).toEqual([1, 2]);
    const paired = read(
      userItem("<image name=[Image #1]>", image, "</image>", "look"),
      userEvent("look", { local_images: ["/a.png"] }),
    );
    expect(classes(paired)).toBe("trigger echo");
    expect(triggers(paired)[0]).toMatchObject({ text: "look", attachments: 1 });
  });

  it("takes the images of a prompt from its echo if only that has them", () => {
    const images = { images: ["data:image/png;base64,AA"], local_images: ["/a.png"] };
    const paired = read(userItem("look"), userEvent("look", images));
    expect(classes(paired)).toBe("trigger echo");
    expect(triggers(paired)).toMatchObject([{ text: "look", attachments: 2 }]);
    // Without text nothing is equal, and a different text is another prompt.
    expect(triggerLines(read(userItem(" "), userEvent("", images)))).toEqual([1, 2]);
    expect(triggerLines(read(userItem("look"), userEvent("look at this", images)))).toEqual([1, 2]);
  });

  it("accepts malformed and empty content as a prompt", () => {
    const odd = userItem(42, {}, { text: 42 }, { text: "  " }, { text: "Real" });
    const plain = item({ type: "message", role: "user", content: "plain" });
    expect(triggerLines(read(header(), odd, plain, userItem(" ", "")))).toEqual([2, 3, 4]);
    expect(triggers(read(event({ type: "user_message" })))[0]?.text).toBe("");
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
  ])("treats generated text as a prompt only with an echo or stated provenance: %j", (text) => {
    expect(triggerLines(read(userItem(text), taskStarted("t")))).toEqual([]);
    expect(triggers(read(userItem(text), userEvent(text)))[0]?.text).toBe(text);
    expect(triggers(read(userItem(text), userMessage(text)))[0]?.text).toBe(text);
    const passthrough = { content_item_metadata: [{ provenance: { type: "user" } }] };
    const stated = { type: "message", role: "user", content: [{ text }] };
    expect(triggers(read(item({ ...stated, internal_chat_message_metadata_passthrough: passthrough })))[0]?.text).toBe(
      text,
    );
  });

  it("recognises generated text beside malformed content and by stated provenance", () => {
    expect(triggerLines(read(userItem(42, "<environment_context>x</environment_context>"), taskStarted("t")))).toEqual(
      [],
    );
    const stated = { content_item_metadata: [{ provenance: { type: "harness" } }] };
    const message = { type: "message", role: "user", content: [{ text: "unheard-of" }] };
    const entries = read(item({ ...message, internal_chat_message_metadata_passthrough: stated }));
    expect(classes(entries)).toBe("setup");
  });

  it("keeps prompts that only begin like generated text", () => {
    const trick = "# AGENTS.md instructions are out of date, please say hello.";
    expect(triggers(read(userItem(trick), taskStarted("t")))[0]?.text).toBe(trick);
    // 0.36 and 0.47 derived the kind from the beginning of the text alone.
    const quoted = "<environment_context> is what the prompt calls it; what is that?";
    expect(triggers(read(userItem(quoted), userEvent(quoted, { kind: "environment_context" })))[0]?.text).toBe(quoted);
  });

  it("removes the wrapper that the client puts around a prompt", () => {
    const ide = "# Context from my IDE setup:\n\n## Open tabs:\n- a.ts\n\n## My request for Codex:\nfix it\n";
    const mentioned = "\n# Files mentioned by the user:\n\n## a.png: /tmp/a.png\n\n## My request:\nlook\n";
    expect(triggers(read(userItem(ide), userEvent(ide)))[0]?.text).toBe("fix it");
    expect(triggers(read(userItem(mentioned), userEvent(mentioned)))[0]?.text).toBe("look");
  });

  it("marks a prompt as tentative while its echo may still follow", () => {
    const [open] = read(userItem("first"));
    expect(open).toMatchObject({ class: "trigger", tentative: true });
  });
});

describe("classifying human actions", () => {
  it("distinguishes queued prompts, plan handovers and plain prompts", () => {
    const entries = read(
      header(),
      taskStarted("a"),
      userItem("one"),
      userEvent("one"),
      userItem("two"),
      userEvent("two"),
      taskComplete("a"),
      taskStarted("b"),
      userItem("three"),
      userEvent("three"),
    );
    expect(triggers(entries).map((user) => user.kind)).toEqual(["prompt", "queued", "prompt"]);
    const plan = "PLEASE IMPLEMENT THIS PLAN:\n# Plan";
    const handed = read(
      userItem(plan),
      userEvent(plan),
      assistantItem("done"),
      userItem("Continue"),
      userEvent("Continue"),
      assistantItem("ok"),
      userItem("Approved."),
    );
    expect(triggers(handed).map((user) => user.kind)).toEqual(["command", "prompt", "prompt"]);
  });

  it("counts a shell command once, with its result", () => {
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
    const withoutItem = read(
      header(),
      taskStarted("a"),
      userItem(text),
      taskComplete("a", { last_agent_message: null }),
    );
    expect(classes(withoutItem)).toBe("session setup trigger reaction");
    expect(withoutItem[2]?.records).toMatchObject([
      { type: "user", text: "!ls -1", kind: "shell" },
      { type: "tool_started", name: "user_shell" },
      { type: "tool_finished", status: "failed", exit_code: 2, duration_ms: 500 },
    ]);
    expect(withoutItem[3]?.records[0]).toMatchObject({ type: "assistant_finished", turn_ended: true });
    const withItem = read(
      header(),
      taskStarted("a"),
      event({ type: "item_completed", turn_id: "a", item: command }),
      userItem(text),
      taskComplete("a"),
    );
    expect(classes(withItem)).toBe("session setup trigger echo reaction");
  });

  it("recognises /compact by its task, and not automatic compaction", () => {
    const compact = line("compacted", { message: "summary" });
    const manual = read(
      header(),
      taskStarted("a"),
      compact,
      event({ type: "context_compacted" }),
      taskComplete("a", { last_agent_message: null }),
    );
    expect(classes(manual)).toBe("session trigger reaction reaction reaction");
    expect(triggers(manual)[0]).toMatchObject({ text: "/compact", kind: "command", entry: "interactive" });
    expect(manual[2]?.records).toEqual([{ type: "compacted", trigger: "manual", summary: "summary" }]);
    expect(manual[3]?.records).toEqual([]);
    expect(
      triggerLines(read(header(), taskStarted("a"), compact, userItem("go"), userEvent("go"), taskComplete("a"))),
    ).toEqual([4]);
    const inTurn = read(
      header(),
      taskStarted("a"),
      userItem("go"),
      userEvent("go"),
      compact,
      assistantItem("ok"),
      taskComplete("a"),
    );
    expect(inTurn[4]?.records).toMatchObject([{ type: "compacted", trigger: "auto" }]);
  });

  it("does not treat the summary written for /compact as a response (0.154)", () => {
    const compact = line("compacted", { message: "Another language model wrote this:\nso far so good" });
    const entries = read(
      header(),
      taskStarted("a"),
      assistantItem("so far so good"),
      event({ type: "token_count", info: null }),
      compact,
      taskComplete("a"),
    );
    expect(entries[2]?.reason).toBe("codex.compaction.output");
    expect(
      read(
        header(),
        taskStarted("a"),
        userItem("go"),
        userEvent("go"),
        assistantItem("so far so good"),
        taskComplete("a"),
      )[4]?.reason,
    ).toBe("codex.assistant");
  });

  it("distinguishes /compact from automatic compaction by nearby lines in files without tasks", () => {
    const compact = line("compacted", { message: "summary" });
    const notice = event({ type: "agent_message", message: "Compact task completed" });
    const later = { timestamp: "2026-05-12T08:00:07.000Z" };
    const typed = [userItem("b"), userEvent("b")].map((one) => ({ ...one, ...later }));
    expect(
      triggerLines(read(header(), userItem("a"), userEvent("a"), assistantItem("done"), compact, notice, ...typed)),
    ).toEqual([2, 5, 7]);
    // A prompt at the same time had to wait for an automatic compaction (0.80, 0.99), and `exec` takes no commands.
    expect(
      triggerLines(
        read(header(), userItem("a"), userEvent("a"), assistantItem("done"), compact, userItem("b"), userEvent("b")),
      ),
    ).toEqual([2, 6]);
    expect(
      triggerLines(
        read(header({ source: "exec" }), userItem("a"), userEvent("a"), assistantItem("done"), compact, ...typed),
      ),
    ).toEqual([2, 6]);
    const auto = read(
      header(),
      userItem("a"),
      userEvent("a"),
      assistantItem("more"),
      compact,
      notice,
      event({ type: "agent_message", message: "x" }),
      assistantItem("x"),
    );
    expect(triggerLines(auto)).toEqual([2]);
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
    const exit = userItem("<user_action>\n<action>review</action>\n</user_action>");
    const entries = read(
      header({ source: "exec" }),
      entered,
      taskStarted("c"),
      userEvent("Review it"),
      userEvent("Review it"),
      exit,
      exited,
      assistantItem("fine"),
      taskComplete("x"),
    );
    expect(triggerLines(entries)).toEqual([2]);
    expect(triggers(entries)[0]).toMatchObject({ text: "/review current changes", kind: "command", entry: "headless" });
    expect(entries[6]?.records[0]).toMatchObject({ text: "", review: { findings: [{ path: "a.ts", start_line: 3 }] } });
    const items = read(
      header(),
      event({ type: "item_completed", thread_id: "S", item: { type: "EnteredReviewMode" } }),
      userMessage("Review", "child"),
    );
    expect(triggerLines(items)).toEqual([2]);
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
  ])("finds no human trigger in a session with %j", (meta, kind) => {
    const entries = read(header(meta), userItem("do it"), userEvent("do it"));
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
  ])("finds a human trigger in a session with %j", (meta) =>
    expect(triggerLines(read(header(meta), userItem("do it"), userEvent("do it")))).toEqual([2]),
  );
});
