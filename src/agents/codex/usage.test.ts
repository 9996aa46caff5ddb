import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { SourceRef } from "../contract.ts";
import { initialState, type ReaderState } from "./state.ts";
import { markTotalsInherited, quickUsage, totalOf, usageOfCount, usageOfRecord } from "./usage.ts";

type Row = [input: number, output: number, total?: number];
const counts = ([input, output, total = input + output]: Row): object => ({
  input_tokens: input,
  output_tokens: output,
  total_tokens: total,
});
const info = (total: Row | null, last: Row | null): object => ({
  ...(total && { total_token_usage: counts(total) }),
  ...(last && { last_token_usage: counts(last) }),
});

function verdicts(...infos: unknown[]): string[] {
  const state = initialState("S", false);
  return infos.map((each) => {
    const usage = usageOfCount(each, state);
    return usage ? `${usage.verdict} ${usage.input_tokens}+${usage.output_tokens}` : "none";
  });
}

describe("token counts", () => {
  it("count each total once", () => {
    expect(
      verdicts(info([40, 4], [40, 4]), info([40, 4], [40, 4]), info([80, 8], [40, 4]), info([80, 8], [40, 4])),
    ).toEqual(["counted 40+4", "duplicate 40+4", "counted 40+4", "duplicate 40+4"]);
  });

  it("count the last response of a total that began elsewhere", () => {
    expect(verdicts(info([1000, 100], [5, 1]))).toEqual(["counted 5+1"]);
  });

  it("count the difference after a jump, and the last response after a restart or a fall", () => {
    expect(verdicts(info([10, 1], [10, 1]), info([50, 5], [20, 2]))).toEqual(["counted 10+1", "counted 40+4"]);
    expect(verdicts(info([30, 3], [10, 1]), null, info([40, 4], [40, 4]))).toEqual([
      "counted 10+1",
      "none",
      "counted 40+4",
    ]);
    expect(verdicts(info([10, 1], [10, 1]), null, info([10, 1], [10, 1]))).toEqual([
      "counted 10+1",
      "none",
      "counted 10+1",
    ]);
    expect(verdicts(info([30, 3], [10, 1]), info([25, 2], [7, 1]))).toEqual(["counted 10+1", "counted 7+1"]);
  });

  it("do not count the agent's estimates", () => {
    expect(verdicts(info([10, 1], [10, 1]), info([10, 1], [0, 0, 5632]), info([10, 1], [0, 0, 5632]))).toEqual([
      "counted 10+1",
      "estimate 5632+0",
      "estimate 5632+0",
    ]);
    expect(verdicts(info([10, 1], [10, 1]), info([0, 0, 272000], [0, 0, 271989]))).toEqual([
      "counted 10+1",
      "estimate 271989+0",
    ]);
  });

  it("need only a total or a last response, and ignore an invalid total", () => {
    expect(verdicts(info([10, 1], null), info([15, 2], null))).toEqual(["counted 10+1", "counted 5+1"]);
    expect(verdicts(info(null, [3, 1]), info(null, [3, 1]))).toEqual(["counted 3+1", "counted 3+1"]);
    // An invalid total is ignored: read as zeros, it would make the next one look like new usage.
    const odd = { total_token_usage: { input_tokens: "5", output_tokens: -1 } };
    expect(verdicts(info([10, 1], null), odd, info([15, 2], null))).toEqual(["counted 10+1", "none", "counted 5+1"]);
  });

  it("count the total if the last response has an invalid number", () => {
    const odd = { total_token_usage: counts([10, 5]), last_token_usage: { input_tokens: 10, output_tokens: -5 } };
    expect(usageOfCount(odd, initialState("S", false))).toMatchObject({
      verdict: "counted",
      input_tokens: 10,
      output_tokens: 5,
    });
  });

  it("split input by kind, and get new ids after a restart", () => {
    const state = initialState("S", false);
    const usage = {
      input_tokens: 100,
      cached_input_tokens: 60,
      cache_write_input_tokens: 10,
      output_tokens: 9,
      reasoning_output_tokens: 4,
      total_tokens: 109,
    };
    const first = usageOfCount({ total_token_usage: usage, last_token_usage: usage }, state);
    expect(first).toMatchObject({
      input_tokens: 30,
      cached_input_tokens: 60,
      cache_write_tokens: 10,
      output_tokens: 9,
      reasoning_tokens: 4,
    });
    usageOfCount(null, state);
    const second = usageOfCount({ total_token_usage: usage, last_token_usage: usage }, state);
    expect(second?.response_id).not.toBe(first?.response_id);
  });

  it("are duplicates or estimates once a file has usage records, even if the totals differ", () => {
    const state = initialState("S", false);
    usageOfRecord({ response_id: "r", usage: counts([7, 2]), thread_token_usage: counts([7, 2]) }, state);
    // The process was killed before it wrote the count of this one; the next count continues from the previous count.
    usageOfRecord({ response_id: "s", usage: counts([8, 2]), thread_token_usage: counts([15, 4]) }, state);
    const resumed = { response_id: "t", usage: counts([9, 2]), thread_token_usage: counts([24, 6]) };
    expect(usageOfRecord(resumed, state)).toMatchObject({ verdict: "counted", input_tokens: 9 });
    expect(usageOfCount(info([16, 4], [9, 2]), state)).toMatchObject({ verdict: "duplicate", input_tokens: 9 });
    expect(usageOfCount(info([16, 4], [0, 0, 99]), state)).toMatchObject({ verdict: "estimate", input_tokens: 99 });
    expect(totalOf(state)).toMatchObject({
      counter: "0",
      exact: true,
      models: [{ input_tokens: 24, output_tokens: 6 }],
    });
  });

  it("state a separate total after each restart, and which part of it a fork inherited", () => {
    const state = initialState("S", false);
    usageOfCount(info([100, 10], [40, 4]), state);
    expect(totalOf(state)).toMatchObject({ counter: "0", exact: false, inherited: { input_tokens: 60 } });
    usageOfCount(null, state);
    usageOfCount(info([5, 1], [5, 1]), state);
    expect(totalOf(state)).toMatchObject({ counter: "1", models: [{ input_tokens: 5 }] });
    expect(totalOf(state)).not.toHaveProperty("inherited");
    // After an update of the program, the total of the records is a counter of its own, whatever it starts with.
    usageOfRecord({ response_id: "r", usage: counts([7, 2]), thread_token_usage: counts([12, 3]) }, state);
    expect(totalOf(state)).toMatchObject({ counter: "2", exact: true, inherited: { input_tokens: 5 } });
  });

  it("distinguish responses with short ids by turn and total", () => {
    const named = (id: string, turn: string, total: Row): string => {
      const payload = { response_id: id, turn_id: turn, usage: counts([1, 1]), thread_token_usage: counts(total) };
      return usageOfRecord(payload, initialState("S", false)).response_id;
    };
    expect(named("resp_eWXXGxvTToQxtx2KXXHPG6xp", "t", [1, 1])).toBe("resp_eWXXGxvTToQxtx2KXXHPG6xp");
    const [first, again] = [named("resp_7", "t", [1, 1]), named("resp_7", "t", [1, 1])];
    expect(first).toBe(again);
    expect(new Set([first, named("resp_7", "t", [2, 2]), named("resp_7", "u", [1, 1])]).size).toBe(3);
  });

  it("are duplicates of an equal usage record", () => {
    const state = initialState("S", false);
    const usage = counts([7, 2]);
    expect(usageOfRecord({ response_id: "r", usage, thread_token_usage: usage }, state)).toMatchObject({
      verdict: "counted",
      response_id: "r@S:7/0/0/2/0/9",
    });
    expect(usageOfCount({ total_token_usage: usage, last_token_usage: usage }, state)?.verdict).toBe("duplicate");
  });
});

