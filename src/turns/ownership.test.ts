import { describe, expect, it } from "vitest";
import type { SessionMetaBody } from "../record/record.ts";
import type { LedgerRow } from "./model.ts";
import { ask, build, say, unplaced, type UnplacedEntry } from "./testing.ts";

const META: SessionMetaBody = {
  type: "session_meta",
  source: "toy",
  kind: "root",
  cwd: "/w",
  started_at: "2026-01-01T00:00:00.000Z",
  agent_version: "1",
};

const SETUP = unplaced("setup", []);

describe("a record", () => {
  it("belongs to the turn of the latest prompt before it", () => {
    const draft = build([ask("a"), say("one"), say("two"), ask("b"), say("three")]);
    expect(draft.turns.map((turn) => [turn.start_line, turn.end_line, turn.records, turn.final_text])).toEqual([
      [1, 3, 3, "two"],
      [4, 5, 2, "three"],
    ]);
    expect(draft.turns.map(({ index, position }) => [index, position])).toEqual([
      [0, 1],
      [1, 4],
    ]);
  });

  it("belongs to no turn if it is before the first prompt or about the session", () => {
    const { turns, records } = build([
      say("early"),
      unplaced("session", []),
      ask("a"),
      unplaced("session", []),
      say("b"),
    ]);
    expect(turns.map(({ records: n, end_line }) => [n, end_line])).toEqual([[2, 5]]);
    expect(records).toMatchObject({ records_read: 5, owned_by_turns: 2, session_level: 3, setup: 0 });
  });

  it("of class setup prepares the next turn, or belongs to the running turn if work continues", () => {
    const { turns, records } = build([SETUP, ask("a"), SETUP, say("b"), SETUP, SETUP, ask("c"), SETUP]);
    expect(turns.map(({ records: n, end_line }) => [n, end_line])).toEqual([
      [3, 4],
      [1, 7],
    ]);
    expect(records).toMatchObject({ records_read: 8, owned_by_turns: 4, setup: 4, session_level: 0 });
  });

  it("that is corrupt, unknown or duplicate gives setup records before it to the running turn", () => {
    for (const kind of ["corrupt", "unknown", "duplicate"] as const) {
      const { turns, records } = build([ask("a"), SETUP, unplaced(kind, []), SETUP, ask("b"), unplaced(kind, [])]);
      expect(turns.map(({ records: n, end_line }) => [n, end_line])).toEqual([
        [2, 3],
        [1, 6],
      ]);
      expect(records[kind === "duplicate" ? "duplicates" : kind]).toBe(2);
      expect(records).toMatchObject({ records_read: 6, owned_by_turns: 3, setup: 1, session_level: 0 });
    }
    const first = build([SETUP, unplaced("unknown", []), ask("a")]);
    expect(first.records).toMatchObject({ records_read: 3, owned_by_turns: 1, setup: 1, unknown: 1 });
  });

  it("that names a turn belongs to it, even if another turn is running", () => {
    const { turns } = build([
      ask("a", { turnId: "A", time: 10 }),
      ask("b", { turnId: "B", time: 20 }),
      say("late", { turnId: "A", time: 30 }),
      say("here", { turnId: "never", time: 40 }),
    ]);
    expect(
      turns.map(({ final_text, end_line, ended_at, records }) => [final_text, end_line, ended_at, records]),
    ).toEqual([
      ["late", 1, 30, 2],
      ["here", 4, 40, 2],
    ]);
  });

  it("gives its turn the native id in its body, else that of its entry", () => {
    const { turns } = build([
      ask("a", { turnId: "record" }, { native_turn_id: "body" }),
      ask("b", { turnId: "record" }),
    ]);
    expect(turns.map((turn) => turn.native_turn_id)).toEqual(["body", "record"]);
    expect(build([ask("a")]).turns[0]?.native_turn_id).toBeNull();
  });

  it("is listed in the line ranges of its turn", () => {
    const sessionLevel = unplaced("session", []);
    const lines = (...story: UnplacedEntry[]): number[][] => build(story).turns.map((turn) => turn.lines);
    expect(lines(ask("a"), say("x"), say("y"), sessionLevel, say("z"), ask("b"))).toEqual([
      [1, 3, 5, 5],
      [6, 6],
    ]);
    // Setup inside the running turn belongs to it; setup before a prompt prepares it, or was caused by it.
    expect(lines(sessionLevel, ask("a"), SETUP, say("x"), SETUP, unplaced("early", []), ask("b"))).toEqual([
      [2, 4],
      [6, 7],
    ]);
    expect(lines(ask("a"), sessionLevel, sessionLevel, say("x"), say("y"))).toEqual([[1, 1, 4, 5]]);
  });

  it("is reported as a ledger row with its class, its turn and the turn it prepares", () => {
    const rows: LedgerRow[] = [];
    const story = [SETUP, ask("a", { time: 5 }), SETUP, say("b"), SETUP, unplaced("early", []), ask("c"), SETUP];
    build(story, { ledger: (row) => rows.push(row) });
    expect(rows.map(({ line, class: kind, turn, prepares }) => [line, kind, turn, prepares])).toEqual([
      [1, "setup", null, 0],
      [2, "trigger", 0, null],
      [3, "setup", 0, null],
      [4, "reaction", 0, null],
      [5, "setup", null, 1],
      [6, "early", 1, null],
      [7, "trigger", 1, null],
      [8, "setup", null, null],
    ]);
    expect(rows[1]).toEqual({
      line: 2,
      class: "trigger",
      reason: "toy.trigger",
      native: "trigger",
      time: 5,
      turn: 0,
      prepares: null,
      records: ["user"],
    });
  });

  it("that was copied from another session belongs to no turn", () => {
    const { turns, records } = build([unplaced("inherited", []), ask("a"), unplaced("inherited", []), say("b")]);
    expect(turns).toMatchObject([{ start_line: 2, end_line: 4, records: 2 }]);
    expect(records).toMatchObject({ records_read: 4, inherited: 2, owned_by_turns: 2, session_level: 0 });
  });

  it("is reported in file order, also after records whose turn is not certain yet", () => {
    const lines = (story: readonly UnplacedEntry[]): unknown[] => {
      const rows: LedgerRow[] = [];
      build(story, { ledger: (row) => rows.push(row) });
      return rows.map(({ line, turn }) => [line, turn]);
    };
    const [session, unknown] = [unplaced("session", []), unplaced("unknown", [])];
    expect(lines([ask("a"), say("b")])).toEqual([
      [1, 0],
      [2, 0],
    ]);
    // Rows whose owner is certain wait for held rows before them.
    expect(lines([session, SETUP, session, ask("a"), unknown, ask("b"), unknown])).toEqual([
      [1, null],
      [2, null],
      [3, null],
      [4, 0],
      [5, 0],
      [6, 1],
      [7, 1],
    ]);
    expect(lines([ask("a"), unplaced("early", [])])).toEqual([
      [1, 0],
      [2, null],
    ]);
  });

  it("is counted by class and reason", () => {
    const { records } = build([
      ask("a"),
      say("b"),
      say("c"),
      ask("d"),
      SETUP,
      unplaced("session", [], { reason: "toy.x" }),
    ]);
    expect(records.reasons).toEqual({
      "trigger · toy.trigger": 2,
      "reaction · toy.reaction": 2,
      "setup · toy.setup": 1,
      "session · toy.x": 1,
    });
  });
});

