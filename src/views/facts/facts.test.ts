import { describe, expect, it } from "vitest";
import type { LogRecord, RecordBody } from "../../record/record.ts";
import { turnFacts, type TurnFacts } from "./facts.ts";

function facts(...bodies: RecordBody[]): TurnFacts | undefined {
  const records = bodies.map((body, i): LogRecord => ({
    schema_version: 1,
    seq: i,
    time: null,
    session_id: "s",
    origin: { line: i + 1 },
    turn_id: "T0001",
    ...body,
  }));
  return turnFacts(records).get("T0001");
}

const started = (call_id: string, name: string, input: unknown): RecordBody => ({
  type: "tool_started",
  call_id,
  name,
  input,
});
const ended = (call_id: string, status: "ok" | "failed" | "denied" = "ok", output = ""): RecordBody => ({
  type: "tool_finished",
  call_id,
  status,
  exit_code: status === "failed" ? 2 : null,
  duration_ms: null,
  output,
});
const said = (text: string): RecordBody => ({ type: "assistant_finished", text });
const todo = (text: string, status: string): unknown => ({ content: text, status });

describe("facts of a turn", () => {
  it("list the tool calls that failed or never ended", () => {
    const found = facts(
      started("a", "Bash", { command: "npm test" }),
      started("b", "apply_patch", "*** Begin Patch\n*** Update File: src/a.ts\n@@\n*** End Patch"),
      started("c", "Bash", { command: "ls" }),
      ended("a", "failed"),
      ended("c"),
    );
    expect(found?.tool_problems).toMatchObject([
      { name: "Bash", about: "npm test", status: "failed", exit_code: 2, line: 1 },
      { name: "apply_patch", about: "src/a.ts", status: "pending", line: 2 },
    ]);
  });

  it("tell which request to merge a call opened, and which ones it showed to be merged", () => {
    const deeds = (command: string, output: string): unknown =>
      facts(started("a", "Bash", { command }), ended("a", "ok", output))?.steps?.map((step) => step.deeds);
    const opened = "https://code.example.test/a/b/-/merge_requests/12\n";
    expect(deeds("glab mr create --fill", opened)).toEqual([[{ kind: "open_pr", name: "12" }]]);
    expect(deeds("gh pr view 7 --json state", '{"state":"MERGED"}')).toEqual([[{ kind: "merge_pr", name: "7" }]]);
    expect(deeds("gh pr view 7 --json state", '{"state":"OPEN"}')).toEqual([]);
    expect(deeds("git pull", "Merge pull request #9 from a/retry")).toEqual([[{ kind: "merge_pr", name: "9" }]]);
    expect(deeds("cat notes.md", "Merge pull request #9 from a/retry")).toEqual([]);
  });

  it("leave out a search without hits at the end of a check, and a refused look", () => {
    const command = { command: "npm run lint 2>&1 | grep cli.ts" };
    const none: RecordBody = { type: "tool_finished", call_id: "a", status: "failed", exit_code: 1, duration_ms: null };
    expect(facts(started("a", "Bash", command), none)?.steps).toMatchObject([{ status: "ok" }]);
    const refused = (name: string, input: unknown): unknown =>
      facts(started("a", name, input), ended("a", "denied"))?.steps?.length;
    expect(refused("Bash", { command: "cat .env" })).toBe(0);
    expect(refused("WebFetch", { url: "https://example.test" })).toBe(0);
    expect(refused("Write", { file_path: "/p/a.ts", content: "" })).toBe(1);
    expect(refused("mcp__tickets__create", { title: "a" })).toBe(1);
  });

  it("use the last result of a tool call", () => {
    expect(facts(started("a", "Bash", {}), ended("a", "failed"), ended("a"))?.tool_problems).toEqual([]);
  });

  it("say which questions were answered", () => {
    const input = { questions: [{ question: "Red or blue?" }] };
    const found = facts(started("a", "AskUserQuestion", input), ended("a"), started("b", "request_user_input", input));
    expect(found?.questions).toEqual([
      { question: "Red or blue?", answered: true, status: "ok", line: 1 },
      { question: "Red or blue?", answered: false, status: "pending", line: 3 },
    ]);
  });

  it.each([
    ["TodoWrite", { todos: [todo("a", "completed"), todo("b", "in_progress")] }],
    [
      "update_plan",
      {
        plan: [
          { step: "a", status: "completed" },
          { step: "b", status: "in_progress" },
        ],
      },
    ],
    [
      "write_todos",
      {
        todos: [
          { description: "a", status: "completed" },
          { description: "b", status: "in_progress" },
          { description: "c", status: "cancelled" },
        ],
      },
    ],
    ["todo__todo_write", { content: "- [x] a\n- [~] b\n" }],
  ])("include the to-do list of %s", (name, input) => {
    expect(facts(started("a", name, input), ended("a"))?.todos).toEqual({
      items: [
        { text: "a", status: "completed" },
        { text: "b", status: "in_progress" },
      ],
      line: 1,
    });
  });

  it("follow the status of single tasks by their numbers", () => {
    const found = facts(
      started("a", "TaskCreate", { subject: "one" }),
      ended("a", "ok", "Task #4 created successfully: one"),
      started("b", "TaskCreate", { subject: "two" }),
      ended("b", "ok", "Task #5 created successfully: two"),
      started("c", "TaskUpdate", { taskId: "4", status: "completed" }),
      ended("c"),
    );
    expect(found?.todos?.items).toEqual([
      { text: "one", status: "completed" },
      { text: "two", status: "pending" },
    ]);
  });

  it("include the last text of the agent and its line", () => {
    expect(facts(said("first"), said("last"), said(""))?.last_words).toEqual({ text: "last", line: 2 });
  });
});