/** Counts as Codex writes them: input includes cached tokens. */
const statedCounts = (input: number, output: number, more: object = {}): object => ({
  input_tokens: input,
  output_tokens: output,
  total_tokens: input + output,
  ...more,
});
const EVERY = statedCounts(100, 20, {
  cached_input_tokens: 60,
  cache_write_input_tokens: 10,
  reasoning_output_tokens: 5,
});
const fresh = (): ReaderState => initialState("S", false);
const NONE = { cached_input_tokens: 0, cache_write_tokens: 0, cache_write_1h_tokens: 0, reasoning_tokens: 0 };
const LONG_ID = "resp_0123456789abcdefghi";

describe("a token count", () => {
  it("states every kind of token, with cached input separate from other input", () => {
    const state = { ...fresh(), model: "m" };
    expect(usageOfCount({ total_token_usage: EVERY, last_token_usage: EVERY }, state)).toEqual({
      type: "usage",
      verdict: "counted",
      model: "m",
      response_id: "S:100/60/10/20/5/120",
      input_tokens: 30,
      cached_input_tokens: 60,
      cache_write_tokens: 10,
      cache_write_1h_tokens: 0,
      output_tokens: 20,
      reasoning_tokens: 5,
    });
  });

  it("reads invalid numbers as zero", () => {
    const odd = { input_tokens: "7", output_tokens: -3, cached_input_tokens: 1.5, total_tokens: 2 ** 60 };
    expect(usageOfCount({ last_token_usage: { ...odd, reasoning_output_tokens: 4 } }, fresh())).toMatchObject({
      verdict: "duplicate",
      response_id: "S:0/0/0/0/4/0",
    });
    const negative = statedCounts(10, -1);
    expect(usageOfCount({ last_token_usage: negative }, fresh())).toMatchObject({ input_tokens: 10, output_tokens: 0 });
  });

  it("counts a response with more output than input", () => {
    const both = { total_token_usage: statedCounts(1, 5), last_token_usage: statedCounts(1, 5) };
    expect(usageOfCount(both, fresh())).toMatchObject({ verdict: "counted", input_tokens: 1, output_tokens: 5 });
  });

  it("yields null without usage", () => {
    expect(usageOfCount({}, fresh())).toBeNull();
    expect(usageOfCount(null, fresh())).toBeNull();
    expect(usageOfCount([], fresh())).toBeNull();
  });

  it("adds up the last responses if no total is written", () => {
    const state = fresh();
    const last = { last_token_usage: statedCounts(10, 1) };
    expect(usageOfCount(last, state)?.response_id).toBe("S:10/0/0/1/0/11");
    const second = usageOfCount(last, state);
    expect(second).toMatchObject({ verdict: "counted", input_tokens: 10, output_tokens: 1 });
    expect(second?.response_id).toBe("S:20/0/0/2/0/22");
  });

  it("states the growth of the total if the last response differs from it", () => {
    const state = fresh();
    usageOfCount({ total_token_usage: statedCounts(10, 1) }, state);
    const more = {
      total_token_usage: statedCounts(30, 5),
      last_token_usage: statedCounts(20, 4, { total_tokens: 999 }),
    };
    // All parts equal the growth; `total_tokens` of the last response only measures the context window.
    expect(usageOfCount(more, state)).toMatchObject({ verdict: "counted", input_tokens: 20, output_tokens: 4 });
    const missed = { total_token_usage: statedCounts(90, 9), last_token_usage: statedCounts(20, 2) };
    expect(usageOfCount(missed, state)).toMatchObject({ verdict: "counted", input_tokens: 60, output_tokens: 4 });
    const repeated = { total_token_usage: statedCounts(90, 9) };
    expect(usageOfCount(repeated, state)).toMatchObject({ verdict: "duplicate", input_tokens: 0, output_tokens: 0 });
  });

  it("is an estimate if only total_tokens changed", () => {
    const state = fresh();
    usageOfCount({ total_token_usage: statedCounts(10, 1) }, state);
    const estimated = { total_token_usage: statedCounts(10, 1, { total_tokens: 500 }) };
    expect(usageOfCount(estimated, state)).toMatchObject({ verdict: "estimate", input_tokens: 489, output_tokens: 0 });
    const zeroLast = {
      total_token_usage: statedCounts(10, 1, { total_tokens: 600 }),
      last_token_usage: statedCounts(0, 0),
    };
    expect(usageOfCount(zeroLast, state)).toMatchObject({ verdict: "duplicate", input_tokens: 0 });
    const zero = { total_token_usage: statedCounts(10, 1, { total_tokens: 500, reasoning_output_tokens: 3 }) };
    expect(usageOfCount(zero, state)).toMatchObject({ verdict: "duplicate", input_tokens: 0 });
    const same = { total_token_usage: statedCounts(10, 1, { total_tokens: 500, reasoning_output_tokens: 3 }) };
    const nothing = statedCounts(0, 0);
    expect(usageOfCount({ ...same, last_token_usage: nothing }, state)).toMatchObject({ verdict: "duplicate" });
    expect(usageOfCount({ last_token_usage: nothing }, fresh())).toMatchObject({ verdict: "duplicate" });
  });

  it("starts a new counter with new ids when the total restarts", () => {
    const state = fresh();
    usageOfCount({ total_token_usage: statedCounts(100, 10), last_token_usage: statedCounts(40, 4) }, state);
    expect(totalOf(state)).toEqual({
      type: "usage_total",
      counter: "0",
      includes_children: false,
      exact: false,
      models: [{ model: null, input_tokens: 100, output_tokens: 10, ...NONE }],
      inherited: { input_tokens: 60, output_tokens: 6, ...NONE },
    });
    const over = usageOfCount({ total_token_usage: statedCounts(7, 1), last_token_usage: statedCounts(7, 1) }, state);
    expect(over).toMatchObject({ verdict: "counted", response_id: "S#1:7/0/0/1/0/8" });
    expect(totalOf(state)).toMatchObject({ counter: "1" });
    expect(totalOf(state)).not.toHaveProperty("inherited");
    // A total that equals its last response began with it, although no number fell.
    const again = usageOfCount(
      { total_token_usage: statedCounts(50, 5), last_token_usage: statedCounts(50, 5) },
      state,
    );
    expect(again).toMatchObject({ verdict: "counted", input_tokens: 50, response_id: "S#2:50/0/0/5/0/55" });
  });

  it("restarts if one kind of token falls, but not if only total_tokens falls", () => {
    const state = fresh();
    usageOfCount({ total_token_usage: statedCounts(100, 10, { reasoning_output_tokens: 5 }) }, state);
    const fell = {
      total_token_usage: statedCounts(100, 12, { reasoning_output_tokens: 4 }),
      last_token_usage: statedCounts(3, 2),
    };
    expect(usageOfCount(fell, state)).toMatchObject({ verdict: "counted", input_tokens: 3, output_tokens: 2 });
    const next = { total_token_usage: statedCounts(104, 13, { reasoning_output_tokens: 4, total_tokens: 1 }) };
    expect(usageOfCount(next, state)).toMatchObject({ verdict: "counted", input_tokens: 4, output_tokens: 1 });
  });

  it("is a duplicate when repeated, also after a reset before the first count", () => {
    const state = fresh();
    const both = { total_token_usage: statedCounts(10, 1), last_token_usage: statedCounts(10, 1) };
    expect(usageOfCount(null, state)).toBeNull();
    expect(usageOfCount(both, state)?.verdict).toBe("counted");
    expect(usageOfCount(both, state)?.verdict).toBe("duplicate");
    expect(totalOf(state)?.counter).toBe("0");
  });

  it("makes all totals so far inherited after markTotalsInherited", () => {
    const state = fresh();
    expect(totalOf(state)).toBeNull();
    usageOfCount({ total_token_usage: statedCounts(100, 10), last_token_usage: statedCounts(100, 10) }, state);
    markTotalsInherited(state);
    expect(totalOf(state)?.inherited).toMatchObject({ input_tokens: 100, output_tokens: 10 });
  });
});

