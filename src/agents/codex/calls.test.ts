import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { RecordBody } from "../../record/record.ts";
import type { Entry } from "../contract.ts";
import { ownerOf, scriptState, type Step } from "./calls.ts";
import { codex } from "./source.ts";
import { initialState, type CallState, type ScriptState } from "./state.ts";

const folder = mkdtempSync(join(tmpdir(), "codex-calls-"));
let files = 0;

function read(lines: readonly object[]): Entry[] {
  const path = join(folder, `rollout-${++files}.jsonl`);
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return [...codex.read({ source: "codex", path, size: 0, mtimeMs: 0, container: "jsonl" }, null, { detail: "full" })];
}

const item = (payload: object): object => ({ timestamp: "2026-05-12T08:00:00.000Z", type: "response_item", payload });
const event = (payload: object): object => ({ timestamp: "2026-05-12T08:00:00.000Z", type: "event_msg", payload });
const user = (text: string): object => item({ type: "message", role: "user", content: [{ type: "input_text", text }] });
const call = (id: string, name: string, args: object): object =>
  item({ type: "function_call", name, arguments: JSON.stringify(args), call_id: id });
const output = (id: string, text: unknown): object => item({ type: "function_call_output", call_id: id, output: text });
const bodies = <T extends RecordBody["type"]>(entries: Entry[], type: T): Extract<RecordBody, { type: T }>[] =>
  entries.flatMap((entry) => entry.records.filter((r): r is Extract<RecordBody, { type: T }> => r.type === type));
const status = (entries: Entry[], id: string): string | undefined => {
  const last = bodies(entries, "tool_finished").findLast((body) => body.call_id === id);
  return last && `${last.status} ${last.exit_code}`;
};
const nested = (id: string, exit: number): object =>
  event({
    type: "item_completed",
    turn_id: "t",
    item: {
      type: "CommandExecution",
      id,
      command: ["bash", "-lc", "x"],
      source: "agent",
      status: exit ? "failed" : "completed",
      exit_code: exit,
    },
  });

const ended = (success: boolean): object =>
  event({ type: "patch_apply_end", call_id: "p", success, stderr: "", changes: {} });

const scripted = (id: string, input: string): object =>
  item({ type: "custom_tool_call", call_id: id, name: "exec", input, status: "completed" });
const printed = (id: string, ...texts: string[]): object =>
  item({
    type: "custom_tool_call_output",
    call_id: id,
    output: ["Script completed\nWall time 0.1 seconds\nOutput:\n", ...texts].map((text) => ({
      type: "input_text",
      text,
    })),
  });

