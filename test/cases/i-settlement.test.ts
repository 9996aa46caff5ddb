import { describe, expect, it } from "vitest";
import type { ToolView } from "../../src/views/tool-view.ts";
import {
  A,
  CA,
  CALL,
  claude,
  codex,
  CT,
  CU,
  event,
  item,
  ITEM,
  M,
  only,
  OUT,
  R,
  TD,
  toolUse,
  type Book,
} from "./build.ts";

async function call(book: Book): Promise<ToolView> {
  return only(await book.tools());
}

const PYTEST = CALL("c", "shell_command", { command: "pytest -q" });
const EXEC = { id: "c", command: ["pytest", "-q"], status: "completed" };

/** Section I, case 95; the other cases of the section are in i-narrative.test.ts. */
describe("I. settlement", () => {
  it("case 95: a tool call without a result is pending, or interrupted once the session continues", async () => {
    expect((await call(codex(M("s"), R("go"), PYTEST))).status).toBe("pending");
    for (const rest of [
      [A("All tests pass."), TD()],
      [R("and now?"), A("b")],
      [event("turn_aborted"), A("x")],
    ]) {
      const book = codex(M("s"), R("go"), PYTEST, ...rest);
      expect(await call(book)).toMatchObject({ status: "interrupted", exit_code: null, end_line: null });
      expect((await book.turns())[0]?.tools).toMatchObject({ total: 1, ok: 0 });
    }
    const bash = [toolUse("t", "Bash", { command: "pytest -q" })];
    expect((await call(claude(CU("go"), CA(bash)))).status).toBe("pending");
    const answered = claude(CU("go"), CA(bash), CU("next"), CA("All tests pass.", { stop: "end_turn" }));
    expect(await call(answered)).toMatchObject({ status: "interrupted", exit_code: null });
  });

  it("a result that was written before its call settles the call", async () => {
    const bash = [toolUse("t", "Bash", { command: "pytest -q" })];
    const lines = [
      CU("go"),
      CT("t", "Exit code 1\nred", {}, { is_error: true }),
      CA(bash),
      CA("Red.", { stop: "end_turn" }),
    ];
    const book = claude(...lines);
    expect(await call(book)).toMatchObject({ status: "failed", exit_code: 1, start_line: 3, end_line: 2 });
    expect((await book.turns())[0]).toMatchObject({ outcome: "completed", tools: { total: 1, failed: 1, pending: 0 } });
    // A result of an unknown call settles no other call.
    const other = claude(CU("go"), CT("u", "x"), CA(bash), CA("Red.", { stop: "end_turn" }));
    expect((await call(other)).status).toBe("interrupted");
  });

  it("case 95: exit code 2 is a failure even if the status says completed", async () => {
    const lines = [
      [PYTEST, ITEM("CommandExecution", { ...EXEC, exit_code: 2 })],
      [PYTEST, ITEM("CommandExecution", { ...EXEC, exit_code: 2 }), OUT("c", "collected 3 items")],
      [PYTEST, event("exec_command_end", { call_id: "c", command: ["pytest"], status: "completed", exit_code: 2 })],
      [PYTEST, OUT("c", "Exit code: 2\nWall time: 1 seconds\nOutput:\n3 passed")],
      [PYTEST, OUT("c", { output: "3 passed", metadata: { exit_code: 2, duration_seconds: 1 } })],
      [ITEM("CommandExecution", { ...EXEC, exit_code: 2 })],
    ];
    for (const tools of lines) {
      const book = codex(M("s"), R("go"), ...tools, A("done"), TD());
      expect(await call(book)).toMatchObject({ status: "failed", exit_code: 2 });
      expect(only(await book.turns()).tools).toMatchObject({ total: 1, ok: 0, failed: 1 });
    }
    const bash = claude(CU("go"), CA([toolUse("t", "Bash")]), CT("t", "Exit code 2\n1 failed", {}, { is_error: true }));
    expect(await call(bash)).toMatchObject({ status: "failed", exit_code: 2 });
  });

  it("case 95: exit code 0 is a number, not missing", async () => {
    for (const tools of [
      [PYTEST, ITEM("CommandExecution", { ...EXEC, exit_code: 0 }), OUT("c", "3 passed")],
      [PYTEST, OUT("c", "Exit code: 0\nWall time: 1 seconds\nOutput:\n3 passed")],
      [PYTEST, OUT("c", { output: "3 passed", metadata: { exit_code: 0, duration_seconds: 1 } })],
    ]) {
      expect(await call(codex(M("s"), R("go"), ...tools, TD()))).toMatchObject({ status: "ok", exit_code: 0 });
    }
  });

  const MCP = { server: "docs", tool: "search", arguments: { q: "x" } };

  it.each([
    ["item", ITEM("McpToolCall", { id: "c", ...MCP, status: "completed", result: { content: [], isError: true } })],
    [
      "event, Ok",
      event("mcp_tool_call_end", { call_id: "c", invocation: MCP, result: { Ok: { content: [], isError: true } } }),
    ],
    [
      "event, is_error",
      event("mcp_tool_call_end", { call_id: "c", invocation: MCP, result: { Ok: { is_error: true } } }),
    ],
    ["event, Err", event("mcp_tool_call_end", { call_id: "c", invocation: MCP, result: { Err: "no such server" } })],
  ])("case 95: an MCP result with an error flag is a failure (%s)", async (_, line) => {
    const request = item({ type: "function_call", name: "docs__search", call_id: "c", arguments: "{}" });
    for (const tools of [[request, line], [request, line, OUT("c", "nothing found")], [line]]) {
      expect((await call(codex(M("s"), R("go"), ...tools, A("done"), TD()))).status).toBe("failed");
    }
  });

  it("case 95: a Claude MCP result with is_error is a failure", async () => {
    const book = claude(
      CU("go"),
      CA([toolUse("t", "mcp__docs__search")]),
      CT("t", "no such page", {}, { is_error: true }),
    );
    expect((await call(book)).status).toBe("failed");
  });
});
