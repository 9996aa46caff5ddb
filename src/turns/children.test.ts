import { describe, expect, it } from "vitest";
import { ask, build, start, unplaced, type UnplacedEntry } from "./testing.ts";

describe("links to child sessions", () => {
  const link = (id: string, phase: "spawned" | "returned", body: object = {}): UnplacedEntry =>
    unplaced("reaction", [
      { type: "child_linked", child: { source: "toy", session_id: id }, relation: "subagent", phase, ...body },
    ]);

  it("are merged per child, with the line of the tool call and of the last result", () => {
    const draft = build([
      ask("a"),
      start("1"),
      ask("b"),
      link("x", "spawned", { call_id: "1" }),
      { ...link("x", "returned", { role: "r" }), time: 8 },
      { ...link("x", "returned", { role: "q" }), time: 9 },
    ]);
    expect(draft.children).toEqual([
      {
        child: { source: "toy", session_id: "x" },
        relation: "subagent",
        role: "r",
        turn: 0,
        spawn_line: 2,
        result_line: 6,
        returned_at: 9,
      },
    ]);
  });

  it("have the line of the linking record if no tool call is known", () => {
    expect(build([ask("a"), ask("b"), link("x", "spawned")]).children).toMatchObject([{ turn: 1, spawn_line: 3 }]);
    expect(
      build([
        ask("a"),
        link("x", "spawned"),
        link("y", "returned", { role: "q" }),
        link("z", "spawned", { call_id: "never" }),
      ]).children,
    ).toMatchObject([
      { turn: 0, spawn_line: 2, result_line: null, role: null },
      { turn: 0, spawn_line: null, result_line: 3, role: "q" },
      { turn: 0, spawn_line: 4, result_line: null },
    ]);
    expect(build([ask("a"), start("1"), link("y", "returned", { call_id: "1" })]).children).toMatchObject([
      { spawn_line: 2, result_line: 3 },
    ]);
    expect(
      build([link("x", "spawned"), link("x", "returned", { child: { source: "other", session_id: "x" } })]).children,
    ).toHaveLength(2);
  });
});
