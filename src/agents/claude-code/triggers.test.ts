import { bodies, prompts } from "../kit/testing.ts";
import { assistant, classes, fixtures, record, result, text, tool, user } from "./testing.ts";
import { describe, expect, it } from "vitest";

const { read } = fixtures;

const reply = (): Record<string, unknown> => assistant([text("done")], { stop: "end_turn" });
const envelope = (name: string, args = ""): string =>
  `<command-name>/${name}</command-name>\n            <command-message>${name}</command-message>\n            <command-args>${args}</command-args>`;
const expanding = (name: string, args = ""): string =>
  `<command-message>${name}</command-message>\n<command-name>/${name}</command-name>\n<command-args>${args}</command-args>`;

describe("human prompts", () => {
  it("are user records with no mark of another author", () => {
    const entries = read([user("hello"), reply(), user([]), user([text("a"), text("b")])]);
    expect(prompts(entries)).toEqual(["prompt: hello", "prompt: ", "prompt: a\nb"]);
    expect(entries[0]?.identity).toBeTypeOf("string");
  });

  it("do not include side effects of tools or records of another role (case 62)", () => {
    const system = record("user", { message: { role: "system", content: "x" } });
    const side = user("x", { sourceToolAssistantUUID: "a" });
    expect(classes(read([user("go"), side, reply(), system]))).toEqual(["trigger", "reaction", "reaction", "reaction"]);
  });

  it("do not include meta records or compaction summaries (case 63)", () => {
    const entries = read([user("x", { isMeta: true }), user("y", { isCompactSummary: true })]);
    expect(prompts(entries)).toEqual([]);
  });

  it("exclude tags the client prepends, and count attached images", () => {
    const entries = read([
      user("<system-reminder>rules</system-reminder>\n\nfix it"),
      user([text("<ide_opened_file>a.ts</ide_opened_file>"), text("why?"), { type: "image", source: {} }]),
      user([text("<system-reminder>only this</system-reminder>")]),
    ]);
    expect(prompts(entries)).toEqual(["prompt: fix it", "prompt: why?"]);
    expect(bodies(entries, "user")[1]?.attachments).toBe(1);
  });

  it("keep injected-looking text if the record says it was typed or the tag is not closed", () => {
    const tricky = "<system-reminder>x</system-reminder> <task-notification>y</task-notification>";
    const typed = { promptSource: "sdk", turnOrigin: "sdk", entrypoint: "sdk-cli" };
    const entries = read([user(tricky, typed), user("<system-reminder> tags, why?")]);
    expect(prompts(entries)).toEqual([`prompt: ${tricky}`, "prompt: <system-reminder> tags, why?"]);
    expect(entries[0]?.reason).toBe("claude.user.prompt_source_sdk");
    expect(bodies(entries, "user")[0]?.entry).toBe("headless");
  });

  it("do not include notifications, hook feedback, agent messages, observer feeds or unknown commands", () => {
    const entries = read([
      user("go"),
      user("<task-notification>\n<task-id>b1</task-id>\n</task-notification>"),
      user("anything", { origin: { kind: "task-notification" }, promptSource: "system" }),
      user("anything", { turnOrigin: "task_notification" }),
      user("Stop hook feedback:\n- fix"),
      user('<teammate-message from="a">hi</teammate-message>'),
      user("<observed_from_primary_session>x</observed_from_primary_session>"),
      user("Hello memory agent, you are continuing to observe the primary Claude session."),
      user("Unknown skill: foo"),
      user("This session is being continued from a previous conversation that ran out of context."),
    ]);
    expect(prompts(entries)).toEqual(["prompt: go"]);
  });

  it("do not include notifications of 2.0, memory notes, hook stops, MCP updates or webhook events", () => {
    const entries = read([
      user("go"),
      user(
        "<bash-notification>\n<shell-id>b1</shell-id>\n<status>failed</status>\n<summary>Background command failed</summary>\nRead the output file to retrieve the output.\n</bash-notification>",
      ),
      user(
        '<agent-notification>\n<agent-id>ad9c6de</agent-id>\n<status>completed</status>\n<summary>Agent "Look" completed.</summary>\n</agent-notification>',
      ),
      user("<user-memory-input>use tabs</user-memory-input>"),
      user("(no content)"),
      user("Operation stopped by hook: not on fridays"),
      user('<mcp-resource-update server="x" uri="file:///a"></mcp-resource-update>'),
      user("<github-webhook-activity>\nPR: a/b#17\nOutcome: merged\n</github-webhook-activity>"),
    ]);
    expect(prompts(entries)).toEqual(["prompt: go"]);
    expect(entries.map((entry) => entry.reason)).toEqual([
      "claude.user.plain",
      "claude.user.task_notification",
      "claude.user.task_notification",
      "claude.user.memory_input",
      "claude.user.no_content",
      "claude.user.hook_feedback",
      "claude.user.mcp_update",
      "claude.user.ci_event",
    ]);
    expect(classes(entries).slice(3)).toEqual(["session", "session", "reaction", "reaction", "reaction"]);
    expect(bodies(entries, "child_linked")).toMatchObject([
      { child: { session_id: "agent-ad9c6de" }, phase: "returned" },
    ]);
  });

  it("may contain any client tag if they were typed or have text besides the tag", () => {
    const cli = { promptSource: "typed", origin: { kind: "human" }, turnOrigin: "human", entrypoint: "cli" };
    const sdk = { promptSource: "sdk", turnOrigin: "sdk", entrypoint: "sdk-cli" };
    const shell = "<bash-input>ls</bash-input> what is this?";
    const mail = '<teammate-message teammate_id="x">typed</teammate-message>';
    const records = [
      user(shell, cli),
      user("<bash-input>ls</bash-input>", cli),
      user(mail, cli),
      user(mail, sdk),
      user("(no content)", cli),
      // These carry no field that says they were typed.
      user(shell),
      user("<user-memory-input>use tabs</user-memory-input> is how it looks in the file"),
      user("My hook says:\nOperation stopped by hook: not on fridays"),
    ];
    const entries = read(records);
    expect(classes(entries)).toEqual(records.map(() => "trigger"));
    expect(prompts(entries)).toEqual(
      records.map((one) => `prompt: ${(one["message"] as { content: string }).content}`),
    );
    expect(bodies(entries, "tool_started")).toEqual([]);
    // Observers of other sessions have the same source "sdk", but their texts are known.
    expect(prompts(read([user("Hello memory agent, you are continuing to observe", sdk)]))).toEqual([]);
  });

  it("do not include sidechain records, whose author is an agent", () => {
    const entries = read([user("go"), user("count lines", { isSidechain: true }), reply()]);
    expect(prompts(entries)).toEqual(["prompt: go"]);
    expect(bodies(entries, "user")[1]).toMatchObject({ author: "agent", text: "count lines" });
  });

  it("do not include a Warmup probe at the start of a session", () => {
    expect(prompts(read([user("Warmup"), reply()]))).toEqual([]);
    expect(prompts(read([user("hello"), reply(), user("Warmup")]))).toHaveLength(2);
  });

  it("are automated if the session begins with a liveness probe from the SDK", () => {
    const entryOf = (...records: unknown[]): (string | undefined)[] =>
      bodies(read(records), "user").map((one) => one.entry);
    const sdk = { promptSource: "sdk", entrypoint: "sdk-cli" };
    expect(entryOf(user("Reply with exactly: OK", sdk))).toEqual(["automated"]);
    expect(read([user("Reply with exactly: OK", sdk)])[0]?.reason).toBe("claude.automation.probe");
    expect(entryOf(user("Reply with exactly: OK", { promptSource: "typed", entrypoint: "cli" }))).toEqual([
      "interactive",
    ]);
    expect(entryOf(user("Fix it", sdk), user("Reply with exactly: OK", sdk))).toEqual(["headless", "headless"]);
  });

  it("include text beside a refused tool call, as an answer", () => {
    const refusal = result("t1", "The user doesn't want to proceed with this tool use.", { is_error: true });
    const entries = read([
      user("go"),
      user([refusal, text("use rg instead")]),
      user([result("t2", "ok"), text("Tool loaded.")]),
    ]);
    expect(prompts(entries)).toEqual(["prompt: go", "answer: use rg instead"]);
  });

  it("include text beside a tool result", () => {
    const entries = read([
      user("go"),
      assistant([tool("t1", "Bash")]),
      user([result("t1", "ok"), text("and the tests?")], { toolUseResult: { stdout: "ok" } }),
      reply(),
      user([result("t2", "ok"), text("<system-reminder>x</system-reminder>\n\nnow commit")]),
    ]);
    expect(prompts(entries)).toEqual(["prompt: go", "queued: and the tests?", "prompt: now commit"]);
    expect(entries[2]?.reason).toBe("claude.tool_result.prompt");
    expect(bodies(entries, "tool_finished")).toMatchObject([{ call_id: "t1", status: "ok" }, { call_id: "t2" }]);
  });

  it("are found beside long tool results at every level of detail", () => {
    const long = result("t1", "x".repeat(2000));
    for (const detail of ["full", "lean", "usage"] as const) {
      const entries = read([user("go"), user([long, text("and the tests?")]), user([long])], { detail });
      expect(prompts(entries), detail).toEqual(["prompt: go", "queued: and the tests?"]);
    }
  });

  it("do not include text the client writes beside a tool result", () => {
    const beside = [
      "[Request interrupted by user]",
      "<system-reminder>Todo list is empty</system-reminder>",
      "Base directory for this skill: /home/u/.claude/skills/x\n\n# X",
      "[Image: source: /home/u/shot.png]",
      "<task-notification>\n<task-id>b1</task-id>\n</task-notification>",
    ];
    const entries = read([user("go"), ...beside.map((words) => user([result("t1", "ok"), text(words)]))]);
    expect(prompts(entries)).toEqual(["prompt: go"]);
  });

  it("beside a tool result are not repeated if a queue attachment already holds them", () => {
    const at = "2026-05-12T09:00:00.000Z";
    const attachment = { type: "queued_command", prompt: "also this", commandMode: "prompt" };
    const entries = read([
      user("go"),
      record("attachment", { timestamp: at, attachment }),
      user([result("t1", "ok"), text("also this")], { timestamp: at }),
    ]);
    expect(prompts(entries)).toEqual(["prompt: go", "queued: also this"]);
    expect(entries[2]).toMatchObject({ class: "reaction", reason: "claude.queued.repeated" });
  });

  it("remain prompts if a hook blocks them (2.1.222)", () => {
    const notice = (content: string): Record<string, unknown> =>
      record("system", { subtype: "informational", content, level: "warning", preventContinuation: true });
    const entries = read([
      notice("UserPromptSubmit operation blocked by hook:\n[check.sh]: no\n\n\nOriginal prompt: say ok"),
      user("hello"),
      notice("a quieter notice. Original prompt: none"),
    ]);
    expect(prompts(entries)).toEqual(["prompt: say ok", "prompt: hello"]);
    expect(classes(entries)).toEqual(["trigger", "trigger", "reaction"]);
    expect(bodies(entries, "failed")).toEqual([
      { type: "failed", message: "blocked by a hook: [check.sh]: no", code: "hook_blocked", turn_ended: true },
    ]);
  });
});

