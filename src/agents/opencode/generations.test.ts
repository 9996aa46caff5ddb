import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildDraft } from "../../turns/builder.ts";
import type { FileDraft } from "../../turns/model.ts";
import { bodies } from "../kit/testing.ts";
import { readSession } from "./read.ts";
import { opencode } from "./source.ts";
import { T0, discover, go, makeGoDatabase, readRef, scratch, writeGoStore, type GoRows } from "./testing.ts";

// Published databases of the Go program may not be copied here, so these are built with the tables of its migrations.
function draftsOf(path: string): Map<string, FileDraft> {
  return new Map(
    discover([path]).refs.map((ref) => {
      const reading = readSession(ref, null, { detail: "full" });
      return [opencode.sessionId(ref), buildDraft(ref, ref.key ?? "", reading, { ledger: false, toolDetail: true })];
    }),
  );
}

function draftOf(session: Omit<GoRows, "id">): FileDraft {
  const draft = draftsOf(makeGoDatabase([{ id: "s", ...session }])).get("s");
  if (!draft) throw new Error("no session");
  return draft;
}

describe("a database of the first OpenCode", () => {
  const root = writeGoStore();
  const drafts = draftsOf(root);
  const main = drafts.get("5f0c2f0e-7a51-4f5a-9a7e-000000000001");

  it("is found below a root, in a project another agent worked in, and in the home directory", () => {
    const home = join(scratch(), "home");
    mkdirSync(home);
    makeGoDatabase([{ id: "h", messages: [] }], join(home, ".opencode", "opencode.db"));
    const found = discover(null, { home, worked_in: [join(root, "project"), join(root, "nothing")] }).refs;
    expect(found.map((ref) => opencode.sessionId(ref)).toSorted()).toEqual(["h", ...drafts.keys()].toSorted());
    expect([...drafts.keys()]).toHaveLength(3);
  });

  it("yields prompt, answer, outcome and model of every turn", () => {
    expect(main?.turns.map((turn) => [turn.trigger.text, turn.outcome, turn.final_text, turn.context.model])).toEqual([
      ["List the files.", "completed", "There is README.md.", "claude-3.7-sonnet"],
      ["Let somebody count its lines, then change it.", "completed", "Done.", "claude-3.7-sonnet"],
      ["And stop.", "aborted", "I was", "claude-3.7-sonnet"],
    ]);
    expect(main?.turns.map((turn) => turn.trigger.time)).toEqual([T0, T0 + 4000, T0 + 8000]);
    expect(main?.meta).toMatchObject({ title: "Files of a directory", kind: "root", agent_version: null });
    expect(main?.meta.cwd).toBe(join(root, "project"));
  });

  it("yields tool calls with their results, durations and files", () => {
    expect(main?.tools.map((call) => [call.call_id, call.name, call.status, call.duration_ms, call.input])).toEqual([
      ["toolu_1", "bash", "ok", 250, { command: "ls" }],
      ["toolu_2", "agent", "ok", null, { prompt: "Count the lines of README.md" }],
      ["toolu_3", "edit", "ok", null, { file_path: "/w/new.md", old_string: "", new_string: "x" }],
    ]);
    expect(main?.turns[1]?.files).toMatchObject([{ path: "/w/new.md", operation: "created" }]);
  });

  it("links the session of a task to the call with its id", () => {
    expect(main?.children).toMatchObject([{ child: { source: "opencode", session_id: "toolu_2" }, turn: 1 }]);
    const child = drafts.get("toolu_2");
    expect(child?.meta).toMatchObject({ kind: "subagent", title: null, parent: { session_id: main?.session_id } });
    expect(child?.turns.map((turn) => [turn.delegated, turn.outcome])).toEqual([[true, "completed"]]);
  });

  it("states the session's tokens once, with the last turn and without a model", () => {
    expect(main?.usage).toMatchObject([{ input_tokens: 1200, output_tokens: 340, model: null, turn: 2 }]);
    expect(main?.tokens.counted).toBe(1540);
    expect(drafts.get("toolu_2")?.tokens.counted).toBe(56);
  });

  it("leaves a killed session open and its call pending", () => {
    const killed = drafts.get("5f0c2f0e-7a51-4f5a-9a7e-000000000002");
    expect(killed?.turns.map((turn) => turn.outcome)).toEqual(["open"]);
    expect(killed?.tools.map((call) => call.status)).toEqual(["pending"]);
    expect(killed?.usage).toEqual([]);
  });

  it("returns a row as it is stored", () => {
    const [ref] = discover([root]).refs;
    expect(ref && opencode.recordAt?.(ref, 1, "")?.text).toMatch(/^sessions 5f0c2f0e/);
    expect(ref && opencode.recordAt?.(ref, 3, "")?.text).toMatch(/^messages \S+ .*"tool_call"/);
    expect(ref && opencode.recordAt?.(ref, 99, "")).toBeNull();
    expect(ref && opencode.recognises(ref)).toBe(true);
  });
});

