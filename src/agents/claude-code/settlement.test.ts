import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bodies } from "../kit/testing.ts";
import { assistant, fixtures, record, result, SESSION, text, tool, user } from "./testing.ts";
import { describe, expect, it } from "vitest";

const { read, readPath, scratch, writeSession } = fixtures;

const REFUSAL = "The user doesn't want to proceed with this tool use. The tool use was rejected";
const marker = (fields = {}): Record<string, unknown> =>
  user([text("[Request interrupted by user for tool use]")], fields);

const refused = (): Record<string, unknown> =>
  user([result("t", REFUSAL, { is_error: true })], { toolDenialKind: "user-rejected" });

const persistedOutput = (path: string): Record<string, unknown> =>
  user([result("t", "<persisted-output>\npreview</persisted-output>")], {
    toolUseResult: { persistedOutputPath: path },
  });

function statusOf(...records: Record<string, unknown>[]): string[] {
  return bodies(read([user("go"), ...records]), "tool_finished").map((body) => body.status);
}

describe("settlement", () => {
  it("reads failures with their exit code", () => {
    const failed = user([result("t", "Exit code 3\nboom", { is_error: true })], {
      toolUseResult: "Error: Exit code 3\nboom",
    });
    expect(bodies(read([user("go"), failed]), "tool_finished")[0]).toMatchObject({ status: "failed", exit_code: 3 });
    expect(statusOf(user([result("t", "<tool_use_error>No such tool</tool_use_error>", { is_error: true })]))).toEqual([
      "failed",
    ]);
    expect(statusOf(user([result("t", "fine", { is_error: null })]))).toEqual(["ok"]);
  });

  it("distinguishes a refusal from an interrupt by the marker record that follows", () => {
    expect(statusOf(refused(), marker({ interruptedMessageId: "m" }), user("next"))).toEqual(["interrupted"]);
    expect(statusOf(refused(), marker(), user("next"))).toEqual(["denied"]);
    expect(statusOf(refused(), user("next"))).toEqual(["denied"]);
    expect(statusOf({ ...refused(), entrypoint: "sdk-cli" })).toEqual(["interrupted"]);
  });

  it("recognises a command that Escape killed after it had printed something (genuine file, 2.1.19)", () => {
    const path = fileURLToPath(new URL("../../../test/fixtures/claude/", import.meta.url));
    const entries = readPath(join(path, "db96f891-c2fd-41e3-86fe-67560a2ddf4e.jsonl"));
    expect(bodies(entries, "tool_finished")).toEqual([
      expect.objectContaining({ status: "interrupted", exit_code: null }),
    ]);
  });

  it("recognises denials by permission rule and interrupted commands", () => {
    const denied = result("t", "Permission to use Bash with command ls has been denied.", { is_error: true });
    expect(statusOf(user([denied], { toolDenialKind: "permission-rule" }), user([denied]))).toEqual([
      "denied",
      "denied",
    ]);
    expect(statusOf(user([result("t", "")], { toolUseResult: { interrupted: true } }))).toEqual(["interrupted"]);
  });

  it("recognises the refusal texts of releases 2.1.9 to 2.1.325, and interrupts as interrupts", () => {
    // As releases 2.1.9 to 2.1.325 word them; only the last two were found in genuine files.
    const refusals = [
      "Permission for this tool use was denied. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). Try a different approach.",
      "Permission for this tool use was denied: it requires interactive approval, and permission prompts are not available in this session.",
      "Permission for this action has been denied. Reason: Blocked by classifier.",
      "Permission for this command was denied by a built-in Claude Code safety check, not by the user.",
      "This Bash command contains multiple operations. The following part requires approval: npm publish",
      "PreToolUse:Bash hook error: [./gate.sh]: blocked by lab hook",
      "User chose to stay in plan mode and continue planning",
      "The agent proposed a plan that was rejected by the user. The user chose to stay in plan mode rather than proceed",
      "Permission to use Bash with command ls has been denied.",
      "Claude requested permissions to write to /w/a, but you haven't granted it yet.",
    ];
    const error = (words: string, fields = {}): Record<string, unknown> =>
      user([result("t", words, { is_error: true })], fields);
    expect(statusOf(...refusals.map((words) => error(words)))).toEqual(refusals.map(() => "denied"));
    // The same text in a result that is not an error is ordinary output.
    expect(statusOf(...refusals.map((words) => user([result("t", words)])))).toEqual(refusals.map(() => "ok"));
    expect(statusOf(error("Tool execution was stopped", { toolDenialKind: "interrupted" }))).toEqual(["interrupted"]);
    expect(statusOf(error(REFUSAL, { toolDenialKind: "interrupted" }), user("next"))).toEqual(["interrupted"]);
  });

  it("lists the files an edit touched", () => {
    const entries = read([
      user("go"),
      assistant([tool("w", "Write", { file_path: "/w/a" }), tool("e", "Edit", { file_path: "/w/b" })]),
      user([result("w", "ok")], { toolUseResult: { type: "create", filePath: "/w/a", structuredPatch: [] } }),
      user([result("e", "updated")]),
      user([result("r", "ok")], { toolUseResult: { type: "text", file: { filePath: "/w/c" } } }),
    ]);
    expect(bodies(entries, "tool_finished").map((body) => body.files)).toEqual([
      [{ path: "/w/a", operation: "created" }],
      [{ path: "/w/b", operation: "modified" }],
      undefined,
    ]);
  });

  it("reads large outputs only from the session's own directory", () => {
    const root = scratch();
    const own = join(root, SESSION, "tool-results");
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, "big.txt"), "all of it");
    writeFileSync(join(root, "secret.txt"), "secret");
    const path = writeSession(
      [
        persistedOutput(`/elsewhere/${SESSION}/tool-results/big.txt`),
        persistedOutput(join(root, "secret.txt")),
        persistedOutput(`${own}/../../secret.txt`),
      ],
      join(root, `${SESSION}.jsonl`),
    );
    const outputs = bodies(readPath(path), "tool_finished").map((body) => [body.output?.slice(0, 9), body.truncated]);
    expect(outputs).toEqual([
      ["all of it", undefined],
      ["<persiste", true],
      ["<persiste", true],
    ]);
  });
});

