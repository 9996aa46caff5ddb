import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { buildDraft } from "../../turns/builder.ts";
import type { FileDraft } from "../../turns/model.ts";
import type { Entry, SourceRef } from "../contract.ts";
import { bodies, settlements } from "../kit/testing.ts";
import { readSession } from "./read.ts";

const directories: string[] = [];

afterEach(() => directories.splice(0).forEach((path) => rmSync(path, { recursive: true, force: true })));

type Files = Readonly<Record<string, unknown>>;

const CHUNK = "a".repeat(64);

/** A session with these entries in its snapshot, and a journal of these changes behind it. */
function stored(entries: readonly object[], delta: readonly object[] = [], more: Files = {}): SourceRef {
  const directory = mkdtempSync(join(tmpdir(), "vibe-"));
  directories.push(directory);
  const files: Files = {
    CURRENT: { generation: "0000000000000004", snapshot_sequence: 4 },
    "meta.json": { config: { model_name: "m" }, environment: { working_directory: "/w" } },
    "generations/0000000000000004/manifest.json": { projection_state: { chunks: [CHUNK] } },
    "generations/0000000000000004/projection-state.json": { snapshot: { session: { id: "s" } } },
    [`chunks/${CHUNK}.json`]: entries,
    "journal/0000000000000001.jsonl": {
      type: "projection_delta",
      payload: { delta: [{ op: "append_entry", entry: {} }] },
    },
    "journal/0000000000000005.jsonl": { type: "projection_delta", payload: { delta } },
    ...more,
  };
  for (const [name, value] of Object.entries(files)) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  }
  return { source: "vibe", path: join(directory, "meta.json"), size: 1, mtimeMs: 1, container: "json" };
}

function read(ref: SourceRef): Entry[] {
  return [...readSession(ref, null, { detail: "full" })];
}

function draft(ref: SourceRef): FileDraft {
  return buildDraft(ref, "s", readSession(ref, null, { detail: "full" }), { ledger: false, toolDetail: true });
}

function said(id: string, role: string, more: object = {}): object {
  const source = role === "user" ? "turn_start" : "harness";
  return { type: "message", id, role, source, createdAt: 1, content: [{ type: "text", text: id }], ...more };
}

function effect(id: string, state: object, toolName = "file_system.bash"): object {
  return { type: "effect", id, createdAt: 2, detail: { kind: "tool", toolName, input: {} }, state };
}

describe("the history", () => {
  it("is the snapshot with the journal behind it, and nothing of the journal before it", () => {
    const running = effect("e", { status: "running" });
    const ended = effect("e", { status: "completed", output: { structured_content: { returncode: 3 } } });
    const ref = stored(
      [said("go", "user"), said("gone", "assistant"), running],
      [
        { op: "replace_entry", id: "e", entry: ended },
        { op: "remove_entry", id: "gone" },
        { op: "append_entry", entry: said("Done.", "assistant") },
        { op: "set_envelope", state: { latestTurn: { status: "completed" }, session: { id: "s" } } },
      ],
    );
    const [turn] = draft(ref).turns;
    expect([turn?.trigger.text, turn?.final_text, turn?.outcome]).toEqual(["go", "Done.", "completed"]);
    expect(settlements(read(ref))).toEqual(["e: failed 3"]);
  });

  it("says what cannot be read of it", () => {
    const torn = `{"type":"projection_delta","payl`;
    const replaced = { op: "replace_entry", id: "nobody", entry: {} };
    const ref = stored([said("go", "user")], [replaced], { "journal/0000000000000009.jsonl": torn });
    expect(bodies(read(ref), "unreadable")).toHaveLength(2);
    expect(bodies(read(stored([], [], { [`chunks/${CHUNK}.json`]: "[{" })), "unreadable")).toHaveLength(1);
  });

  it("names files of the session alone", () => {
    const manifest = { projection_state: { chunks: ["../../../etc/passwd"] } };
    const ref = stored([], [], { "generations/0000000000000004/manifest.json": manifest });
    expect(bodies(read(ref), "unreadable")).toHaveLength(1);
  });
});

describe("a turn before the last", () => {
  const outcomes = (...entries: readonly object[]): unknown =>
    draft(stored([said("go", "user"), ...entries, said("again", "user")])).turns[0]?.outcome;

  it("ended as its last entry tells", () => {
    const cut = { outcome: { type: "discarded", cause: "interrupt" } };
    expect(outcomes(said("Done.", "assistant"))).toBe("completed");
    expect(outcomes(said("I am", "assistant", cut))).toBe("aborted");
    expect(outcomes(effect("e", { status: "cancelled", reason: "client interrupt" }))).toBe("aborted");
    expect(outcomes(said("I am", "assistant", { outcome: { type: "discarded", cause: "failure" } }))).toBe("failed");
  });
});

it("a command without an exit code has not ended for all we know, and one that was skipped was refused", () => {
  const entries = [
    effect("a", { status: "completed", output: {} }),
    effect("b", { status: "skipped", reason: "no" }),
    effect("c", { status: "completed", output: { structured_content: { returncode: 0, timed_out: true } } }),
    effect("d", { status: "running" }),
  ];
  expect(settlements(read(stored([said("go", "user"), ...entries])))).toEqual([
    "a: pending -",
    "b: denied -",
    "c: failed 0",
  ]);
});

it("the tokens of the session belong to its turn if it has only one", () => {
  const spent = {
    op: "set_envelope",
    state: { session: { id: "s", tokenUsage: { inputTokens: 9, cachedInputTokens: 4 } } },
  };
  const classes = (ref: SourceRef): string[] =>
    read(ref).flatMap((entry) => (bodies([entry], "usage").length > 0 ? [entry.class] : []));
  expect(classes(stored([said("go", "user")], [spent]))).toEqual(["reaction"]);
  const two = read(stored([said("go", "user"), said("again", "user")], [spent]));
  expect(bodies(two, "usage")).toEqual([]);
  expect(bodies(two, "usage_total").map(({ unwritten }) => unwritten)).toEqual(["vibe.tokens.unwritten"]);
});

it("a response in the journal is counted in the turn of the prompt before it", () => {
  const response = (id: string, input_tokens: number): object => ({
    type: "action_result",
    payload: { action_id: id, result: { result: { usage: { input_tokens, output_tokens: 1, reasoning_tokens: 1 } } } },
  });
  const asked = (id: string): object => ({
    type: "projection_delta",
    payload: { delta: [{ op: "append_entry", id, entry: said(id, "user") }] },
  });
  const journal = [response("r0", 1), asked("b"), response("r1", 20), asked("c"), response("r2", 300)];
  const lines = journal.map((record) => `${JSON.stringify(record)}\n`).join("");
  const entries = ["a", "b", "c"].map((id) => said(id, "user"));
  const found = read(stored(entries, [], { "journal/0000000000000001.jsonl": lines }));
  // Whom the first one answers is not known.
  const bodyOf = found.flatMap(({ records }) => records);
  const order = bodyOf.map((body) =>
    body.type === "user" ? body.text : body.type === "usage" ? String(body.input_tokens) : "",
  );
  expect(order.filter((one) => one !== "")).toEqual(["a", "b", "20", "c", "300"]);
});

it("the exit code of a large result is in what is left of it", () => {
  const excerpt = '<system>The tool output is large.</system>\n{\n  "command": "x",\n  "returncode": 3,\n  "stdout": "';
  const state = { status: "completed", output: { content: [{ type: "text", text: excerpt }] } };
  expect(settlements(read(stored([said("go", "user"), effect("c", state)])))).toEqual(["c: failed 3"]);
});
