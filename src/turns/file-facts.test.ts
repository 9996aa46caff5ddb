import { describe, expect, it } from "vitest";
import type { RecordBody } from "../record/record.ts";
import type { Reading } from "../agents/contract.ts";
import { buildDraft, DraftBuilder } from "./builder.ts";
import {
  ask,
  build,
  finish,
  finished,
  OPTIONS,
  placed,
  REF,
  say,
  start,
  unplaced,
  type UnplacedEntry,
  NO_DRIFT,
} from "./testing.ts";

describe("an unreadable record", () => {
  const unreadable = (reason: string): UnplacedEntry =>
    unplaced("corrupt", [{ type: "unreadable", reason, bytes: 9, hint: "h" }]);

  it("is reported with its file and line", () => {
    expect(build([unreadable("syntax"), unreadable("torn"), unplaced("corrupt", [])]).diagnostics).toEqual([
      {
        code: "line_corrupt",
        source: "toy",
        path: REF.path,
        line: 1,
        message: "line 1 is unreadable (syntax, 9 bytes)",
        hint: "h",
      },
      {
        code: "line_torn",
        source: "toy",
        path: REF.path,
        line: 2,
        message: "line 2 is unreadable (torn, 9 bytes)",
        hint: "h",
      },
    ]);
    expect(build([unplaced("unknown", [{ type: "unreadable", reason: "x", bytes: 1, hint: "" }])]).diagnostics).toEqual(
      [],
    );
  });

  it("can be an impossible number in a record that is otherwise used", () => {
    const odd: RecordBody = { type: "unreadable", reason: "impossible_number", bytes: 0, hint: "-5 tokens" };
    const { diagnostics, turns } = build([
      ask("a"),
      unplaced("reaction", [{ type: "assistant_finished", text: "x" }, odd]),
    ]);
    expect(diagnostics).toEqual([
      { code: "number_impossible", source: "toy", path: REF.path, line: 2, message: "line 2: -5 tokens" },
    ]);
    expect(turns).toMatchObject([{ final_text: "x", records: 2 }]);
  });

  it("is reported up to 200 times per file and always counted", () => {
    const draft = build(Array.from({ length: 203 }, () => unreadable("syntax")));
    expect(draft.diagnostics).toHaveLength(200);
    expect(draft.records.corrupt).toBe(203);
  });
});

describe("buildDraft", () => {
  it("returns the draft of the entries, with the reader's drift", () => {
    const story = [ask("a"), say("b"), unplaced("unknown", [])];
    const drift = { ...NO_DRIFT, unknownTypes: { odd: 1 } };
    const reading = Object.assign(placed(story), { drift: () => drift }) as unknown as Reading;
    expect(buildDraft(REF, "s", reading, OPTIONS)).toEqual({ ...build(story), drift });
  });
});

describe("the draft of a file", () => {
  it("states the first and last time, and counts records without a time and steps backwards", () => {
    const draft = build([
      say("x", { time: 20 }),
      say("y"),
      say("z", { time: 10 }),
      say("w", { time: 30 }),
      say("v", { time: 30 }),
      say("u", { time: 40 }),
      unplaced("corrupt", [], { time: 99 }),
      unplaced("inherited", [], { time: 1 }),
      say("t", { time: 35 }),
    ]);
    expect(draft).toMatchObject({ first_time: 10, last_time: 40, untimed: 1, backwards: 2, lines: 9, last_line: 9 });
    // A machine whose clock was never set.
    expect(build([say("x", { time: 0 })])).toMatchObject({ first_time: 0, last_time: 0, untimed: 0, backwards: 0 });
    expect(build([])).toMatchObject({
      first_time: null,
      last_time: null,
      untimed: 0,
      backwards: 0,
      lines: 0,
      last_line: 0,
    });
  });

  it("counts lines from where the session begins if it is part of a larger file", () => {
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
  it("are stored with their results, refusals, rewinds and rollbacks", () => {
    const cancelled = (reason: "rewound" | "interrupted" | "rolled_back"): UnplacedEntry =>
      unplaced("reaction", [{ type: "cancelled", reason }]);
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
      cancelled("rolled_back"),
      ask("b"),
      say("D1 — Which one?\nA) this\nB) that\nRecommendation: A"),
    ]);
    expect(draft.questions.map(({ line, time, turn, body }) => [line, time, turn, body.type])).toEqual([
      [2, 3, 0, "tool_started"],
      [4, null, 0, "tool_finished"],
      [3, 4, 0, "tool_started"],
      [5, 6, 0, "tool_finished"],
      [8, null, 0, "cancelled"],
      [10, null, 0, "cancelled"],
      [12, null, 1, "assistant_finished"],
    ]);
    expect(draft.questions[2]?.body).toEqual({ type: "tool_started", call_id: "2", name: "Bash", input: null });
    expect(build([ask("a"), start("1", {}, { name: "AskUserQuestion" })], { withoutTraces: true }).questions).toEqual(
      [],
    );
  });

  it("are stored with an answer written before them, cut to 16 KiB", () => {
    const answered = finish("1", { output: "x".repeat(20_000) }, { time: 5 });
    const story = [ask("a"), answered, start("1", { time: 6 }, { name: "AskUserQuestion" })];
    const { questions } = build(story);
    expect(questions.map(({ line, time, turn, body }) => [line, time, turn, body.type])).toEqual([
      [3, 6, 0, "tool_started"],
      [2, 5, 0, "tool_finished"],
    ]);
    expect(questions[1]?.body).toEqual(finished("1", { output: "x".repeat(16 * 1024) }));
    expect(build(story, { withoutTraces: true }).questions).toEqual([]);
    const refused = finish("1", { status: "denied", error: "The user doesn't want to proceed" });
    expect(build([ask("a"), refused, start("1")], { withoutTraces: true }).questions).toEqual([]);
    expect(build([ask("a"), refused, start("1")]).questions.map(({ line, body }) => [line, body.type])).toEqual([
      [3, "tool_started"],
      [2, "tool_finished"],
    ]);
  });
});
