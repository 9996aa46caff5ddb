import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { codex } from "./source.ts";

// Records that no genuine file contains, as Codex's source code writes them, with their reasons and canonical records.

const folder = mkdtempSync(join(tmpdir(), "codex-records-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

function verdicts(...lines: object[]): [reason: string, ...records: unknown[]][] {
  const path = join(folder, `rollout-${++files}.jsonl`);
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const ref = { source: "codex", path, size: 0, mtimeMs: 0, container: "jsonl" } as const;
  return [...codex.read(ref, null, { detail: "full" })].map(({ reason, records }) => [reason, ...records]);
}
/** Reason and canonical records of the last line. */
const last = (...lines: object[]): unknown => verdicts(META, ...lines).at(-1);

const line = (type: string, payload: object): object => ({ timestamp: "2026-05-12T08:00:00.000Z", type, payload });
const event = (type: string, payload: object = {}): object => line("event_msg", { type, ...payload });
const item = (payload: object): object => line("response_item", payload);
const completed = (type: string, payload: object = {}, more: object = {}): object =>
  event("item_completed", { thread_id: "S", item: { type, ...payload }, ...more });
const message = (role: string, ...texts: string[]): object =>
  item({ type: "message", role, content: texts.map((text) => ({ type: "input_text", text })) });
const META = line("session_meta", { id: "S", cwd: "/w", source: "cli" });

describe("calls settled by a single record", () => {
  const start = (id: string, name: string, input: unknown): object => ({
    type: "tool_started",
    call_id: id,
    name,
    input,
  });
  const end = (id: string, status = "ok"): object => ({ type: "tool_finished", call_id: id, status, exit_code: null });

  it.each<[name: string, record: object, started: object, status?: string]>([
    ["a search event", event("web_search_end", { call_id: "c", query: "q" }), start("c", "web_search", "q")],
    [
      "a search event with an action",
      event("web_search_end", { call_id: "c", action: { query: "q" } }),
      start("c", "web_search", { query: "q" }),
    ],
    ["an image event", event("image_generation_end", { call_id: "c" }), start("c", "image_generation", {})],
    [
      "a failed image event",
      event("image_generation_end", { call_id: "c", status: "failed" }),
      start("c", "image_generation", {}),
      "failed",
    ],
    ["an image item", completed("ImageGeneration", { id: "c" }), start("c", "image_generation", {})],
    ["an extension item", completed("Extension", { id: "c", kind: "maps" }), start("c", "maps", {})],
    ["an extension item without id and kind", completed("Extension", {}), start("line-2", "extension", {})],
    ["a search item", completed("WebSearch", { id: "c", query: "q" }), start("c", "web_search", "q")],
  ])("are started and finished by %s", (_, record, started, status) => {
    const id = (started as { call_id: string }).call_id;
    expect(last(record)).toMatchObject(["codex.item.self_settled", started, end(id, status)]);
  });

  it.each<[record: object, echo: object]>([
    [
      item({ type: "web_search_call", id: "w", status: "completed", action: { query: "q" } }),
      event("web_search_end", { call_id: "c", query: "q" }),
    ],
    [
      item({ type: "image_generation_call", id: "w", revised_prompt: "p" }),
      event("image_generation_end", { call_id: "c" }),
    ],
    [item({ type: "image_generation_call", id: "w", revised_prompt: "p" }), completed("ImageGeneration", { id: "c" })],
    [item({ type: "web_search_call", id: "w" }), completed("WebSearch", { id: "c" })],
  ])("are recorded once, by %j and not by %j", (record, echo) => {
    const before = verdicts(META, echo, event("turn_diff"), record);
    expect(before.map(([reason]) => reason)).toEqual([
      "codex.header",
      "codex.item.echo",
      expect.any(String),
      "codex.tool.self_settled",
    ]);
    // Without such a response item, the first record counts.
    expect(verdicts(META, echo, message("assistant", "x"))[1]?.[0]).toBe("codex.item.self_settled");
  });

  it.each<[status: string, expected: string]>([
    ["failed", "failed"],
    ["incomplete", "failed"],
    ["completed", "ok"],
  ])("with native status %s are settled as %s", (status, expected) => {
    expect(
      last(item({ type: "web_search_call", call_id: "a", id: "b", status, action: { query: "q" } })),
    ).toMatchObject(["codex.tool.self_settled", start("a", "web_search", { query: "q" }), end("a", expected)]);
  });
});

describe("tool calls", () => {
  it.each<[record: object, name: string, id?: string]>([
    [item({ type: "function_call", call_id: "c", name: "shell" }), "shell"],
    [item({ type: "function_call", call_id: "c" }), "function"],
    [item({ type: "custom_tool_call", call_id: "c" }), "custom"],
    [item({ type: "local_shell_call", call_id: "c", action: {} }), "local_shell"],
    [item({ type: "tool_search_call", call_id: "c", arguments: {} }), "tool_search"],
    [item({ type: "function_call", name: "shell" }), "shell", "line-2"],
  ])("are started by %j", (record, name, id = "c") => {
    expect(last(record)).toMatchObject(["codex.tool.call", { type: "tool_started", call_id: id, name }]);
  });

  it.each(["function_call_output", "custom_tool_call_output", "local_shell_call_output", "tool_search_output"])(
    "are finished by %s",
    (type) => {
      const call = item({ type: "function_call", call_id: "c", name: "x", arguments: "{}" });
      expect(last(call, item({ type, call_id: "c", output: "fine" }))).toMatchObject([
        "codex.tool.output",
        { type: "tool_finished", call_id: "c", status: "ok" },
      ]);
    },
  );

  it.each<[record: object, reason: string, name: string, body: object]>([
    [
      event("exec_command_end", { call_id: "c", exit_code: 3, command: ["ls"] }),
      "codex.item.command",
      "exec_command",
      { status: "failed", exit_code: 3 },
    ],
    [
      event("patch_apply_end", { call_id: "c", success: true, changes: { "/w/a": { add: { content: "x" } } } }),
      "codex.item.patch",
      "apply_patch",
      { status: "ok", files: [{ path: "/w/a", operation: "created" }] },
    ],
    [
      completed("FileChange", { id: "c", status: "completed", changes: { "/w/a": { add: { content: "x" } } } }),
      "codex.item.patch",
      "apply_patch",
      { status: "ok", files: [{ path: "/w/a", operation: "created" }] },
    ],
    [
      event("mcp_tool_call_end", {
        call_id: "c",
        invocation: { server: "s", tool: "t", arguments: { a: 1 } },
        result: { Ok: {} },
      }),
      "codex.item.tool",
      "s.t",
      { status: "ok" },
    ],
    [
      event("dynamic_tool_call_response", { call_id: "c", tool: "t", arguments: { a: 1 }, success: false }),
      "codex.item.tool",
      "t",
      { status: "failed" },
    ],
    [
      completed("DynamicToolCall", { id: "c", tool: "t", status: "completed" }),
      "codex.item.tool",
      "t",
      { status: "ok" },
    ],
    [completed("McpToolCall", { id: "c", status: "completed" }), "codex.item.tool", "tool", { status: "ok" }],
  ])("are started and finished by %j", (record, reason, name, body) => {
    expect(last(record)).toMatchObject([
      reason,
      { type: "tool_started", call_id: "c", name },
      { type: "tool_finished", call_id: "c", ...body },
    ]);
  });

  it("have their arguments as input", () => {
    const [, started] = last(
      event("mcp_tool_call_end", { call_id: "c", invocation: { tool: "t", arguments: { a: 1 } }, result: {} }),
    ) as unknown[];
    expect(started).toMatchObject({ input: { a: 1 } });
    const [, patched] = last(event("patch_apply_end", { call_id: "c", success: true, stdout: "Success" })) as unknown[];
    expect(patched).toMatchObject({ name: "apply_patch", input: {} });
  });
});

describe("records with names of other releases", () => {
  it("begin and end a turn like task_started and task_complete", () => {
    const [, begun, , ended] = verdicts(
      META,
      event("turn_started", { turn_id: "t" }),
      message("user", "go"),
      event("turn_complete", { turn_id: "t" }),
    );
    const [, oldBegun, , oldEnded] = verdicts(
      META,
      event("task_started", { turn_id: "t" }),
      message("user", "go"),
      event("task_complete", { turn_id: "t" }),
    );
    expect([begun, ended]).toEqual([oldBegun, oldEnded]);
  });

  it("hold the same reasoning as raw content", () => {
    expect(last(event("agent_reasoning_raw_content", { text: "hm" }))).toEqual(
      last(event("agent_reasoning", { text: "hm" })),
    );
  });

  it("are opaque compactions under each of four type names", () => {
    for (const type of ["compaction", "compaction_summary", "context_compaction", "compaction_trigger"])
      expect(last(item({ type }))).toEqual(["codex.compaction.opaque"]);
  });

  it("rename the session, or remove its title if the name is blank", () => {
    const renamed = (name: unknown): unknown => last(event("thread_name_updated", { thread_name: name }));
    expect(renamed("Mine")).toEqual(["codex.renamed", { type: "session_renamed", title: "Mine", by: "human" }]);
    for (const none of [null, "", "  "])
      expect(renamed(none)).toEqual(["codex.renamed", { type: "session_renamed", title: null, by: "human" }]);
  });

  it("are unknown if their item type is not recognised", () => {
    expect(last(item({ type: "hologram" }))).toMatchObject(["codex.type.unknown", { type: "unknown" }]);
    expect(last(completed("Hologram"))).toMatchObject(["codex.type.unknown", { type: "unknown" }]);
  });
});

describe("a session imported from another agent", () => {
  const count = event("token_count", {
    info: {
      total_token_usage: { input_tokens: 10, output_tokens: 1, total_tokens: 11 },
      last_token_usage: { input_tokens: 10, output_tokens: 1, total_tokens: 11 },
    },
  });
  const mark = item({
    type: "message",
    role: "assistant",
    content: [{ type: "output_text", text: "<EXTERNAL SESSION IMPORTED>" }],
  });
  const echo = event("agent_message", { message: "<EXTERNAL SESSION IMPORTED>" });
  const verdict = (...lines: object[]): unknown =>
    verdicts(META, ...lines)
      .flatMap(([, ...records]) => records)
      .filter((body) => (body as { type: string }).type === "usage")
      .map((body) => (body as { verdict: string }).verdict);

  it("has one estimated count next to the import mark", () => {
    expect(verdict(message("user", "go"), mark, count)).toEqual(["estimate"]);
    expect(verdict(message("user", "go"), count, mark)).toEqual(["estimate"]);
    expect(verdict(message("user", "go"), count, echo, mark)).toEqual(["estimate"]);
    expect(verdict(message("user", "go"), count, event("turn_diff"), mark)).toEqual(["estimate"]);
    expect(verdict(message("user", "go"), count, message("assistant", "x"), message("assistant", "y"), mark)).toEqual([
      "counted",
    ]);
    expect(verdict(message("user", "go"), count)).toEqual(["counted"]);
    expect(verdict(message("user", "go"), mark, event("task_started", { turn_id: "t" }), count)).toEqual(["counted"]);
    expect(verdict(message("user", "go"), mark, count, count)).toEqual(["estimate", "duplicate"]);
  });
});

describe("a message between agents", () => {
  const agentMessage = (content: unknown, more: object = {}): unknown =>
    last(item({ type: "agent_message", author: "/root", content, ...more }));

  it("is recorded with its readable text", () => {
    expect(agentMessage([{ type: "input_text", text: "do" }])).toMatchObject([
      "codex.agent_mail",
      { author: "agent", text: "do" },
    ]);
    const sealed = [
      { type: "encrypted_content", encrypted_content: "gAAAA" },
      { encrypted_content: "in plain words" },
      { encrypted_content: " and more" },
    ];
    expect(agentMessage(sealed)).toMatchObject(["codex.agent_mail", { text: "in plain words and more" }]);
    expect((agentMessage([{ type: "input_text", text: "do" }]) as object[])[1]).not.toHaveProperty("native_turn_id");
  });
});
