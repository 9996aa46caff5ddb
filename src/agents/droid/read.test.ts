import { describe, expect, it } from "vitest";
import { buildDraft } from "../../turns/builder.ts";
import type { FileDraft } from "../../turns/model.ts";
import { fixturesOf, settlements } from "../kit/testing.ts";
import { readSession } from "./read.ts";

const FILE = "sessions/-w/00000000-0000-4000-8000-000000000001.jsonl";
const { read, refOf, writeSession } = fixturesOf({ source: "droid", corpus: "", file: FILE, readSession });

const HEADER = { type: "session_start", id: "s", title: "New Session", owner: "x", version: 2, cwd: "/w", hostId: "h" };

function message(id: string, parentId: string, role: string, content: unknown, more: object = {}): object {
  const timestamp = "2026-11-18T07:00:00.000Z";
  return { type: "message", id, parentId, timestamp, message: { role, content, ...more } };
}

function draft(records: readonly object[]): FileDraft {
  const ref = refOf(writeSession([HEADER, ...records]));
  const reading = readSession(ref, null, { detail: "full" });
  return buildDraft(ref, "s", reading, { ledger: false, toolDetail: true });
}

const prompt = message("p", "context-p", "user", [{ type: "text", text: "go" }], { interactionMode: "auto" });
const outcome = (reason: string): object => ({ type: "agent_turn_outcome", turnId: "p", reason, resultKind: "text" });

describe("a turn", () => {
  it("ends as its outcome says, and fails with what was shown to the human", () => {
    const shown = message("e", "p", "user", [{ type: "text", text: "no such model" }], { visibility: "user_only" });
    const ends = (...more: object[]): unknown => draft([prompt, ...more]).turns.map((turn) => turn.outcome);
    expect(ends()).toEqual(["open"]);
    expect(ends(outcome("completed"))).toEqual(["completed"]);
    expect(ends(shown, outcome("model_request_rejected"))).toEqual(["failed"]);
    expect(ends(outcome("user_cancelled"))).toEqual(["aborted"]);
  });

  it("has the answer that was written before its prompt", () => {
    const answer = message("a", "context-p", "assistant", [{ type: "text", text: "done" }]);
    const { turns } = draft([answer, outcome("completed"), prompt]);
    expect(turns.map((turn) => [turn.trigger.text, turn.outcome])).toEqual([["go", "completed"]]);
  });
});

it("a command without an exit code has an unknown end", () => {
  const ended = (content: string, is_error = false): string[] =>
    settlements(
      read([
        HEADER,
        prompt,
        message("a", "p", "assistant", [{ type: "tool_use", id: "c", name: "Execute", input: {} }]),
        message("r", "a", "user", [{ type: "tool_result", tool_use_id: "c", is_error, content }]),
      ]),
    );
  expect(ended("x\n\n\n[Process exited with code 0]")).toEqual(["c: ok 0"]);
  expect(ended("started in the background")).toEqual(["c: pending -"]);
  // The last line is the agent's, any other may be the command's.
  expect(ended("[Process exited with code 9]\n\n\n[Process exited with code 0]")).toEqual(["c: ok 0"]);
  expect(ended("Error: Command failed (exit code: 7)\nx", true)).toEqual(["c: failed 7"]);
});
