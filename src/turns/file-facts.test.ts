import { describe, expect, it } from "vitest";
import { DraftBuilder } from "./builder.ts";
import { ask, build, finish, finished, OPTIONS, placed, REF, say, start, told, type Told } from "./testing.ts";

describe("what cannot be read", () => {
  const bad = (reason: string): Told => told("corrupt", [{ type: "unreadable", reason, bytes: 9, hint: "h" }]);

  it("is told with its place", () => {
    expect(build([bad("syntax"), bad("torn"), told("corrupt", [])]).diagnostics).toEqual([
      {
        ...{ code: "line_corrupt", source: "toy", path: REF.path, line: 1 },
        ...{ message: "line 1 is unreadable (syntax, 9 bytes)", hint: "h" },
      },
      {
        ...{ code: "line_torn", source: "toy", path: REF.path, line: 2 },
        ...{ message: "line 2 is unreadable (torn, 9 bytes)", hint: "h" },
      },
    ]);
    expect(build([told("unknown", [{ type: "unreadable", reason: "x", bytes: 1, hint: "" }])]).diagnostics).toEqual([]);
  });

  it("is only counted when there is much of it", () => {
    const draft = build(Array.from({ length: 203 }, () => bad("syntax")));
    expect(draft.diagnostics).toHaveLength(200);
    expect(draft.records.corrupt).toBe(203);
  });
});

describe("the clock of a file", () => {
  it("tells first and last time, what has none, and what goes back", () => {
    const draft = build([
      say("x", { time: 20 }),
      say("y"),
      say("z", { time: 10 }),
      say("w", { time: 30 }),
      say("v", { time: 30 }),
      told("corrupt", [], { time: 99 }),
      told("inherited", [], { time: 1 }),
    ]);
    expect(draft).toMatchObject({ first_time: 10, last_time: 30, untimed: 1, backwards: 2, lines: 7, last_line: 7 });
    expect(build([])).toMatchObject({
      first_time: null,
      last_time: null,
      untimed: 0,
      backwards: 0,
      lines: 0,
      last_line: 0,
    });
  });

  it("counts lines from where a session begins inside a larger file", () => {
    const builder = new DraftBuilder({ ...REF, key: "k" }, "s", OPTIONS);
    for (const entry of placed([ask("a"), say("b")])) builder.push({ ...entry, line: entry.line + 10 });
    expect(builder.finish({ versions: {}, unknownTypes: {}, unknownFields: {} })).toMatchObject({
      lines: 2,
      last_line: 12,
    });
    const whole = new DraftBuilder(REF, "s", OPTIONS);
    for (const entry of placed([ask("a"), say("b")])) whole.push({ ...entry, line: entry.line + 10 });
    expect(whole.finish({ versions: {}, unknownTypes: {}, unknownFields: {} })).toMatchObject({
      lines: 12,
      last_line: 12,
    });
  });
});

describe("questions", () => {
  it("are kept with what settles them, refusals and what takes them back", () => {
    const cancelled = (reason: "rewound" | "interrupted"): Told => told("reaction", [{ type: "cancelled", reason }]);
    const draft = build([
      ask("a"),
      start("1", { time: 3 }, { name: "AskUserQuestion", input: { questions: [] } }),
      start("2", { time: 4 }),
      finish("1"),
      finish("2", { status: "denied", error: "The user doesn't want to proceed" }, { time: 6 }),
      finish("3"),
      say("nothing"),
      cancelled("rewound"),
      cancelled("interrupted"),
    ]);
    expect(draft.questions.map(({ line, time, turn, body }) => [line, time, turn, body.type])).toEqual([
      [2, 3, 0, "tool_started"],
      [4, null, 0, "tool_finished"],
      [3, 4, 0, "tool_started"],
      [5, 6, 0, "tool_finished"],
      [8, null, 0, "cancelled"],
    ]);
    expect(draft.questions[2]?.body).toEqual({ type: "tool_started", call_id: "2", name: "Bash", input: null });
    expect(build([ask("a"), start("1", {}, { name: "AskUserQuestion" })], { usageOnly: true }).questions).toEqual([]);
    expect(finished("1")).toMatchObject({ status: "ok" });
  });
});
