import type { ToolFinishedBody } from "../../record/record.ts";
import type { Native } from "../kit/native.ts";
import { needsInterruptMarker, noteEdit, settle } from "./calls.ts";
import type { Block } from "./native.ts";
import { freshState, type ReaderState } from "./state.ts";
import { describe, expect, it } from "vitest";

// The records are minimal, in the formats of different Claude Code releases.
const REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
const result = (content: string, more: Native = {}): Block => ({
  type: "tool_result",
  tool_use_id: "c",
  content,
  ...more,
});
const fails = (content: string): Block => result(content, { is_error: true });

interface Options {
  record?: Native;
  state?: ReaderState;
  interrupted?: boolean;
  full?: boolean;
}

function finished(block: Block, options: Options = {}): ToolFinishedBody {
  const { record = {}, state = freshState("root"), interrupted = false, full = true } = options;
  const [body, ...more] = settle(record, [block], state, { interrupted, full, sessionPath: "/nowhere/s.jsonl" });
  expect(more).toEqual([]);
  return body as ToolFinishedBody;
}

describe("settlement of a tool call", () => {
  it.each<[status: string, block: Block, record?: Native]>([
    ["ok", result("done")],
    ["ok", result("Exit code 1")],
    ["ok", result("Permission to use Bash has been denied")],
    ["failed", fails("no such file")],
    ["failed", fails("a Permission to use Bash has been denied")],
    ["denied", fails("Permission to use Bash has been denied")],
    ["denied", fails("Permission for this tool use was denied")],
    ["denied", fails("Claude requested permissions to write, but you haven't granted it yet.")],
    ["denied", fails("This command requires approval")],
    ["denied", fails("This Bash command contains multiple operations. The following part requires approval: x")],
    ["denied", fails("This Bash command contains multiple operations. The following parts require approval: x")],
    ["denied", fails("Permission to use Bash with\ntwo lines has been denied")],
    ["denied", fails("PreToolUse:Bash hook error: no")],
    ["denied", fails("Hook PreToolUse:Bash denied this tool")],
    ["denied", fails("User chose to stay in plan mode and continue planning")],
    ["denied", fails("User rejected Claude's plan:\n\n1. x")],
    ["denied", fails("The agent proposed a plan that was rejected by the user")],
    ["failed", fails("said: User rejected the plan")],
    ["denied", fails(REFUSED)],
    ["denied", result("x"), { toolDenialKind: "hook" }],
    ["interrupted", result("x"), { toolDenialKind: "interrupted" }],
    ["interrupted", fails(REFUSED), { toolDenialKind: "interrupted" }],
    ["interrupted", result("x"), { toolUseResult: { interrupted: true } }],
    ["ok", result("x"), { toolUseResult: { interrupted: false } }],
    ["interrupted", result("[Request interrupted by user]")],
    ["interrupted", fails("Interrupted by user")],
    ["ok", result("it says: Interrupted by user")],
    ["interrupted", fails("x"), { toolUseResult: "Error: [Request interrupted by user for tool use]" }],
    ["interrupted", fails("x"), { toolUseResult: "The user interrupted it" }],
    ["failed", fails("x"), { toolUseResult: "an Error: Interrupted by user" }],
    ["failed", fails("x"), { toolUseResult: "Error: Exit code 1" }],
    ["interrupted", fails("Exit code 137\n[Request interrupted by user for tool use]")],
    ["interrupted", fails("Exit code 137\n[Request interrupted by user]\n")],
    // Output of the killed command follows (2.1.19); a command that was not killed may print the marker itself.
    ["interrupted", fails("Exit code 137\n[Request interrupted by user for tool use]\nline-one\nline-two")],
    ["interrupted", fails("Exit code 143\na warning\n[Request interrupted by user]\nand more")],
    ["failed", fails("Exit code 1\n[Request interrupted by user for tool use]\nand more")],
    ["failed", fails("Exit code 137\nit says [Request interrupted by user for tool use]\nand more")],
  ])("has status %s for %j %j", (status, block, record) => {
    expect(finished(block, record ? { record } : {}).status).toBe(status);
  });

  it("has status interrupted if an interrupt marker follows a refusal", () => {
    expect(finished(fails(REFUSED), { interrupted: true }).status).toBe("interrupted");
    expect(finished(fails("x"), { interrupted: true }).status).toBe("failed");
  });

  it("states an exit code only for failures", () => {
    expect(finished(fails("Exit code 12\nboom")).exit_code).toBe(12);
    expect(finished(fails("Error: Exit code 12")).exit_code).toBe(12);
    expect(finished(fails("the Exit code 12")).exit_code).toBeNull();
    expect(finished(fails("boom")).exit_code).toBeNull();
    expect(finished(result("Exit code 12")).exit_code).toBeNull();
  });

  it("states duration, output and whether the output was truncated", () => {
    const record = { toolUseResult: { durationMs: 12 } };
    expect(finished(result("said"), { record })).toEqual({
      type: "tool_finished",
      call_id: "c",
      status: "ok",
      exit_code: null,
      duration_ms: 12,
      output: "said",
    });
    expect(finished(result("said"), { record: { toolUseResult: { totalDurationMs: 34 } } }).duration_ms).toBe(34);
    expect(finished(result("said"), { full: false })).toEqual({
      type: "tool_finished",
      call_id: "c",
      status: "ok",
      exit_code: null,
      duration_ms: null,
    });
    const truncated = finished(result("<persisted-output>\nbegin"));
    expect(truncated).toMatchObject({ output: "<persisted-output>\nbegin", truncated: true });
    expect(finished(result("said"))).not.toHaveProperty("truncated");
    expect(
      finished(result("<persisted-output>"), { record: { toolUseResult: { persistedOutputPath: "/x/y" } } }),
    ).toMatchObject({ truncated: true });
  });

  it("states the error without its wrapper tag", () => {
    expect(finished(fails("<tool_use_error>no such tool</tool_use_error>")).error).toBe("no such tool");
    expect(finished(fails("a <tool_use_error>b</tool_use_error> c")).error).toBe(
      "a <tool_use_error>b</tool_use_error> c",
    );
    expect(finished(result("fine"))).not.toHaveProperty("error");
  });

  it("exists for each result of a record, without duration if the record has several results", () => {
    const blocks = [
      { type: "text", text: "and" },
      result("a"),
      { ...result("b"), tool_use_id: "d" },
      { type: "tool_result" },
    ];
    const record = { toolUseResult: { durationMs: 5 } };
    const ctx = { interrupted: false, full: false, sessionPath: "/s.jsonl" };
    const settled = settle(record, blocks, freshState("root"), ctx) as ToolFinishedBody[];
    expect(settled.map(({ call_id, duration_ms }) => [call_id, duration_ms])).toEqual([
      ["c", null],
      ["d", null],
    ]);
    expect(settle(record, [{ type: "text", text: "and" }], freshState("root"), ctx)).toEqual([]);
    expect(settle(record, [blocks[0] ?? { type: "" }, result("a")], freshState("root"), ctx)).toMatchObject([
      { duration_ms: 5 },
    ]);
  });
});