describe("slash commands", () => {
  it("that only the client handles are session records", () => {
    const entries = read([
      user("<local-command-caveat>Caveat</local-command-caveat>", { isMeta: true }),
      user(envelope("model", "opus")),
      user("<local-command-stdout>Set model</local-command-stdout>"),
      record("system", { subtype: "local_command", content: envelope("rename", "x") }),
      user("hello"),
    ]);
    expect(classes(entries)).toEqual(["session", "session", "session", "session", "trigger"]);
    expect(bodies(entries, "user")[1]).toMatchObject({ author: "human", text: "/model opus" });
  });

  it("that expand to a prompt are triggers", () => {
    const entries = read([
      user(expanding("greet", "the team")),
      user([text("Greet the team.")], { isMeta: true }),
      reply(),
    ]);
    expect(prompts(entries)).toEqual(["command: /greet the team"]);
    expect(classes(entries)).toEqual(["trigger", "reaction", "reaction"]);
  });

  it("with unknown names are classified by the next records, tentatively at the end of the file", () => {
    const output = user("<local-command-stdout>ok</local-command-stdout>");
    expect(classes(read([user(envelope("mine")), output]))).toEqual(["session", "session"]);
    const [last] = read([user(envelope("mine"))]);
    expect(last).toMatchObject({ class: "session", tentative: true });
    expect(classes(read([user(expanding("nope")), user("Unknown skill: nope")]))).toEqual(["session", "session"]);
  });

  it("like /compact own the compaction recorded before them", () => {
    const boundary = record("system", { subtype: "compact_boundary", compactMetadata: { trigger: "manual" } });
    const entries = read([
      user("hello"),
      reply(),
      boundary,
      user("This session is being continued from…", { isCompactSummary: true }),
      user("<local-command-caveat>c</local-command-caveat>", { isMeta: true }),
      user(envelope("compact")),
      user("<local-command-stdout>Compacted</local-command-stdout>"),
    ]);
    expect(classes(entries)).toEqual(["trigger", "reaction", "setup", "setup", "setup", "trigger", "reaction"]);
    expect(bodies(entries, "compacted")).toEqual([
      { type: "compacted", trigger: "manual", summary: "This session is being continued from…" },
    ]);
    expect(bodies(entries, "assistant_finished").at(-1)).toMatchObject({ text: "", turn_ended: true });
  });

  it("that found nothing to compact start no turn", () => {
    const failed = user("<local-command-stderr>Error: No messages to compact</local-command-stderr>");
    expect(classes(read([user(envelope("compact")), failed]))).toEqual(["session", "session"]);
  });
});