describe("tool calls", () => {
  it("of parallel scripts take the results of the commands they name (0.154)", () => {
    const runs = (cmd: string): string => `const r = await tools.exec_command({"cmd":${JSON.stringify(cmd)}});`;
    const ran = (id: string, cmd: string, exit: number): object => {
      const item = {
        type: "CommandExecution",
        id,
        command: ["bash", "-lc", cmd],
        status: "completed",
        exit_code: exit,
      };
      return event({ type: "item_completed", turn_id: "t", item });
    };
    const entries = read([
      scripted("a", runs("echo first")),
      scripted("b", runs("echo second; exit 7")),
      ran("exec-1", "echo first", 0),
      printed("a", "first"),
      ran("exec-2", "echo second; exit 7", 7),
      printed("b", "second"),
    ]);
    expect([status(entries, "a"), status(entries, "b")]).toEqual(["ok 0", "failed 7"]);
  });

  it("of scripts take the exit code that the script printed if there is no item (0.146)", () => {
    const one = "const r = await tools.exec_command({cmd: 'x'}); text(r.output); text({exit_code: r.exit_code});";
    expect(status(read([scripted("a", one), printed("a", "oops\n", '{"exit_code":3}')]), "a")).toBe("failed 3");
    expect(status(read([scripted("a", one), printed("a", "fine\n", '{"exit_code":0}')]), "a")).toBe("ok 0");
    // With several commands or several codes it is unknown which code belongs to which command.
    const two = `${one} await tools.exec_command({cmd: 'y'});`;
    expect(status(read([scripted("a", two), printed("a", '{"exit_code":3}')]), "a")).toBe("ok null");
    expect(status(read([scripted("a", one), printed("a", '{"exit_code":3}', '{"exit_code":0}')]), "a")).toBe("ok null");
  });

  it("follow a running process to its exit", () => {
    const running = "Chunk ID: 1\nWall time: 1.0 seconds\nProcess running with session ID 77\nOutput:\n";
    const exited = "Wall time: 2.0 seconds\nProcess exited with code 4\nOutput:\nbye";
    const first = [call("a", "exec_command", { cmd: "x" }), output("a", running)];
    expect(status(read(first), "a")).toBe("pending null");
    const entries = read([
      ...first,
      call("b", "write_stdin", { session_id: 77 }),
      output("b", running),
      call("c", "write_stdin", { session_id: 77 }),
      output("c", exited),
    ]);
    expect([status(entries, "a"), status(entries, "b")]).toEqual(["failed 4", "ok null"]);
  });

  const script = item({
    type: "custom_tool_call",
    name: "exec",
    call_id: "s",
    input: "tools.exec_command()",
    internal_chat_message_metadata_passthrough: { turn_id: "t" },
  });
  const done = item({
    type: "custom_tool_call_output",
    call_id: "s",
    output: [{ type: "input_text", text: "Script completed\nWall time 0.1 seconds\nOutput:\n" }],
  });

  it("of scripts take the result of their only command, but none of several", () => {
    expect(status(read([script, nested("exec-1", 3), done]), "s")).toBe("failed 3");
    const several = read([script, nested("exec-1", 0), nested("exec-2", 7), done]);
    expect([status(several, "s"), status(several, "exec-2")]).toEqual(["ok null", "failed 7"]);
    expect(bodies(several, "tool_started").map((body) => body.parent_call_id)).toEqual([undefined, "s", "s"]);
  });

  it("of scripts take the result of their only MCP call, but none of several", () => {
    const tool = (id: string, isError: boolean): object =>
      event({
        type: "item_completed",
        turn_id: "t",
        item: {
          type: "McpToolCall",
          id,
          server: "lab",
          tool: "echo",
          arguments: {},
          status: isError ? "failed" : "completed",
          result: { content: [{ type: "text", text: isError ? "no such thing" : "fine" }], isError },
        },
      });
    const failing = read([script, tool("exec-1", true), done]);
    expect([status(failing, "exec-1"), status(failing, "s")]).toEqual(["failed null", "failed null"]);
    expect(bodies(failing, "tool_finished").at(-1)?.error).toBe("no such thing");
    expect(status(read([script, tool("exec-1", false), done]), "s")).toBe("ok null");
    expect(status(read([script, tool("exec-1", true), nested("exec-2", 0), done]), "s")).toBe("ok null");
  });

  it("of scripts fail if one part was refused and another ran", () => {
    const refused = item({
      type: "custom_tool_call_output",
      call_id: "s",
      output: "Script failed\nWall time 0.1 seconds\nOutput:\nScript error:\nCommand blocked by PreToolUse hook: no",
    });
    expect(status(read([script, refused]), "s")).toBe("denied null");
    expect(status(read([script, nested("exec-1", 0), refused]), "s")).toBe("failed null");
  });

  it("that were refused list no files", () => {
    const patch = "*** Begin Patch\n*** Add File: FORBIDDEN.txt\n+x\n*** End Patch";
    const entries = read([
      item({ type: "custom_tool_call", name: "apply_patch", call_id: "p", input: patch }),
      item({
        type: "custom_tool_call_output",
        call_id: "p",
        output: `Command blocked by PreToolUse hook: blocked by lab hook. Command: ${patch}`,
      }),
    ]);
    expect(bodies(entries, "tool_finished")).toMatchObject([{ status: "denied" }]);
    expect(bodies(entries, "tool_finished")[0]).not.toHaveProperty("files");
  });

  it("stay interrupted if the process continues in the background", () => {
    const aborted = item({ type: "custom_tool_call_output", call_id: "s", output: "aborted by user after 4.9s" });
    const late = read([script, aborted, nested("exec-1", 0)]);
    expect([status(late, "s"), status(late, "exec-1")]).toEqual(["interrupted null", "ok 0"]);
    expect(bodies(late, "tool_started").at(-1)?.parent_call_id).toBe("s");
    const classic = read([call("a", "exec_command", {}), output("a", "aborted by user after 1.0s"), nested("a", 0)]);
    expect(status(classic, "a")).toBe("interrupted null");
  });

  it("stay failed after an inconclusive output, and list changed files if they succeed", () => {
    const patch = "*** Begin Patch\n*** Add File: a.txt\n+x\n*** Update File: b.txt\n*** Move to: c.txt\n*** End Patch";
    const started = item({ type: "custom_tool_call", name: "apply_patch", call_id: "p", input: patch });
    const inconclusive = item({ type: "custom_tool_call_output", call_id: "p", output: "something" });
    expect(status(read([started, ended(false), inconclusive]), "p")).toBe("failed null");
    expect(bodies(read([started, ended(true), inconclusive]), "tool_finished").at(-1)?.files).toEqual([
      { path: "a.txt", operation: "created" },
      { path: "c.txt", operation: "renamed" },
    ]);
  });

  it("of web searches are recorded once and settled by the same record", () => {
    const search = { type: "web_search_call", status: "completed", action: { type: "search", query: "q" } };
    const entries = read([event({ type: "web_search_end", call_id: "ws_1", query: "q" }), item(search)]);
    expect(bodies(entries, "tool_started").map((body) => body.call_id)).toEqual(["line-2"]);
    expect(status(entries, "line-2")).toBe("ok null");
  });
});