describe("the file operation of a call", () => {
  const files = (tool: string, input: Native | null, text: string, toolUseResult?: unknown, error = false): unknown => {
    const state = freshState("root");
    noteEdit("c", tool, input, state);
    const record = toolUseResult === undefined ? {} : { toolUseResult };
    return finished(error ? fails(text) : result(text), { state, record }).files;
  };
  const at = (operation: string, path = "/w/a"): unknown => [{ path, operation }];
  const input = { file_path: "/w/a" };

  it.each<[name: string, settled: () => unknown, expected: unknown]>([
    [
      "created for a Write result of type create",
      () => files("Write", input, "x", { type: "create", filePath: "/w/b" }),
      at("created", "/w/b"),
    ],
    [
      "modified for a Write result of type update",
      () => files("Write", input, "x", { type: "update", filePath: "/w/b" }),
      at("modified", "/w/b"),
    ],
    [
      "modified for an Edit result",
      () => files("Edit", input, "x", { filePath: "/w/b", oldString: "a" }),
      at("modified", "/w/b"),
    ],
    [
      "created for an Edit result without an original file",
      () => files("Edit", input, "x", { filePath: "/w/b", originalFile: null }),
      at("created", "/w/b"),
    ],
    [
      "modified for an Edit result with an original file",
      () => files("Edit", input, "x", { filePath: "/w/b", originalFile: "a" }),
      at("modified", "/w/b"),
    ],
    [
      "modified for a Write result of type update without an original file",
      () => files("Write", input, "x", { type: "update", originalFile: null }),
      at("modified"),
    ],
    [
      "modified for a NotebookEdit call",
      () => files("NotebookEdit", { notebook_path: "/w/n" }, "x"),
      at("modified", "/w/n"),
    ],
    [
      "modified for a notebook result without a noted edit call",
      () => files("Read", {}, "x", { notebook_path: "/w/n", new_source: "" }),
      at("modified", "/w/n"),
    ],
    [
      "modified for a result with a patch without a noted edit call",
      () => files("Read", {}, "x", { filePath: "/w/b", structuredPatch: [] }),
      at("modified", "/w/b"),
    ],
    [
      "modified for a result with a list of edits without a noted edit call",
      () => files("Read", {}, "x", { filePath: "/w/b", edits: [] }),
      at("modified", "/w/b"),
    ],
    [
      "modified for a result with an old string without a noted edit call",
      () => files("Read", {}, "x", { filePath: "/w/b", oldString: "" }),
      at("modified", "/w/b"),
    ],
    ["none for a Read result", () => files("Read", input, "x", { filePath: "/w/b" }), undefined],
    ["none for an Edit call without a path", () => files("Edit", {}, "x"), undefined],
    [
      "created for a text-only Write result that says created (subagents)",
      () => files("Write", input, "File created successfully at: /w/a"),
      at("created"),
    ],
    [
      "modified for a text-only Write result that says updated (subagents)",
      () => files("Write", input, "The file was updated. File created"),
      at("modified"),
    ],
    [
      "modified for a text-only MultiEdit result (subagents)",
      () => files("MultiEdit", input, "File created"),
      at("modified"),
    ],
    [
      "modified for a Write result of type update whose text says created",
      () => files("Write", input, "File created", { type: "update" }),
      at("modified"),
    ],
    ["none for a failed Edit", () => files("Edit", input, "no", undefined, true), undefined],
    ["none for an Edit call without input", () => files("Edit", null, "x"), undefined],
    ["none for a text-only result without a noted edit call", () => files("Read", {}, "File created"), undefined],
  ])("is %s", (_, settled, expected) => {
    expect(settled()).toEqual(expected);
  });
});

describe("needsInterruptMarker", () => {
  it("is true only for refusals that are not already marked as interrupted", () => {
    expect(needsInterruptMarker({}, [result(REFUSED)])).toBe(true);
    expect(needsInterruptMarker({}, [result("x"), result(REFUSED)])).toBe(true);
    expect(needsInterruptMarker({ toolDenialKind: "user-rejected" }, [result(REFUSED)])).toBe(true);
    expect(needsInterruptMarker({ toolDenialKind: "interrupted" }, [result(REFUSED)])).toBe(false);
    expect(needsInterruptMarker({}, [result("x")])).toBe(false);
    expect(needsInterruptMarker({}, [{ ...result(REFUSED), type: "text" }])).toBe(false);
  });
});