describe("a usage record", () => {
  const record = (id: string | null, total: object | null, more: object = {}): Parameters<typeof usageOfRecord>[0] => ({
    ...(id === null ? {} : { response_id: id }),
    usage: statedCounts(10, 1),
    ...(total && { thread_token_usage: total }),
    ...more,
  });

  it("is identified by its response id, and also by turn and total if that id is short", () => {
    expect(usageOfRecord(record(LONG_ID, null), fresh()).response_id).toBe(LONG_ID);
    expect(usageOfRecord(record("7", null), fresh()).response_id).toBe("7@S:10/0/0/1/0/11");
    expect(usageOfRecord(record("7", statedCounts(90, 9), { turn_id: "t" }), fresh())).toMatchObject({
      response_id: "7@t:90/0/0/9/0/99",
      native_turn_id: "t",
      verdict: "counted",
    });
    expect(usageOfRecord(record(null, statedCounts(90, 9)), fresh()).response_id).toBe("S:90/0/0/9/0/99");
    expect(usageOfRecord(record(LONG_ID, null), fresh())).not.toHaveProperty("native_turn_id");
  });

  it("makes token counts duplicates, and starts a new counter when the total falls", () => {
    const state = fresh();
    usageOfRecord(record(LONG_ID, statedCounts(10, 1)), state);
    expect(totalOf(state)).toMatchObject({ counter: "0", exact: true });
    const count = { total_token_usage: statedCounts(500, 50), last_token_usage: statedCounts(10, 1) };
    expect(usageOfCount(count, state)).toMatchObject({ verdict: "duplicate", input_tokens: 10 });
    usageOfRecord(record(LONG_ID, statedCounts(20, 2)), state);
    expect(totalOf(state)?.counter).toBe("0");
    usageOfRecord(record(LONG_ID, statedCounts(15, 2)), state);
    expect(totalOf(state)).toMatchObject({ counter: "1", inherited: { input_tokens: 5, output_tokens: 1 } });
  });

  it("starts a counter at the first total, whatever was recorded before", () => {
    const state = fresh();
    usageOfRecord(record(LONG_ID, null), state);
    expect(totalOf(state)).toBeNull();
    usageOfRecord(record(LONG_ID, statedCounts(40, 4)), state);
    expect(totalOf(state)).toMatchObject({ counter: "0", inherited: { input_tokens: 30, output_tokens: 3 } });
  });

  it("clears a pending reset of the counter", () => {
    const state = fresh();
    usageOfCount({ total_token_usage: statedCounts(10, 1), last_token_usage: statedCounts(10, 1) }, state);
    usageOfCount(null, state);
    usageOfRecord(record(LONG_ID, statedCounts(20, 2)), state);
    expect(state.totalsReset).toBe(false);
    expect(totalOf(state)?.counter).toBe("1");
  });
});