describe("child sessions", () => {
  it("are linked from spawn and wait outputs, once each", () => {
    const entries = read([
      call("c", "spawn_agent", { agent_type: "explorer", message: "look" }),
      output("c", '{"agent_id":"child"}'),
      call("w", "wait_agent", {}),
      output("w", '{"status":{"child":{"completed":"done"},"other":{"running":true},"third":"running"}}'),
      user('<subagent_notification>{"agent_path":"child","status":{"completed":"done"}}</subagent_notification>'),
    ]);
    expect(bodies(entries, "child_linked")).toMatchObject([
      { phase: "spawned", role: "explorer", call_id: "c", child: { session_id: "child" } },
      { phase: "returned", call_id: "w" },
    ]);
  });
});

// Genuine files: test/fixtures/README.md says how they were made.
const FILES = join(import.meta.dirname, "../../../test/fixtures/codex");

function readScripts(name: string): Entry[] {
  const path = join(FILES, `${name}.jsonl`);
  return [...codex.read({ source: "codex", path, size: 0, mtimeMs: 0, container: "jsonl" }, null, { detail: "full" })];
}

/** Every call in order: scripts as A, B, …, steps with the script they ran in, and how each ended. */
function calls(name: string): string[] {
  const bodies = readScripts(name).flatMap((entry) => entry.records);
  const scripts: string[] = [];
  const nameOf = (id: string): string => String.fromCodePoint(65 + scripts.indexOf(id));
  return bodies.flatMap((body) => {
    if (body.type !== "tool_started" || body.name === "wait") return [];
    const end = bodies.findLast((one) => one.type === "tool_finished" && one.call_id === body.call_id);
    const ended = end?.type === "tool_finished" ? `${end.status} ${end.exit_code}` : "no end";
    if (body.name === "exec") scripts.push(body.call_id);
    const parent = body.parent_call_id ?? null;
    const what =
      body.name === "exec" ? nameOf(body.call_id) : `${body.name} in ${parent === null ? "?" : nameOf(parent)}`;
    return `${what}: ${ended}`;
  });
}

describe("steps of several scripts in one response", () => {
  it("belong to the script that ran, although all have the same command", () => {
    expect(calls("jspar-0.169.0")).toEqual([
      "A: ok null",
      "B: ok null",
      "exec_command in A: ok 0",
      "lab.echo in A: ok null",
      "exec_command in B: failed 1",
      "lab.fail in B: failed null",
    ]);
  });

  it("belong to the script that ran, although none contains the command", () => {
    expect(calls("jsdyn-0.169.0")).toEqual([
      "A: failed 5",
      "B: ok 0",
      "exec_command in A: failed 5",
      "exec_command in B: ok 0",
    ]);
  });

  it("that call MCP tools fail the script that called them", () => {
    expect(calls("jsmcp2-0.169.0")).toEqual([
      "A: failed null",
      "B: ok null",
      "C: ok null",
      "lab.fail in A: failed null",
      "lab.echo in B: ok null",
      "exec_command in B: failed 6",
      "lab.echo in C: ok null",
    ]);
    // 0.150 does not state when the response was complete.
    expect(calls("jsmcp-0.150.0")).toEqual([
      "A: failed null",
      "B: ok null",
      "lab.fail in A: failed null",
      "lab.echo in B: ok null",
    ]);
  });

  it("are told apart by the text while the response is still streaming, which keeps outputs back", () => {
    expect(calls("jsstream-0.169.0")).toEqual([
      "A: failed 4",
      "B: ok 0",
      "exec_command in A: failed 4",
      "exec_command in B: ok 0",
    ]);
  });
});

