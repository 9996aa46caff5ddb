import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { codex } from "./index.ts";

/** Records of which no genuine file is at hand, in the words of Codex's source: what is told of each. */
const folder = mkdtempSync(join(tmpdir(), "codex-records-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

function verdicts(...lines: object[]): [reason: string, ...records: unknown[]][] {
  const path = join(folder, `rollout-${++files}.jsonl`);
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const ref = { source: "codex", path, size: 0, mtimeMs: 0, container: "jsonl" } as const;
  return [...codex.read(ref, null, { detail: "full" })].map(({ reason, records }) => [reason, ...records]);
}
/** What is told of the last of the lines. */
const last = (...lines: object[]): unknown => verdicts(META, ...lines).at(-1);

const line = (type: string, payload: object): object => ({ timestamp: "2026-05-12T08:00:00.000Z", type, payload });
const event = (type: string, payload: object = {}): object => line("event_msg", { type, ...payload });
const item = (payload: object): object => line("response_item", payload);
const done = (type: string, payload: object = {}, more: object = {}): object =>
  event("item_completed", { thread_id: "S", item: { type, ...payload }, ...more });
const said = (role: string, ...texts: string[]): object =>
  item({ type: "message", role, content: texts.map((text) => ({ type: "input_text", text })) });
const META = line("session_meta", { id: "S", cwd: "/w", source: "cli" });

describe("calls that settle themselves", () => {
  const start = (id: string, name: string, input: unknown): object => ({
    type: "tool_started",
    call_id: id,
    name,
    input,
  });
  const end = (id: string, status = "ok"): object => ({ type: "tool_finished", call_id: id, status, exit_code: null });

  it.each<[name: string, record: object, started: object, status?: string]>([
    ["a search", event("web_search_end", { call_id: "c", query: "q" }), start("c", "web_search", "q")],
    [
      "a search by its action",
      event("web_search_end", { call_id: "c", action: { query: "q" } }),
      start("c", "web_search", { query: "q" }),
    ],
    ["an image", event("image_generation_end", { call_id: "c" }), start("c", "image_generation", {})],
    [
      "one that failed",
      event("image_generation_end", { call_id: "c", status: "failed" }),
      start("c", "image_generation", {}),
      "failed",
    ],
    ["an image's item", done("ImageGeneration", { id: "c" }), start("c", "image_generation", {})],
    ["an extension's item", done("Extension", { id: "c", kind: "maps" }), start("c", "maps", {})],
    ["one without a name", done("Extension", {}), start("line-2", "extension", {})],
    ["a search's item", done("WebSearch", { id: "c", query: "q" }), start("c", "web_search", "q")],
  ])("%s", (_, record, started, status) => {
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
    [item({ type: "image_generation_call", id: "w", revised_prompt: "p" }), done("ImageGeneration", { id: "c" })],
    [item({ type: "web_search_call", id: "w" }), done("WebSearch", { id: "c" })],
  ])("are told once, by the response item: %j", (record, echo) => {
    const before = verdicts(META, echo, event("turn_diff"), record);
    expect(before.map(([reason]) => reason)).toEqual([
      "codex.header",
      "codex.item.echo",
      expect.any(String),
      "codex.tool.self_settled",
    ]);
    // Nothing tells who repeats whom where another kind follows.
    expect(verdicts(META, echo, said("assistant", "x"))[1]?.[0]).toBe("codex.item.self_settled");
  });

  it.each<[status: string, expected: string]>([
    ["failed", "failed"],
    ["incomplete", "failed"],
    ["completed", "ok"],
  ])("say how they ended: %s", (status, expected) => {
    expect(
      last(item({ type: "web_search_call", call_id: "a", id: "b", status, action: { query: "q" } })),
    ).toMatchObject(["codex.tool.self_settled", start("a", "web_search", { query: "q" }), end("a", expected)]);
  });
});

describe("calls and their ends", () => {
  const names = (record: object): unknown => last(record);
  it.each<[record: object, name: string, id?: string]>([
    [item({ type: "function_call", call_id: "c", name: "shell" }), "shell"],
    [item({ type: "function_call", call_id: "c" }), "function"],
    [item({ type: "custom_tool_call", call_id: "c" }), "custom"],
    [item({ type: "local_shell_call", call_id: "c", action: {} }), "local_shell"],
    [item({ type: "tool_search_call", call_id: "c", arguments: {} }), "tool_search"],
    [item({ type: "function_call", name: "shell" }), "shell", "line-2"],
  ])("%j", (record, name, id = "c") => {
    expect(names(record)).toMatchObject(["codex.tool.call", { type: "tool_started", call_id: id, name }]);
  });

  it.each(["function_call_output", "custom_tool_call_output", "local_shell_call_output", "tool_search_output"])(
    "%s",
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
      done("FileChange", { id: "c", status: "completed", changes: { "/w/a": { add: { content: "x" } } } }),
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
    [done("DynamicToolCall", { id: "c", tool: "t", status: "completed" }), "codex.item.tool", "t", { status: "ok" }],
    [done("McpToolCall", { id: "c", status: "completed" }), "codex.item.tool", "tool", { status: "ok" }],
  ])("%j", (record, reason, name, body) => {
    expect(last(record)).toMatchObject([
      reason,
      { type: "tool_started", call_id: "c", name },
      { type: "tool_finished", call_id: "c", ...body },
    ]);
  });

  it("keep what was asked", () => {
    const [, started] = last(
      event("mcp_tool_call_end", { call_id: "c", invocation: { tool: "t", arguments: { a: 1 } }, result: {} }),
    ) as unknown[];
    expect(started).toMatchObject({ input: { a: 1 } });
    const [, patched] = last(event("patch_apply_end", { call_id: "c", success: true, stdout: "Success" })) as unknown[];
    expect(patched).toMatchObject({ name: "apply_patch", input: {} });
  });
});

describe("turns in the words of other releases", () => {
  it("begin and end", () => {
    const [, begun, , ended] = verdicts(
      META,
      event("turn_started", { turn_id: "t" }),
      said("user", "go"),
      event("turn_complete", { turn_id: "t" }),
    );
    const [, old, , done_] = verdicts(
      META,
      event("task_started", { turn_id: "t" }),
      said("user", "go"),
      event("task_complete", { turn_id: "t" }),
    );
    expect([begun, ended]).toEqual([old, done_]);
  });

  it("hold reasoning that is written raw", () => {
    expect(last(event("agent_reasoning_raw_content", { text: "hm" }))).toEqual(
      last(event("agent_reasoning", { text: "hm" })),
    );
  });

  it("are compacted in any of these words", () => {
    for (const type of ["compaction", "compaction_summary", "context_compaction", "compaction_trigger"])
      expect(last(item({ type }))).toEqual(["codex.compaction.opaque"]);
  });

  it("are named by a human, or not any more", () => {
    const renamed = (name: unknown): unknown => last(event("thread_name_updated", { thread_name: name }));
    expect(renamed("Mine")).toEqual(["codex.renamed", { type: "session_renamed", title: "Mine", by: "human" }]);
    for (const none of [null, "", "  "])
      expect(renamed(none)).toEqual(["codex.renamed", { type: "session_renamed", title: null, by: "human" }]);
  });

  it("may hold what nobody has checked", () => {
    expect(last(item({ type: "hologram" }))).toMatchObject(["codex.type.unknown", { type: "unknown" }]);
    expect(last(done("Hologram"))).toMatchObject(["codex.type.unknown", { type: "unknown" }]);
  });
});

describe("a session taken over from another agent", () => {
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

  it("gets one made-up count beside its closing words", () => {
    expect(verdict(said("user", "go"), mark, count)).toEqual(["estimate"]);
    expect(verdict(said("user", "go"), count, mark)).toEqual(["estimate"]);
    expect(verdict(said("user", "go"), count, echo, mark)).toEqual(["estimate"]);
    expect(verdict(said("user", "go"), count, event("turn_diff"), mark)).toEqual(["estimate"]);
    expect(verdict(said("user", "go"), count, said("assistant", "x"), said("assistant", "y"), mark)).toEqual([
      "counted",
    ]);
    expect(verdict(said("user", "go"), count)).toEqual(["counted"]);
    expect(verdict(said("user", "go"), mark, event("task_started", { turn_id: "t" }), count)).toEqual(["counted"]);
    expect(verdict(said("user", "go"), mark, count, count)).toEqual(["estimate", "duplicate"]);
  });
});

describe("mail between agents", () => {
  const mail = (content: unknown, more: object = {}): unknown =>
    last(item({ type: "agent_message", author: "/root", content, ...more }));

  it("is what can be read of it", () => {
    expect(mail([{ type: "input_text", text: "do" }])).toMatchObject([
      "codex.agent_mail",
      { author: "agent", text: "do" },
    ]);
    const sealed = [
      { type: "encrypted_content", encrypted_content: "gAAAA" },
      { encrypted_content: "in plain words" },
      { encrypted_content: " and more" },
    ];
    expect(mail(sealed)).toMatchObject(["codex.agent_mail", { text: "in plain words and more" }]);
    expect((mail([{ type: "input_text", text: "do" }]) as object[])[1]).not.toHaveProperty("native_turn_id");
  });
});
