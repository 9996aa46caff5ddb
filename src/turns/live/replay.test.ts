import { describe, expect, it } from "vitest";
import type { LogRecord, RecordBody } from "../../record/record.ts";
import { noTokens } from "../../record/tokens.ts";
import { createReplay, replay } from "./replay.ts";
import type { SessionState } from "./state.ts";

type Row = [turn: string | null, body: RecordBody, line?: number];

function log(...rows: Row[]): LogRecord[] {
  return rows.map(([turn, body, line], seq) => ({
    schema_version: 1,
    seq,
    time: `2026-01-01T00:00:${String(seq % 60).padStart(2, "0")}.000Z`,
    session_id: "s",
    origin: line === undefined ? {} : { line },
    ...(turn === null ? {} : { turn_id: turn }),
    ...body,
  }));
}
const run = (...rows: Row[]): SessionState => replay(log(...rows));

const meta = (more: Partial<Extract<RecordBody, { type: "session_meta" }>> = {}): RecordBody => ({
  type: "session_meta",
  source: "x",
  kind: "root",
  cwd: null,
  started_at: null,
  agent_version: null,
  ...more,
});
const ask = (text: string, kind: "prompt" | "queued" = "prompt"): RecordBody => ({
  type: "user",
  author: "human",
  text,
  kind,
});
const say = (text: string, end = false, id?: string): RecordBody => ({
  type: "assistant_finished",
  text,
  ...(end ? { turn_ended: true } : {}),
  ...(id === undefined ? {} : { message_id: id }),
});
const call = (id: string): RecordBody => ({ type: "tool_started", call_id: id, name: "shell", input: { id } });
const done = (id: string, status: "ok" | "failed" | "pending", path?: string): RecordBody => ({
  type: "tool_finished",
  call_id: id,
  status,
  exit_code: status === "ok" ? 0 : null,
  duration_ms: null,
  ...(path === undefined ? {} : { files: [{ path, operation: "modified" }] }),
});
const spent = (id: string, n: number, verdict: "counted" | "duplicate" | "estimate" | "inherited"): RecordBody => ({
  type: "usage",
  response_id: id,
  model: "m",
  verdict,
  input_tokens: n,
  cached_input_tokens: 0,
  cache_write_tokens: 0,
  cache_write_1h_tokens: 0,
  output_tokens: n,
  reasoning_tokens: 0,
});
const stop = (more: Partial<Extract<RecordBody, { type: "cancelled" }>> = {}): RecordBody => ({
  type: "cancelled",
  reason: "interrupted",
  ...more,
});
const fail = (message: string, ended: boolean): RecordBody => ({ type: "failed", message, turn_ended: ended });
const name = (title: string | null, by: "human" | "agent"): Row => [null, { type: "session_renamed", title, by }];
const link = (phase: "spawned" | "returned", more: object = {}): RecordBody => ({
  type: "child_linked",
  child: { source: "x", session_id: "kid" },
  relation: "subagent",
  phase,
  ...more,
});
const outcomesOf = (state: SessionState): string[] => state.turns.map((turn) => turn.outcome);

describe("replay: session", () => {
  it("merges headers: later values win, and null keeps the earlier value", () => {
    const state = run(
      [null, meta({ cwd: "/a", agent_version: "1", git: { branch: "main" } })],
      [null, meta({ kind: "review", agent_version: "2", git: { commit: "c" } })],
    );
    expect(state.meta).toMatchObject({
      kind: "review",
      cwd: "/a",
      agent_version: "2",
      git: { branch: "main", commit: "c" },
    });
    expect(state.context).toMatchObject({ cwd: "/a", agent_version: "2" });
  });

  it("prefers a human's title to generated ones until it is cleared", () => {
    expect(run([null, meta({ title: "head" })]).title).toBe("head");
    expect(run([null, meta({ title: "head" })], name("gen", "agent")).title).toBe("gen");
    expect(run(name("mine", "human"), name("gen", "agent"), [null, meta({ title: "head" })])).toMatchObject({
      title: "mine",
      title_by: "human",
    });
    expect(run(name("mine", "human"), name(null, "human"), name("gen", "agent")).title).toBe("gen");
  });

  it("tracks the settings in force and stores with each turn those it worked with", () => {
    const state = run(
      [null, { type: "context", model: "a", sandbox: "ro", sources: [] }],
      ["1", ask("x")],
      [null, { type: "context", model: "b" }],
      ["1", say("y")],
      ["1", { type: "context", model: "c", sandbox: null }],
    );
    expect(state.turns[0]?.context).toMatchObject({ model: "b", sandbox: "ro" });
    expect(state.context).toMatchObject({ model: "c", sandbox: null });
  });

  it("links children to the turn of their call, with the records of spawn and return", () => {
    const state = run(
      ["1", ask("a")],
      ["1", call("c")],
      ["2", ask("b")],
      [null, link("spawned", { call_id: "c", role: "explorer" })],
      ["2", link("returned")],
    );
    expect(state.children).toMatchObject([
      { turn_id: "1", call_id: "c", role: "explorer", spawn_seq: 1, result_seq: 4 },
    ]);
  });

  it("counts unknown and unreadable records, even of a type named __proto__", () => {
    const state = run(
      [null, { type: "unknown", native_type: "__proto__" }],
      [null, { type: "unreadable", reason: "torn", bytes: 7, hint: "" }],
      [null, { type: "unreadable", reason: "torn", bytes: 3, hint: "" }],
    );
    expect(Object.entries(state.unknown.types)).toEqual([["__proto__", 1]]);
    expect(state.unreadable).toEqual({ count: 2, bytes: 10, reasons: { torn: 2 } });
  });
});