describe("steps of scripts that run in the background at the same time", () => {
  it("belong to the one that had begun, else to the one that still has to run them", () => {
    expect(calls("jscells-0.169.0")).toEqual([
      "A: ok null",
      "B: ok null",
      "exec_command in A: ok 0",
      "lab.fail in A: failed null",
      "exec_command in B: failed 1",
      "lab.echo in B: ok null",
    ]);
  });

  it("belong to none if nothing tells the scripts apart, and such a script takes no result", () => {
    expect(calls("jscellsame-0.169.0")).toEqual([
      "A: ok null",
      "B: ok null",
      "exec_command in A: ok 0",
      "exec_command in ?: ok 0",
      "exec_command in B: ok 0",
      "exec_command in B: failed 1",
    ]);
  });
});

describe("a script", () => {
  it("that goes on after a steering prompt ends with its only command", () => {
    expect(calls("steer-0.169.0")).toEqual([
      "A: failed 5",
      "exec_command in A: failed 5",
      "B: failed 5",
      "exec_command in B: failed 5",
    ]);
    const ends = readScripts("steer-0.169.0").flatMap((entry) => entry.records);
    const last = ends.findLast((body) => body.type === "tool_finished" && body.call_id === "call_LjslongS0xM2wGSqSt0");
    // From the call to the end of the command; its first output states 4.7 seconds.
    expect(last).toMatchObject({ duration_ms: 9178 });
  });

  it("keeps its own output if it sends a message beside it", () => {
    const entries = readScripts("jsnotify-0.169.0");
    const outputs = entries.filter((entry) => entry.native === "response_item/custom_tool_call_output");
    expect(outputs.map(({ reason }) => reason)).toEqual(["codex.tool.output", "codex.tool.notice"]);
    expect(outputs[1]?.records).toEqual([]);
    expect(calls("jsnotify-0.169.0")).toEqual(["A: failed 3", "exec_command in A: failed 3"]);
  });
});

describe("the owner of a step", () => {
  const held = (code: string, more: Partial<ScriptState> = {}): CallState => ({
    name: "exec",
    turn: "t",
    at: 0,
    open: true,
    script: { ...scriptState(code), ...more },
  });
  const owner = (calls: Record<string, CallState>, step: Partial<Step>): string | null =>
    ownerOf(
      { ...initialState("s", false), calls },
      { tool: "exec_command", input: { command: ["bash", "-lc", "ls"] }, turn: "t", startedAt: 5, ...step },
    );
  const ls = "await tools.exec_command({cmd:'ls'})";

  it("is none of a script that had ended or not begun, nor one of another turn", () => {
    const ended = held(ls, { firstAt: 3, endedAt: 3, sampledAt: 1 });
    expect(owner({ a: ended, b: held(ls, { sampledAt: 1 }) }, {})).toBe("b");
    expect(owner({ a: held(ls, { sampledAt: 1 }), b: held(ls, { sampledAt: 1 }) }, {})).toBe("a");
    expect(owner({ a: { ...held(ls), turn: "u" }, b: held(ls) }, {})).toBe("b");
  });

  it("is the last script of the turn if the item states no time, and unknown if the time fits none", () => {
    const ended = (): CallState => held(ls, { firstAt: 3, endedAt: 3, sampledAt: 1 });
    expect(owner({ a: ended(), b: ended() }, { startedAt: null })).toBe("b");
    expect(owner({ a: ended() }, {})).toBe("a");
    expect(owner({ a: ended(), b: ended() }, {})).toBeNull();
    expect(owner({ a: ended() }, { turn: null })).toBeNull();
  });

  const running = { firstAt: 1, sampledAt: 1 };

  it("is the script that names the command in any kind of quotes, not as a part of another word", () => {
    const other = held("await tools.exec_command({cmd:'false'})", running);
    for (const code of [ls, ls.replaceAll("'", '"'), ls.replaceAll("'", "`")])
      expect(owner({ a: held(code, running), b: other }, {})).toBe("a");
  });

  it("is the only script that uses the tool, if none names what it was given", () => {
    const mcp = held("await tools.mcp__lab__echo({text: t})", running);
    const step = { tool: "lab__echo", input: { text: "x" } };
    expect(owner({ a: mcp, b: held(ls, running) }, step)).toBe("a");
    expect(owner({ a: mcp, b: mcp }, step)).toBeNull();
  });

  it("is not excluded by a command that ran already, if the script repeats itself", () => {
    const calls = { a: held(`for (;;) ${ls}`, running), b: held("tools.exec_command(x)", running) };
    expect([owner(calls, {}), owner(calls, {})]).toEqual(["a", "a"]);
    const once = { a: held(ls, running), b: held("tools.exec_command(x)", running) };
    expect([owner(once, {}), owner(once, {})]).toEqual(["a", null]);
  });
});
