import { describe, expect, it } from "vitest";
import type { RecordBody } from "../record/record.ts";
import { ask, build, done, finish, say, start, unplaced, type UnplacedEntry } from "./testing.ts";

describe("the outcome of a turn", () => {
  const outcomes = (story: readonly UnplacedEntry[]): unknown[] =>
    build(story).turns.map(({ outcome, outcome_detail: detail }) => (detail === null ? outcome : [outcome, detail]));
  const cancelled = (more: object = {}): UnplacedEntry =>
    unplaced("reaction", [{ type: "cancelled", reason: "interrupted", ...more }]);
  const reasoning = unplaced("reaction", [{ type: "reasoning_finished", text: "hm" }]);
  const failed = (ended: boolean, turnId?: string): UnplacedEntry =>
    unplaced("reaction", [{ type: "failed", message: "500", turn_ended: ended, native_turn_id: turnId ?? null }]);

  it("is completed if the agent states its end", () => {
    expect(outcomes([ask("a"), done()])).toEqual(["completed"]);
    expect(outcomes([ask("a"), say("x"), done(), ask("b"), start("1"), done()])).toEqual(["completed", "completed"]);
  });

  it("is derived from the last action if the agent states no end", () => {
    expect(outcomes([ask("a"), say("x"), ask("b"), say("y")])).toEqual(["completed", "completed"]);
    expect(outcomes([ask("a"), ask("b")])).toEqual(["aborted", "open"]);
    expect(outcomes([ask("a"), start("1"), ask("b"), start("2")])).toEqual(["aborted", "open"]);
    expect(outcomes([ask("a"), say("x"), start("1"), finish("1"), ask("b")])).toEqual(["aborted", "open"]);
    expect(outcomes([ask("a"), start("1"), finish("1"), say("x"), ask("b")])).toEqual(["completed", "open"]);
    expect(outcomes([ask("a"), start("1"), say("x"), ask("b")])).toEqual(["aborted", "open"]);
    expect(outcomes([ask("a"), reasoning, ask("b")])).toEqual(["aborted", "open"]);
    expect(outcomes([ask("a"), say("x"), unplaced("reaction", [{ type: "assistant_started" }]), ask("b")])).toEqual([
      "aborted",
      "open",
    ]);
    expect(outcomes([ask("a"), say("x"), reasoning, ask("b")])).toEqual(["aborted", "open"]);
    expect(build([ask("a"), reasoning]).tools).toEqual([]);
    // The result still had to be answered, whatever was said while the call ran.
    expect(outcomes([ask("a"), start("1"), say("x"), finish("1"), ask("b")])).toEqual(["aborted", "open"]);
    // Also if the result was written before its call.
    expect(outcomes([ask("a"), finish("1"), start("1"), ask("b")])).toEqual(["aborted", "open"]);
    // A result with status pending leaves the call running.
    const pending = [ask("a"), start("1"), finish("1", { status: "pending" }), say("x"), ask("b")];
    expect(outcomes(pending)).toEqual(["aborted", "open"]);
  });

  it("is not affected by records before the first prompt", () => {
    const before = [cancelled(), failed(true), failed(false), reasoning, say("x", { turnId: "A" }), done()];
    const { turns, records } = build([...before, ask("a")]);
    expect(turns).toMatchObject([{ outcome: "open", outcome_detail: null, records: 1 }]);
    expect(records.session_level).toBe(before.length);
  });

  it("is open for the last turn if it has no stated end and other turns of the file have one", () => {
    expect(outcomes([ask("a"), say("x"), done(), ask("b"), say("y")])).toEqual(["completed", "open"]);
    expect(outcomes([ask("a"), say("x"), ask("b"), say("y"), done(), ask("c"), say("z")])).toEqual([
      "completed",
      "completed",
      "open",
    ]);
    // The only explicit end was revoked by later output.
    expect(outcomes([ask("a"), done(), say("more"), ask("b"), say("y")])).toEqual(["completed", "completed"]);
    expect(outcomes([ask("a"), done(), done(), say("more"), ask("b"), say("y")])).toEqual(["completed", "completed"]);
    expect(outcomes([ask("a"), done(), cancelled(), ask("b"), say("y")])).toEqual([
      ["aborted", "interrupted"],
      "completed",
    ]);
    expect(outcomes([ask("a"), cancelled(), ask("b"), say("y")])).toEqual([["aborted", "interrupted"], "completed"]);
  });

  it("is not completed by text alone if the agent always states an end", () => {
    const stated = { ends_stated: true };
    expect(outcomes([ask("a", {}, stated), say("x"), ask("b", {}, stated), say("y")])).toEqual(["aborted", "open"]);
    expect(outcomes([ask("a", {}, stated), say("x"), done()])).toEqual(["completed"]);
  });

  it("is aborted or failed as stated, even if a normal end follows", () => {
    expect(outcomes([ask("a"), say("x"), cancelled()])).toEqual([["aborted", "interrupted"]]);
    expect(outcomes([ask("a"), cancelled(), done()])).toEqual([["aborted", "interrupted"]]);
    expect(outcomes([ask("a"), failed(true), done()])).toEqual([["failed", "500"]]);
    expect(outcomes([ask("a"), failed(false), say("x"), ask("b")])).toEqual([["completed", "500"], "open"]);
    expect(outcomes([ask("a"), done(), cancelled()])).toEqual([["aborted", "interrupted"]]);
    expect(outcomes([ask("a"), done(), failed(true)])).toEqual([["failed", "500"]]);
    expect(outcomes([ask("a"), failed(true), cancelled()])).toEqual([["aborted", "interrupted"]]);
  });

  it("once known, is not changed by a cancellation or failure that names another turn", () => {
    expect(outcomes([ask("a", { turnId: "A" }), done(), cancelled({ native_turn_id: "B" })])).toEqual(["completed"]);
    expect(outcomes([ask("a", { turnId: "A" }), done(), cancelled({ native_turn_id: "A" })])).toEqual([
      ["aborted", "interrupted"],
    ]);
    expect(outcomes([ask("a", { turnId: "A" }), cancelled({ native_turn_id: "B" })])).toEqual([
      ["aborted", "interrupted"],
    ]);
    expect(outcomes([ask("a"), done(), cancelled({ native_turn_id: "B" })])).toEqual([["aborted", "interrupted"]]);
    expect(outcomes([ask("a", { turnId: "A" }), done(), cancelled()])).toEqual([["aborted", "interrupted"]]);
    expect(outcomes([ask("a", { turnId: "A" }), done(), failed(true, "B")])).toEqual(["completed"]);
  });

  it("is open again if the agent continues without a prompt", () => {
    expect(outcomes([ask("a"), done(), start("1")])).toEqual(["open"]);
    expect(outcomes([ask("a"), done(), start("1"), ask("b")])).toEqual(["aborted", "open"]);
    expect(outcomes([ask("a"), cancelled(), say("x")])).toEqual([["aborted", "interrupted"]]);
    // An earlier turn is not reopened.
    const story = [ask("a", { turnId: "A" }), done(), ask("b", { turnId: "B" }), done(), say("late", { turnId: "A" })];
    expect(outcomes(story)).toEqual(["completed", "completed"]);
    expect(outcomes([...story, start("1", { turnId: "A" })])).toEqual(["completed", "completed"]);
  });

  it("is shared by a turn and the prompts queued into it", () => {
    const queued = (text: string): UnplacedEntry => ask(text, {}, { kind: "queued" });
    expect(outcomes([ask("a"), queued("b"), say("x"), done()])).toEqual(["completed", "completed"]);
    expect(outcomes([ask("a"), queued("b"), queued("c"), cancelled()])).toEqual([
      "aborted",
      "aborted",
      ["aborted", "interrupted"],
    ]);
    expect(outcomes([ask("a"), done(), queued("b")])).toEqual(["completed", "open"]);
    expect(outcomes([ask("a"), queued("b")])).toEqual(["open", "open"]);
  });

  it("includes the duration stated with the end", () => {
    expect(build([ask("a"), done({}, 70)]).turns[0]?.duration_ms).toBe(70);
    expect(build([ask("a"), done({}, 70), done()]).turns[0]?.duration_ms).toBe(70);
    expect(build([ask("a"), cancelled({ duration_ms: 9 })]).turns[0]?.duration_ms).toBe(9);
    expect(build([ask("a"), say("x")]).turns[0]?.duration_ms).toBeNull();
  });

  it("includes the latest time of the turn's records", () => {
    expect(
      build([ask("a", { time: 5 }), say("x", { time: 9 }), say("y", { time: 7 }), say("z")]).turns[0]?.ended_at,
    ).toBe(9);
    expect(build([ask("a"), say("x", { time: 9 })]).turns[0]?.ended_at).toBe(9);
    expect(build([ask("a"), say("x")]).turns[0]?.ended_at).toBeNull();
  });

  it("includes the last text that is not empty", () => {
    expect(build([ask("a"), say("x"), say(""), done()]).turns[0]?.final_text).toBe("x");
    expect(build([ask("a"), start("1")]).turns[0]?.final_text).toBe("");
  });
});

