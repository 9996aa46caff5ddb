import { describe, expect, it } from "vitest";
import type { LogRecord, RecordBody } from "./record.ts";
import { replay } from "./replay.ts";
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
  it("merges headers, the later value first, null keeping what was known", () => {
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

  it("lets a human's title beat generated ones, until it is cleared", () => {
    expect(run([null, meta({ title: "head" })]).title).toBe("head");
    expect(run([null, meta({ title: "head" })], name("gen", "agent")).title).toBe("gen");
    expect(run(name("mine", "human"), name("gen", "agent"), [null, meta({ title: "head" })])).toMatchObject({
      title: "mine",
      title_by: "human",
    });
    expect(run(name("mine", "human"), name(null, "human"), name("gen", "agent")).title).toBe("gen");
  });

  it("keeps the context in force, and gives each turn the one it worked under", () => {
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

  it("ties children to the turn of their call, with spawn and return", () => {
    const state = run(
      ["1", call("c")],
      [null, link("spawned", { call_id: "c", role: "explorer" })],
      ["2", link("returned")],
    );
    expect(state.children).toMatchObject([
      { turn_id: "1", call_id: "c", role: "explorer", spawned: { seq: 1 }, returned: { seq: 2 } },
    ]);
  });

  it("counts what nobody could read or understand, even under odd names", () => {
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
  it("takes the human request as trigger, an agent's only where no human spoke", () => {
    const state = run(
      ["1", { type: "user", author: "source", text: "<env>" }],
      ["1", { type: "user", author: "agent", text: "delegated" }],
      ["1", ask("please"), 3],
      ["1", ask("please (echo)"), 4],
      ["2", { type: "user", author: "agent", text: "do it" }],
    );
    expect(state.turns.map((turn) => [turn.trigger?.author, turn.trigger?.text])).toEqual([
      ["human", "please"],
      ["agent", "do it"],
    ]);
  });

  it("takes a restated line, and a restated part of a message, as corrections", () => {
    const state = run(
      ["1", ask("pleese"), 3],
      ["1", say("part one", false, "m"), 4],
      ["1", say("part two", false, "m"), 5],
      ["1", say("part 1", false, "m"), 4],
      ["1", ask("please"), 3],
    );
    expect(state.turns[0]?.trigger?.text).toBe("please");
    expect(state.turns[0]?.assistant.map((t) => t.text)).toEqual(["part 1", "part two"]);
    expect(state.turns[0]?.final_text).toBe("part two");
  });

  it("lists an answer once when the closing record quotes it", () => {
    expect(run(["1", say("hi", false, "m")], ["1", say("hi", true)]).turns[0]?.assistant).toHaveLength(1);
  });

  it("reads stated ends; the latest wins, but an empty closing note undoes nothing", () => {
    expect(outcomesOf(run(["1", ask("a")], ["1", say("b", true)]))).toEqual(["completed"]);
    expect(outcomesOf(run(["1", ask("a")], ["1", stop()]))).toEqual(["aborted"]);
    expect(outcomesOf(run(["1", ask("a")], ["1", fail("e", true)]))).toEqual(["failed"]);
    expect(outcomesOf(run(["1", ask("a")], ["1", fail("e", true)], ["1", say("", true)]))).toEqual(["failed"]);
    expect(outcomesOf(run(["1", ask("a")], ["1", stop()], ["1", say("fine after all", true)]))).toEqual(["completed"]);
    expect(outcomesOf(run(["1", say("b", true)], ["1", stop()]))).toEqual(["aborted"]);
    expect(outcomesOf(run(["1", say("b", true)], ["1", call("c")]))).toEqual(["open"]);
    expect(run(["1", ask("a")], ["1", fail("retry", false)]).turns[0]).toMatchObject({
      outcome: "open",
      outcome_stated: false,
      outcome_detail: "retry",
    });
  });

  it("infers an end nobody wrote from what came after", () => {
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

  it("marks turns that were taken back", () => {
    const back = (...rows: Row[]): (string | null)[] => run(...rows).turns.map((turn) => turn.taken_back);
    const three: Row[] = [
      ["1", ask("a"), 10],
      ["2", ask("b"), 20],
      ["3", ask("c"), 30],
    ];
    const rolled = stop({ reason: "rolled_back", turns: 1 });
    expect(back(...three, [null, rolled], [null, rolled])).toEqual([null, "rolled_back", "rolled_back"]);
    const rewound = stop({ reason: "rewound", from_line: 20 });
    expect(back(...three.slice(0, 2), ["3", ask("c"), 30], ["3", rewound, 30])).toEqual([null, "rewound", null]);
  });
});

describe("replay: calls and usage", () => {
  it("keeps the latest settlement and its files", () => {
    const state = run(
      ["1", call("c")],
      ["1", done("c", "ok", "a.ts")],
      ["1", done("c", "failed")],
      [null, done("gone", "ok")],
    );
    expect(state.tools).toMatchObject([{ status: "failed", settled: true, end_seq: 2, exit_code: 0 }]);
    expect(state.turns[0]?.files).toEqual([]);
    expect(state.orphan_settlements).toBe(1);
    const early = run(["1", ask("a")], ["1", done("c", "failed")], ["1", call("c")]);
    expect(early.tools).toMatchObject([{ status: "failed", settled: true, start_seq: 2, end_seq: 1 }]);
    expect(early.orphan_settlements).toBe(0);
  });

  it("calls an unsettled call pending in the open newest turn, interrupted elsewhere", () => {
    expect(run(["1", ask("a")], ["1", call("c")]).tools).toMatchObject([{ status: "pending", settled: false }]);
    expect(run(["1", call("c")], ["2", ask("b")]).tools).toMatchObject([{ status: "interrupted", settled: false }]);
    expect(run(["1", call("c")], ["1", done("c", "ok")], ["2", call("c")]).tools).toHaveLength(2);
  });

  it("counts each response once: the latest counted statement, in the turn that stated it first", () => {
    const state = run(
      ["1", spent("r", 10, "counted")],
      ["1", spent("r", 10, "duplicate")],
      ["2", spent("r", 7, "counted")],
      ["2", spent("q", 1, "counted")],
      ["2", spent("e", 99, "estimate")],
      ["2", spent("i", 99, "inherited")],
    );
    expect(state.usage.totals).toMatchObject({ input_tokens: 8, output_tokens: 8 });
    expect(state.usage).toMatchObject({ responses: 2, models: { m: { input_tokens: 8 } } });
    expect(state.usage.statements).toEqual({ counted: 3, duplicate: 1, estimate: 1, inherited: 1 });
    expect(state.turns.map((turn) => turn.usage.input_tokens)).toEqual([7, 1]);
  });
});
