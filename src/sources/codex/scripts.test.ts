import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Entry } from "../contract.ts";
import { codex } from "./index.ts";
import { ownerOf, scriptState, type Step } from "./scripts.ts";
import { initialState, type CallState, type ScriptState } from "./state.ts";

// Genuine files: test/fixtures/README.md says how they were made.
const FILES = join(import.meta.dirname, "../../../test/fixtures/codex");

function read(name: string): Entry[] {
  const path = join(FILES, `${name}.jsonl`);
  return [...codex.read({ source: "codex", path, size: 0, mtimeMs: 0, container: "jsonl" }, null, { detail: "full" })];
}

/** Every call in order: scripts as A, B, …, steps with the script they ran in, and how each ended. */
function calls(name: string): string[] {
  const bodies = read(name).flatMap((entry) => entry.records);
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
    const ends = read("steer-0.169.0").flatMap((entry) => entry.records);
    const last = ends.findLast((body) => body.type === "tool_finished" && body.call_id === "call_LjslongS0xM2wGSqSt0");
    // From the call to the end of the command; its first output states 4.7 seconds.
    expect(last).toMatchObject({ duration_ms: 9178 });
  });

  it("keeps its own output if it sends a message beside it", () => {
    const entries = read("jsnotify-0.169.0");
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