describe("replay: turns", () => {
  it("begins a turn at a human's prompt, at an agent's only in a session without a human", () => {
    const rows: Row[] = [
      ["1", { type: "user", author: "source", text: "<env>" }],
      ["1", { type: "user", author: "agent", text: "delegated" }],
      ["1", ask("please"), 3],
      ["1", ask("please (echo)"), 4],
      ["2", { type: "user", author: "agent", text: "do it" }],
    ];
    const triggersOf = (...all: Row[]): unknown[] =>
      run(...all).turns.map((turn) => [turn.turn_id, turn.trigger.author, turn.trigger.text, turn.delegated]);
    expect(triggersOf(...rows)).toEqual([["1", "human", "please", false]]);
    expect(triggersOf([null, meta({ kind: "subagent" })], ...rows)).toEqual([
      ["1", "agent", "delegated", true],
      ["2", "agent", "do it", true],
    ]);
  });

  it("assigns records that name a turn without a prompt to the session", () => {
    const state = run(["1", call("c")], ["1", say("b", true)], ["1", spent("r", 3, "counted")]);
    expect([state.turns, state.tools]).toMatchObject([[], [{ call_id: "c", turn_id: null }]]);
    expect([state.messages.length, state.usage.totals.input_tokens]).toEqual([2, 3]);
  });

  it("treats a restated part of a message as a correction", () => {
    const state = run(
      ["1", ask("please"), 3],
      ["1", say("part one", false, "m"), 4],
      ["1", say("part two", false, "m"), 5],
      ["1", say("part 1", false, "m"), 4],
    );
    expect(state.turns[0]?.assistant.map(({ text }) => text)).toEqual(["part 1", "part two"]);
    expect(state.messages.map((one) => "text" in one && one.text)).toEqual(["please", "part 1", "part two"]);
  });

  it("lists an answer once if the closing record repeats it", () => {
    const { turns, messages } = run(["1", ask("a")], ["1", say("hi", false, "m")], ["1", say("hi", true)]);
    expect([turns[0]?.assistant.length, messages.length]).toEqual([1, 2]);
    expect(run(["1", ask("a")], ["1", say("hi")], ["2", ask("b")], ["2", say("hi", true)]).messages).toHaveLength(4);
  });

  it("uses stated ends; a normal end does not undo an abort or a failure", () => {
    const ends = (...bodies: RecordBody[]): string[] =>
      outcomesOf(run(["1", ask("a")], ...bodies.map((body): Row => ["1", body])));
    expect(ends(say("b", true))).toEqual(["completed"]);
    expect(ends(stop())).toEqual(["aborted"]);
    expect(ends(fail("e", true))).toEqual(["failed"]);
    expect(ends(fail("e", true), say("", true))).toEqual(["failed"]);
    expect(ends(stop(), say("what was said before", true))).toEqual(["aborted"]);
    expect(ends(say("b", true), stop())).toEqual(["aborted"]);
    expect(ends(say("b", true), call("c"))).toEqual(["open"]);
    expect(run(["1", ask("a")], ["1", fail("retry", false)]).turns[0]).toMatchObject({
      outcome: "open",
      outcome_stated: false,
      outcome_detail: "retry",
    });
  });

  it("infers an end that is not stated from the records that follow", () => {
    expect(outcomesOf(run(["1", ask("a")], ["1", say("b")]))).toEqual(["completed"]);
    expect(outcomesOf(run(["1", ask("a")], ["1", say("b")], ["2", ask("c")]))).toEqual(["completed", "open"]);
    expect(outcomesOf(run(["1", ask("a")], ["2", ask("c")]))).toEqual(["aborted", "open"]);
    expect(outcomesOf(run(["1", ask("a")], ["1", call("c")], ["2", ask("c")]))).toEqual(["aborted", "open"]);
    expect(
      outcomesOf(run(["1", ask("a")], ["1", call("c")], ["2", ask("c", "queued")], ["2", say("d", true)])),
    ).toEqual(["completed", "completed"]);
    expect(outcomesOf(run(["1", ask("a")], ["1", say("b", true)], ["2", ask("c")], ["2", say("d")]))).toEqual([
      "completed",
      "open",
    ]);
  });

  it("marks turns as rolled back or rewound", () => {
    const takenBack = (...rows: Row[]): (string | null)[] => run(...rows).turns.map((turn) => turn.taken_back);
    const three: Row[] = [
      ["1", ask("a"), 10],
      ["2", ask("b"), 20],
      ["3", ask("c"), 30],
    ];
    const rolled = stop({ reason: "rolled_back", turns: 1 });
    expect(takenBack(...three, [null, rolled], [null, rolled])).toEqual([null, "rolled_back", "rolled_back"]);
    const rewound = stop({ reason: "rewound", from_line: 20 });
    expect(takenBack(...three.slice(0, 2), ["3", rewound, 30], ["3", ask("c"), 30])).toEqual([null, "rewound", null]);
  });
});