describe("tool calls of the first OpenCode", () => {
  const settled = (content: string, more: Record<string, unknown> = {}, name = "bash"): unknown[] => {
    const call: [string, string, Record<string, unknown>] = ["c", name, { command: "x", file_path: "/w/a" }];
    const draft = draftOf({
      messages: [go.asks("go"), go.says("", "tool_use", [call]), go.results(["c", content, more])],
    });
    return draft.tools.map((tool) => [tool.status, tool.exit_code])[0] ?? [];
  };

  it.each([
    ["ok", null, "done", {}, "bash"],
    ["ok", null, "it printed\nExit code 3\nand went on", {}, "bash"],
    ["ok", null, "Exit code 3", {}, "view"],
    ["failed", 3, "oops\nExit code 3", {}, "bash"],
    ["failed", 1, "Exit code 1\n\n<cwd>/w</cwd>", {}, "bash"],
    ["interrupted", null, "half\nCommand was aborted before completion", {}, "bash"],
    ["interrupted", null, "Tool execution canceled by user", { is_error: true }, "bash"],
    ["denied", null, "Permission denied", { is_error: true }, "bash"],
    ["failed", null, "ls: Permission denied", { is_error: true }, "bash"],
    ["failed", null, "Tool not found: x", { is_error: true }, "x"],
  ])("are %s with exit code %s for output %j", (status, exit, content, more, name) => {
    expect(settled(content, more, name)).toEqual([status, exit]);
  });
});

describe("turns of the first OpenCode", () => {
  const outcomes = (...messages: GoRows["messages"]): unknown[] =>
    draftOf({ messages: [go.asks("one"), ...messages] }).turns.map((turn) => turn.outcome);

  it("end as their last model request did", () => {
    expect(outcomes(go.says("", "end_turn"))).toEqual(["completed"]);
    expect(outcomes(go.says("long", "max_tokens"))).toEqual(["completed"]);
    expect(outcomes(go.says("no", "error"))).toEqual(["failed"]);
    expect(outcomes(go.says("", "permission_denied", [["c", "bash", {}]]))).toEqual(["aborted"]);
    expect(outcomes(go.says("cut", null), go.asks("two"), go.says("b"))).toEqual(["aborted", "completed"]);
    expect(outcomes(go.says("", "tool_use", [["c", "bash", {}]]), go.results(["c", "x"]))).toEqual(["open"]);
  });

  it("are neither ended nor started by a summary", () => {
    const draft = draftOf({
      row: { summary_message_id: "sum" },
      messages: [go.asks("one"), go.says("a"), { ...go.says("what was done"), id: "sum" }],
    });
    expect(draft.turns.map((turn) => [turn.outcome, turn.final_text])).toEqual([["completed", "a"]]);
    const path = makeGoDatabase([
      { id: "s", row: { summary_message_id: "sum" }, messages: [go.asks("one"), { ...go.says("told"), id: "sum" }] },
    ]);
    const entries = discover([path]).refs.flatMap((ref) => readRef(ref));
    expect(bodies(entries, "compacted")).toMatchObject([{ summary: "told" }]);
  });

  it("keep the quotes a human typed, and count images", () => {
    const picture = { type: "binary", data: { Path: "a.png", MIMEType: "image/png", Data: "AA==" } };
    const asks = go.asks('"quoted words"');
    const draft = draftOf({ messages: [{ ...asks, parts: [...(asks.parts as never[]), picture] }, go.says("a")] });
    expect(draft.turns.map((turn) => turn.trigger)).toMatchObject([
      { text: '"quoted words"', attachments: 1, entry: "unknown" },
    ]);
  });
});

it("an unreadable row of the first OpenCode is corrupt, and unknown part types are reported", () => {
  const [ref] = discover([
    makeGoDatabase([
      {
        id: "s",
        messages: [
          go.asks("one"),
          { role: "assistant", parts: "[{" },
          { role: "assistant", parts: [{ type: "hologram" }] },
        ],
      },
    ]),
  ]).refs;
  if (!ref) throw new Error("no session");
  const reading = readSession(ref, null, { detail: "full" });
  expect([...reading].map((entry) => entry.class)).toEqual(["session", "trigger", "corrupt", "reaction"]);
  expect(reading.drift().unknownTypes).toEqual({ "schema 20250515105448 · part/hologram": 1 });
});