describe("the quick token count", () => {
  const root = mkdtempSync(join(tmpdir(), "codex-quick-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const TIME = "2026-05-12T08:00:00.000Z";
  const line = (type: string, payload: object): string => JSON.stringify({ timestamp: TIME, type, payload });
  const count = (input: number, output: number, last = [input, output]): string =>
    line("event_msg", {
      type: "token_count",
      info: {
        total_token_usage: statedCounts(input, output),
        last_token_usage: statedCounts(last[0] ?? 0, last[1] ?? 0),
      },
      rate_limits: { primary: { used_percent: 3 } },
    });
  const meta = (more: object = {}): string => line("session_meta", { id: "own", ...more });
  let fileCount = 0;

  function quick(lines: readonly string[], container: SourceRef["container"] = "jsonl"): unknown {
    const path = join(root, `rollout-${fileCount++}.jsonl`);
    writeFileSync(path, `${lines.join("\n")}\n`);
    const statements: unknown[] = [];
    const id = quickUsage({ source: "codex", path, size: 0, mtimeMs: 0, container }, {}, (usage, time) =>
      statements.push([usage.model, usage.input_tokens, usage.output_tokens, time]),
    );
    return id === null ? null : [id, ...statements];
  }
  const at = Date.parse(TIME);

  it("reports each count once, with the model in use at that time", () => {
    const context = line("turn_context", { model: "m1" });
    const applied = line("event_msg", { type: "thread_settings_applied", thread_settings: { model: "m2" } });
    const record = line("token_usage_record", { response_id: LONG_ID, usage: statedCounts(5, 1) });
    const statements = [meta(), context, count(10, 1), count(10, 1), applied, count(30, 3, [20, 2]), record];
    expect(quick(statements)).toEqual(["own", ["m1", 10, 1, at], ["m2", 20, 2, at], ["m2", 5, 1, at]]);
    expect(quick([meta(), line("turn_context", {}), count(10, 1)])).toEqual(["own", [null, 10, 1, at]]);
    expect(quick([count(10, 1)])).toEqual([`rollout-${fileCount - 1}`, [null, 10, 1, at]]);
  });

  it("ignores other records", () => {
    const once = ["own", [null, 10, 1, at]];
    const other = line("event_msg", { type: "other", thread_settings: { model: "m9" } });
    const empty = line("event_msg", { type: "thread_settings_applied" });
    expect(quick([meta(), other, empty, count(10, 1), empty, count(10, 1)])).toEqual(once);
    expect(quick([meta(), line("session_meta", {}), line("world_state", {}), count(10, 1)])).toEqual(once);
    const limits = line("event_msg", { type: "token_count", info: null, rate_limits: {} });
    expect(quick([meta(), limits, JSON.stringify({ type: "session_meta" }), count(10, 1)])).toEqual(once);
    expect(quick([line("session_meta", {}), count(10, 1)])).toEqual([`rollout-${fileCount - 1}`, [null, 10, 1, at]]);
  });

  it("leaves no file open", () => {
    // Open files can be counted only where the system has /dev/fd; elsewhere nothing is checked.
    const handles = (): number => (existsSync("/dev/fd") ? readdirSync("/dev/fd").length : 0);
    const before = handles();
    for (let i = 0; i < 50; i++) quick([meta({ forked_from_id: "other" })]);
    expect(handles()).toBeLessThan(before + 25);
  });

  it("declines files that may repeat another session, and compressed files", () => {
    expect(quick([meta({ forked_from_id: "other" }), count(10, 1)])).toBeNull();
    expect(quick([meta({ subagent_history_start_ordinal: 3 }), count(10, 1)])).toBeNull();
    expect(quick([meta(), meta({ id: "other" }), count(10, 1)])).toBeNull();
    expect(quick([meta(), meta(), count(10, 1)])).toEqual(["own", [null, 10, 1, at]]);
    const imported = line("response_item", { type: "message", text: "<EXTERNAL SESSION IMPORTED>" });
    expect(quick([meta(), imported, count(10, 1)])).toBeNull();
    expect(quick([meta(), count(10, 1)], "jsonl.zst")).toBeNull();
  });

  it("skips malformed lines, and reads counts whose fields are in another order", () => {
    const early = JSON.stringify({
      timestamp: TIME,
      type: "event_msg",
      payload: { type: "token_count", rate_limits: {}, info: { last_token_usage: statedCounts(4, 1) } },
    });
    // A truncated record with the next record on the same line.
    const torn = `${count(10, 1).slice(0, -20)}${count(10, 1)}`;
    expect(quick([meta(), "{", "[1]", "", torn, early])).toEqual(["own", [null, 4, 1, at]]);
    expect(quick([meta(), line("response_item", { type: "message", role: "user" }), count(10, 1)])).toEqual([
      "own",
      [null, 10, 1, at],
    ]);
  });
});