describe("replay: calls and usage", () => {
  it("keeps the latest settlement and the files of earlier ones", () => {
    const state = run(
      ["1", ask("a")],
      ["1", call("c")],
      ["1", done("c", "ok", "a.ts")],
      ["1", done("c", "failed")],
      [null, done("gone", "ok")],
    );
    expect(state.tools).toMatchObject([{ status: "failed", settled: true, end_seq: 3, exit_code: 0 }]);
    expect(state.tools[0]?.files).toEqual([{ path: "a.ts", operation: "modified" }]);
    expect(state.orphan_settlements).toBe(1);
    const early = run(["1", ask("a")], ["1", done("c", "failed")], ["1", call("c")]);
    expect(early.tools).toMatchObject([{ status: "failed", settled: true, start_seq: 2, end_seq: 1 }]);
    expect(early.orphan_settlements).toBe(0);
  });

  it("keeps the whole input and output of a call, also if the result is written first", () => {
    const long = "x".repeat(20_000);
    const started: RecordBody = { type: "tool_started", call_id: "c", name: "shell", input: { command: long } };
    const finished: RecordBody = { ...done("c", "ok"), output: long } as RecordBody;
    for (const rows of [
      [started, finished],
      [finished, started],
    ]) {
      const { tools } = run(["1", ask("a")], ...rows.map((body): Row => ["1", body]));
      expect(tools).toMatchObject([{ input: { command: long }, output: long }]);
    }
  });

  it("treats an unsettled call as pending in the open newest turn, else as interrupted", () => {
    expect(run(["1", ask("a")], ["1", call("c")]).tools).toMatchObject([{ status: "pending", settled: false }]);
    expect(run(["1", ask("a")], ["1", call("c")], ["2", ask("b")]).tools).toMatchObject([
      { status: "interrupted", settled: false },
    ]);
    expect(run(["1", call("c")], ["1", done("c", "ok")], ["2", call("c")]).tools).toHaveLength(2);
  });

  it("treats an unsettled call as pending again if its turn continues after an end", () => {
    const session = createReplay();
    const status = (): string | undefined => session.state().tools[0]?.status;
    const records = log(["1", ask("a")], ["1", call("c")], ["1", say("b", true)], ["1", say("c")]);
    const seen = records.map((record) => {
      session.push(record);
      return status();
    });
    expect(seen).toEqual([undefined, "pending", "interrupted", "pending"]);
  });

  it("counts each response once, with its largest statement, in the first turn that states it", () => {
    const state = run(
      ["1", ask("a")],
      ["1", spent("r", 10, "counted")],
      ["1", spent("r", 10, "duplicate")],
      ["2", ask("b")],
      ["2", spent("r", 7, "counted")],
      ["2", spent("q", 1, "counted")],
      ["2", spent("e", 99, "estimate")],
      ["2", spent("i", 99, "inherited")],
    );
    expect(state.usage.totals).toMatchObject({ input_tokens: 11, output_tokens: 11 });
    expect(state.usage).toMatchObject({ responses: 2, models: { m: { input_tokens: 11 } } });
    expect(state.usage.balance).toEqual({
      tokens_read: 452,
      counted: 22,
      duplicates: 34,
      estimates: 198,
      inherited: 198,
    });
    expect(state.turns.map((turn) => turn.usage.input_tokens)).toEqual([10, 1]);
  });

  it("adds up the stated totals of a session's files, whose counters are separate", () => {
    const total = (n: number): RecordBody => ({
      type: "usage_total",
      counter: "0",
      includes_children: false,
      exact: true,
      models: [{ model: null, ...noTokens(), input_tokens: n }],
    });
    const [first, second, third] = log([null, total(5)], [null, total(7)], [null, total(2)]) as [
      LogRecord,
      ...LogRecord[],
    ];
    const state = replay([
      first,
      { ...second, origin: {} } as LogRecord,
      { ...third, origin: { path: "b" } } as LogRecord,
    ]);
    expect(state.usage.stated).toMatchObject({ tokens: 9, seq: 2 });
  });
});