describe("child sessions", () => {
  it("are linked by tool results, notifications and progress records", () => {
    const entries = read([
      user("go"),
      assistant([tool("t1", "Agent", { subagent_type: "Explore" }), tool("t2", "Task", { subagent_type: "Plan" })]),
      record("progress", { parentToolUseID: "t2", data: { type: "agent_progress", agentId: "b2" } }),
      user([result("t1", "launched")], { toolUseResult: { isAsync: true, status: "async_launched", agentId: "a1" } }),
      user([result("t2", "found")], { toolUseResult: { status: "completed", agentId: "b2" } }),
      user("<task-notification><task-id>a1</task-id><tool-use-id>t1</tool-use-id></task-notification>"),
      user("<task-notification><task-id>sh1</task-id><tool-use-id>t9</tool-use-id></task-notification>"),
    ]);
    const links = bodies(entries, "child_linked").map((link) => [link.child.session_id, link.phase, link.role]);
    expect(links).toEqual([
      ["agent-b2", "spawned", "Plan"],
      ["agent-a1", "spawned", "Explore"],
      ["agent-b2", "returned", "Plan"],
      ["agent-a1", "returned", "Explore"],
    ]);
  });

  it("include Codex threads named in a tool result (case 75)", () => {
    const entries = read([
      user("go"),
      user([result("t", "[codex] Thread ready (019f-1).\n[codex] Thread ready (019f-2)")]),
    ]);
    const links = bodies(entries, "child_linked").filter((link) => link.phase === "spawned");
    expect(links.map((link) => [link.child.source, link.child.session_id, link.relation])).toEqual([
      ["codex", "019f-1", "companion"],
      ["codex", "019f-2", "companion"],
    ]);
  });
});
