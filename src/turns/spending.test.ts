import { describe, expect, it } from "vitest";
import type { RecordBody } from "../record/record.ts";
import { ask, build, say, spent, unplaced, type UnplacedEntry } from "./testing.ts";

describe("usage", () => {
  const usage = (story: readonly UnplacedEntry[]): unknown[] =>
    build(story).usage.map(({ response_id: id, turn, line, time, model, output_tokens: out }) => [
      id,
      turn,
      line,
      time,
      model,
      out,
    ]);
  const use = (id: string, out: number, more: Partial<UnplacedEntry> = {}, body: object = {}): UnplacedEntry =>
    unplaced("reaction", [spent(id, { output_tokens: out }, body)], more);

  it("belongs to the turn it was recorded in, with its own or the previous time", () => {
    expect(usage([use("0", 1), ask("a", { time: 5 }), use("1", 2), use("2", 3, { time: 8 })])).toEqual([
      ["0", null, 1, null, "m", 1],
      ["1", 0, 3, 5, "m", 2],
      ["2", 0, 4, 8, "m", 3],
    ]);
  });

  it("without a time gets the latest time before it, also of copied but not of corrupt records", () => {
    const copied = unplaced("inherited", [], { time: 50 });
    const times = (story: readonly UnplacedEntry[]): unknown[] => build(story).usage.map(({ time }) => time);
    expect(times([copied, ask("a", { time: 40 }), use("1", 1)])).toEqual([50]);
    expect(times([ask("a", { time: 40 }), say("x", { time: 60 }), say("y", { time: 55 }), use("1", 1)])).toEqual([60]);
    expect(times([unplaced("corrupt", [], { time: 50 }), use("1", 1)])).toEqual([null]);
    expect(times([ask("a", { time: 0 }), use("1", 1)])).toEqual([0]);
  });

  it("recorded early belongs to the turn of the next prompt, unless work continues first", () => {
    const owners = (story: readonly UnplacedEntry[]): string[] =>
      build(story).usage.map((one) => `${one.response_id} ${one.turn}`);
    const early = unplaced("early", [spent("e", { output_tokens: 1 })]);
    const repeated = unplaced("early", [spent("d", { output_tokens: 1 }, { verdict: "duplicate" })]);
    const early2 = unplaced("early", [spent("f", { output_tokens: 2 })]);
    expect(owners([ask("a"), early, early2, ask("b")])).toEqual(["e 1", "f 1"]);
    expect(owners([ask("a"), early, say("goes on"), ask("b")])).toEqual(["e 0"]);
    expect(owners([early])).toEqual(["e null"]);
    expect(owners([early, unplaced("unknown", []), ask("b")])).toEqual(["e 0"]);
    expect(owners([unplaced("early", [spent("\0", { output_tokens: 1 })]), ask("b")])).toEqual(["\uFFFD 0"]);
    expect(owners([use("d", 4), repeated, ask("b")])).toEqual(["d null"]);
    expect(owners([ask("a"), use("e", 1), early, ask("b")])).toEqual(["e 0"]);
    expect(build([ask("a"), early, ask("b")]).records).toMatchObject({ owned_by_turns: 3, setup: 0, session_level: 0 });
    expect(build([ask("a"), early]).records).toMatchObject({ owned_by_turns: 1, setup: 0, session_level: 1 });
  });

  it("adds up to all tokens read, divided by verdict", () => {
    const { tokens } = build([
      ask("a"),
      use("1", 5),
      use("1", 7),
      use("2", 20, {}, { verdict: "duplicate" }),
      use("3", 300, {}, { verdict: "estimate" }),
      use("4", 4000, {}, { verdict: "inherited" }),
    ]);
    expect(tokens).toEqual({ tokens_read: 4332, counted: 7, duplicates: 25, estimates: 300, inherited: 4000 });
  });

  it("lists the models of the session, each once", () => {
    expect(
      build([
        use("1", 1, {}, { model: "b" }),
        use("2", 1, {}, { model: "a" }),
        use("3", 1, {}, { model: "b" }),
        use("4", 1, {}, { model: null }),
      ]).meta.models,
    ).toEqual(["b", "a"]);
  });

  it("is compared with the agent's stated total as counted at that point", () => {
    const total = (counter: string, tokens: number, more: object = {}): RecordBody => ({
      type: "usage_total",
      counter,
      includes_children: false,
      exact: true,
      models: [{ ...spent("", { output_tokens: tokens }), model: null }],
      ...more,
    });
    const state = (...bodies: RecordBody[]): UnplacedEntry => unplaced("session", bodies);
    expect(build([ask("a")]).stated).toBeNull();
    expect(build([use("1", 7), state(total("x", 5)), use("2", 1), state(total("x", 9)), use("3", 1)]).stated).toEqual({
      tokens: 9,
      line: 4,
      counted: 8,
      includes_children: false,
      exact: true,
    });
    const both = build([
      use("1", 7),
      state(total("x", 5, { exact: false })),
      state(total("y", 3, { includes_children: true })),
    ]);
    expect(both.stated).toMatchObject({ tokens: 8, line: 3, includes_children: true, exact: false });
    expect(build([state(total("x", 9, { inherited: spent("", { input_tokens: 4 }) }))]).stated?.tokens).toBe(5);
    expect(build([unplaced("inherited", [total("x", 6)]), state(total("x", 9))]).stated?.tokens).toBe(3);
  });

  it("is stored per stated total if that may include unrecorded usage, with the times around it", () => {
    const stated = (output: number): UnplacedEntry =>
      unplaced("session", [
        {
          type: "usage_total",
          counter: "x",
          includes_children: false,
          exact: false,
          unwritten: "toy",
          models: [{ ...spent("", { output_tokens: output }), model: "m" }],
        },
      ]);
    const compacted = (time: number): UnplacedEntry =>
      unplaced("reaction", [{ type: "compacted", trigger: "auto" }], { time });
    const { statements } = build([
      ask("a", { time: 20 }),
      use("1", 5, { time: 30 }),
      use("2", 3, { time: 31 }, { cut: true }),
      stated(20),
      compacted(41),
      use("3", 2, { time: 42 }),
      compacted(43),
      stated(30),
    ]);
    const sums = (list: readonly { output_tokens: number }[]): number[] => list.map((one) => one.output_tokens);
    expect(
      statements.map(({ line, time, next, written, cut }) => [line, time, next, sums(written), sums(cut)]),
    ).toEqual([
      [4, 31, 41, [5], [3]],
      [8, 43, null, [2], []],
    ]);
  });
});