describe("a prompt", () => {
  it("without a time takes the first later time in its turn, not an earlier one", () => {
    const { turns } = build([
      say("x", { time: 7 }),
      ask("a"),
      say("nothing tells"),
      say("y", { time: 90 }),
      say("z", { time: 95 }),
      ask("b", { time: 100 }),
      say("w", { time: 110 }),
    ]);
    expect(turns.map(({ trigger }) => trigger.time)).toEqual([90, 100]);
  });

  it("keeps its own time, or takes the previous time if its turn has none", () => {
    const { turns } = build([say("x", { time: 7 }), ask("a"), ask("b", { time: 9 }), ask("c")]);
    expect(turns.map(({ trigger, ended_at }) => [trigger.time, ended_at])).toEqual([
      [7, null],
      [9, 9],
      [9, null],
    ]);
  });

  it("becomes a trigger with its text, kind, entry, reason and attachments", () => {
    const prompt = ask("a", { reason: "toy.rule", identity: "id" }, { kind: "queued", entry: "sdk", attachments: 2 });
    expect(build([prompt]).turns[0]).toMatchObject({
      delegated: false,
      identity: "id",
      trigger: {
        line: 1,
        echo_line: null,
        text: "a",
        kind: "queued",
        entry: "sdk",
        reason: "toy.rule",
        attachments: 2,
      },
    });
    const afterHeader = unplaced("trigger", [META, { type: "user", author: "human", text: "behind a header" }]);
    expect(build([afterHeader]).turns[0]?.trigger.text).toBe("behind a header");
    expect(build([unplaced("trigger", [])]).turns[0]).toMatchObject({
      identity: null,
      trigger: { text: "", kind: "prompt", entry: "unknown", attachments: 0 },
    });
  });

  it("is linked to the first echo after it", () => {
    const draft = build([ask("a"), unplaced("echo", []), unplaced("echo", []), ask("b")]);
    expect(draft.turns.map(({ trigger, end_line }) => [trigger.echo_line, end_line])).toEqual([
      [2, 3],
      [null, 4],
    ]);
    expect(draft.records).toMatchObject({ records_read: 4, owned_by_turns: 4 });
    expect(build([unplaced("echo", []), ask("a")]).turns[0]?.trigger.echo_line).toBeNull();
  });

  it("begins a delegated turn only if an agent wrote it in a session without a human", () => {
    const writtenBy = (author: "agent" | "source"): UnplacedEntry =>
      unplaced("reaction", [{ type: "user", author, text: "do" }]);
    const sub = unplaced("session", [{ ...META, kind: "subagent" }]);
    expect(build([sub, writtenBy("agent"), say("x")]).turns).toMatchObject([
      { delegated: true, records: 2, final_text: "x" },
    ]);
    expect(build([sub, writtenBy("source")]).turns).toEqual([]);
    expect(build([unplaced("session", [META]), writtenBy("agent")]).turns).toEqual([]);
    // If nothing states the session's kind, a human may have spoken to it.
    expect(build([writtenBy("agent")])).toMatchObject({ turns: [], meta: { kind: "root" } });
    const header = unplaced("reaction", [
      { type: "user", author: "agent", text: "do" },
      { ...META, kind: "subagent" },
    ]);
    expect(build([header]).turns).toHaveLength(1);
  });
});
