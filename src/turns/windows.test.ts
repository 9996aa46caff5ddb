import { describe, expect, it } from "vitest";
import type { FileDraft } from "./model.ts";
import { ask, build, done, finish, say, start, unplaced, type UnplacedEntry } from "./testing.ts";

/** A prompt that continues the turn begun at `line`. */
function askAfter(line: number | null, text: string, more: Partial<UnplacedEntry> = {}): UnplacedEntry {
  return ask(text, more, { follows_line: line });
}

/** The prompt that a source found after the same record as that at `from`. */
function askInstead(from: number, line: number, text: string): UnplacedEntry {
  const [body] = askAfter(line, text).records;
  return unplaced("trigger", [{ type: "cancelled", reason: "rewound", from_line: from }, ...(body ? [body] : [])]);
}

function outcomes({ turns }: FileDraft): unknown[] {
  return turns.map(({ outcome, taken_back }) => taken_back ?? outcome);
}

describe("a session open in two windows", () => {
  it("gives each record to the turn that its source states", () => {
    const { turns, tools, records } = build([
      ask("first"),
      say("one"),
      done(),
      ask("in A"),
      askAfter(1, "in B"),
      start("a", { turnLine: 4 }),
      start("b"),
      finish("a", {}, { turnLine: 4 }),
      say("from A", { turnLine: 4 }),
      finish("b"),
      say("from B"),
    ]);
    expect(turns.map(({ final_text, lines, end_line }) => [final_text, lines, end_line])).toEqual([
      ["one", [1, 3], 3],
      ["from A", [4, 4, 6, 6, 8, 9], 9],
      ["from B", [5, 5, 7, 7, 10, 11], 11],
    ]);
    expect(turns.map(({ follows }) => follows)).toEqual([undefined, undefined, 0]);
    expect(tools.map(({ call_id, turn }) => [call_id, turn])).toEqual([
      ["a", 1],
      ["b", 2],
    ]);
    expect(records).toMatchObject({ records_read: 11, owned_by_turns: 11 });
  });

  it("has a turn that runs in one window while that of the other has ended", () => {
    const draft = build([ask("first"), done(), ask("in A"), start("a"), askAfter(1, "in B"), say("done"), done()]);
    expect(outcomes(draft)).toEqual(["completed", "open", "completed"]);
    expect(draft.tools.map(({ status }) => status)).toEqual(["pending"]);
  });

  it("ends a turn when the next prompt comes in its own window", () => {
    const draft = build([
      ask("first"),
      done(),
      ask("in A"),
      start("a"),
      askAfter(1, "in B"),
      say("done"),
      done(),
      askAfter(3, "in A again"),
    ]);
    expect(outcomes(draft)).toEqual(["completed", "aborted", "completed", "open"]);
    expect(draft.tools.map(({ status }) => status)).toEqual(["interrupted"]);
  });

  it("does not take back what goes on after a prompt was sent in its place", () => {
    const story = [ask("first"), done(), ask("in A"), askInstead(3, 1, "in B")];
    // So far the human may have returned to the first turn.
    expect(outcomes(build(story))).toEqual(["completed", "rewound", "open"]);
    const answer = unplaced("reaction", [{ type: "assistant_finished", text: "", message_id: "m", turn_ended: true }]);
    // Without texts, an answer that ends its turn has none either.
    for (const goesOn of [start("a", { turnLine: 3 }), say("here", { turnLine: 3 }), { ...answer, turnLine: 3 }])
      expect(build([...story, goesOn]).turns.map(({ taken_back }) => taken_back)).toEqual([null, null, null]);
    expect(outcomes(build([...story, askAfter(3, "in A again")]))).toEqual(["completed", "aborted", "aborted", "open"]);
    // A late note that a turn has ended says nothing about what the human did.
    expect(outcomes(build([...story, done({ turnLine: 3 })]))).toEqual(["completed", "rewound", "open"]);
  });

  it("does not take back a turn in the middle of its work", () => {
    const draft = build([ask("first"), done(), ask("in A"), start("a"), askInstead(3, 1, "in B"), say("b"), done()]);
    expect(outcomes(draft)).toEqual(["completed", "open", "completed"]);
  });

  it("takes back only the branch of the window in which the human returned", () => {
    const draft = build([
      ask("first"),
      done(),
      ask("in A"),
      start("a"),
      askInstead(3, 1, "in B"),
      finish("a", {}, { turnLine: 3 }),
      say("a", { turnLine: 3 }),
      done({ turnLine: 3 }),
      done(),
      askAfter(3, "more in A"),
      done(),
      askAfter(5, "more in B"),
      done(),
      askInstead(10, 3, "other in A"),
    ]);
    expect(outcomes(draft)).toEqual(["completed", "completed", "completed", "rewound", "completed", "open"]);
  });

  it("shares the outcome of a queued prompt with the turn it was sent into, in the same window", () => {
    const draft = build([
      ask("first"),
      done(),
      ask("in A"),
      start("a"),
      askAfter(1, "in B"),
      say("b"),
      done(),
      ask("queued in A", {}, { kind: "queued", follows_line: 3 }),
      say("both"),
      done(),
    ]);
    expect(outcomes(draft)).toEqual(["completed", "completed", "completed", "completed"]);
  });

  it("takes the end that a client assumed back when work goes on", () => {
    const assumed = unplaced("reaction", [{ type: "cancelled", reason: "interrupted", assumed: true }]);
    const story = [ask("in A"), start("a"), assumed, ask("in B"), say("b"), done()];
    expect(outcomes(build(story))).toEqual(["aborted", "completed"]);
    const goesOn = [finish("a", {}, { turnLine: 1 }), say("a", { turnLine: 1 })];
    expect(outcomes(build([...story, ...goesOn]))).toEqual(["open", "completed"]);
    expect(outcomes(build([...story, ...goesOn, done({ turnLine: 1 })]))).toEqual(["completed", "completed"]);
  });

  it("keeps the settings of each window", () => {
    const model = (name: string, more: Partial<UnplacedEntry> = {}): UnplacedEntry =>
      unplaced(
        "reaction",
        [
          { type: "context", model: name },
          { type: "assistant_finished", text: name },
        ],
        more,
      );
    const { turns } = build([
      ask("first"),
      model("small"),
      done(),
      ask("in A"),
      askAfter(1, "in B"),
      model("large", { turnLine: 4 }),
      say("b"),
      done(),
      askAfter(4, "more in A"),
      done(),
      askAfter(5, "more in B"),
    ]);
    expect(turns.map(({ context }) => context.model)).toEqual(["small", "large", "small", "large", "small"]);
  });

  it("holds preparations for the next prompt of their own window", () => {
    const draft = build([
      ask("in A"),
      start("a"),
      askAfter(null, "in B"),
      unplaced("setup", [], { turnLine: 3 }),
      finish("a", {}, { turnLine: 1 }),
      say("a", { turnLine: 1 }),
      askAfter(3, "more in B"),
    ]);
    expect(draft.turns.map(({ lines }) => lines)).toEqual([
      [1, 2, 5, 6],
      [3, 3],
      [7, 7],
    ]);
    expect(draft.records).toMatchObject({ owned_by_turns: 6, setup: 1 });
  });
});