describe("other human actions", () => {
  it("shell commands are triggers with a tool call of their own", () => {
    const entries = read([
      user("<bash-input>ls</bash-input>"),
      user("<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>"),
    ]);
    expect(prompts(entries)).toEqual(["shell: !ls"]);
    const [call] = bodies(entries, "tool_started");
    expect(call).toMatchObject({ name: "user_shell", input: { command: "ls" } });
    expect(bodies(entries, "tool_finished")).toMatchObject([{ call_id: call?.call_id, status: "ok", output: "a" }]);
  });

  it("shell commands without an exit code get their status from output and client version", () => {
    const status = (printed: string, version: string): string | undefined =>
      bodies(
        read([user("<bash-input>exit 5</bash-input>", { version }), user(printed, { version })]),
        "tool_finished",
      )[0]?.status;
    const printed = (out: string, err: string): string =>
      `<bash-stdout>${out}</bash-stdout><bash-stderr>${err}</bash-stderr>`;
    expect(status(printed("", ""), "2.1.325")).toBe("failed");
    expect(status(printed("", "no such file"), "2.1.88")).toBe("failed");
    expect(status(printed("(Bash completed with no output)", ""), "2.1.325")).toBe("ok");
    expect(status(printed("a", ""), "2.1.325")).toBe("ok");
    // Older releases wrote the same output for failures and successes.
    expect(status(printed("", ""), "2.1.87")).toBe("pending");
    expect(status(printed("a", ""), "1.0.64")).toBe("pending");
    expect(status("<bash-stderr>Command failed: spawn ENOENT</bash-stderr>", "1.0.64")).toBe("failed");
  });

  it("prompts absorbed into a running turn are triggers exactly once", () => {
    const at = "2026-05-12T09:00:00.000Z";
    const queued = (prompt: unknown, more = {}): Record<string, unknown> =>
      record("attachment", {
        timestamp: at,
        attachment: { type: "queued_command", prompt, commandMode: "prompt", ...more },
      });
    const entries = read([
      user("go", { promptId: "p1" }),
      queued("also this"),
      user([result("t", "x")], { promptId: "p1" }),
      user("also this", { timestamp: at }),
      queued("mail", { origin: { kind: "peer" } }),
      queued("<task-notification></task-notification>", { commandMode: "task-notification" }),
      user("later", { promptSource: "queued" }),
    ]);
    expect(prompts(entries)).toEqual(["prompt: go", "queued: also this", "queued: later"]);
    expect(classes(entries)[3]).toBe("echo");
    // The tool result follows the absorbed prompt, so the older prompt's id must not pull it back.
    expect(entries[2]?.turnId).toBeUndefined();
  });

  it("rewinding cancels the prompts after that point", () => {
    const entries = read([
      user("first", { uuid: "u1" }),
      assistant([text("x")], { stop: "end_turn" }, { uuid: "a1", parentUuid: "u1" }),
      user("second", { parentUuid: "a1" }),
      assistant([tool("t", "Bash")]),
      user("second, better", { parentUuid: "a1" }),
      user("no parent"),
    ]);
    expect(entries[4]?.records[0]).toEqual({ type: "cancelled", reason: "rewound", from_line: 3 });
    expect(bodies(entries, "cancelled")).toHaveLength(1);
  });
});