describe("turns taken back", () => {
  const takenBack = (story: readonly UnplacedEntry[]): unknown[] => build(story).turns.map((turn) => turn.taken_back);

  it("by a rollback are the newest that are not yet taken back", () => {
    const rollback = (turns?: number): UnplacedEntry =>
      unplaced("reaction", [{ type: "cancelled", reason: "rolled_back", ...(turns === undefined ? {} : { turns }) }]);
    expect(takenBack([ask("a"), ask("b"), ask("c"), rollback(2)])).toEqual([null, "rolled_back", "rolled_back"]);
    expect(takenBack([ask("a"), ask("b"), rollback()])).toEqual([null, "rolled_back"]);
    expect(takenBack([ask("a"), ask("b"), rollback(), rollback()])).toEqual(["rolled_back", "rolled_back"]);
    expect(takenBack([ask("a"), rollback(5)])).toEqual(["rolled_back"]);
    expect(takenBack([ask("a"), rollback(0)])).toEqual([null]);
    // Taking turns back does not change their outcome.
    expect(build([ask("a"), done(), rollback()]).turns[0]?.outcome).toBe("completed");
  });

  it("by a rewind are those from its position on, except the turn that rewinds", () => {
    const rewound = (from?: number): RecordBody => ({
      type: "cancelled",
      reason: "rewound",
      ...(from === undefined ? {} : { from_line: from }),
    });
    const again = unplaced("trigger", [{ type: "user", author: "human", text: "again" }, rewound(2)], { position: 2 });
    const draft = build([ask("a"), ask("b"), ask("c"), again]);
    expect(draft.turns.map((turn) => turn.taken_back)).toEqual([null, "rewound", "rewound", null]);
    expect(draft.rewinds).toEqual([{ line: 4, from_position: 2 }]);
    expect(takenBack([ask("a"), ask("b"), unplaced("reaction", [rewound()], { position: 2 })])).toEqual([
      null,
      "rewound",
    ]);
  });
});
