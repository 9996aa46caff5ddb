import { describe, expect, it } from "vitest";
import type { RecordBody } from "../format/record.ts";
import { ask, build, say, spent, told, type Told } from "./testing.ts";

describe("what was spent", () => {
  const usage = (story: readonly Told[]): unknown[] =>
    build(story).usage.map(({ response_id: id, turn, line, time, model, output_tokens: out }) => [
      id,
      turn,
      line,
      time,
      model,
      out,
    ]);
  const use = (id: string, out: number, more: Partial<Told> = {}, body: object = {}): Told =>
    told("reaction", [spent(id, { output_tokens: out }, body)], more);

  it("belongs to the turn it was spent in, at its time or no later than what stands before it", () => {
    expect(usage([use("0", 1), ask("a", { time: 5 }), use("1", 2), use("2", 3, { time: 8 })])).toEqual([
      ["0", null, 1, null, "m", 1],
      ["1", 0, 3, 5, "m", 2],
      ["2", 0, 4, 8, "m", 3],
    ]);
  });

  it("belongs to the prompt that follows where it was spent for it", () => {
    const owners = (story: readonly Told[]): string[] =>
      build(story).usage.map((one) => `${one.response_id} ${one.turn}`);
    const early = told("early", [spent("e", { output_tokens: 1 })]);
    const repeated = told("early", [spent("d", { output_tokens: 1 }, { verdict: "duplicate" })]);
    const early2 = told("early", [spent("f", { output_tokens: 2 })]);
    expect(owners([ask("a"), early, early2, ask("b")])).toEqual(["e 1", "f 1"]);
    expect(owners([ask("a"), early, say("goes on"), ask("b")])).toEqual(["e 0"]);
    expect(owners([early])).toEqual(["e null"]);
    expect(owners([use("d", 4), repeated, ask("b")])).toEqual(["d null"]);
    expect(owners([ask("a"), use("e", 1), early, ask("b")])).toEqual(["e 0"]);
    expect(build([ask("a"), early, ask("b")]).records).toMatchObject({ owned_by_turns: 3, setup: 0, session_level: 0 });
    expect(build([ask("a"), early]).records).toMatchObject({ owned_by_turns: 1, setup: 0, session_level: 1 });
  });

  it("names the models of the session, each once", () => {
    expect(
      build([
        use("1", 1, {}, { model: "b" }),
        use("2", 1, {}, { model: "a" }),
        use("3", 1, {}, { model: "b" }),
        use("4", 1, {}, { model: null }),
      ]).meta.models,
    ).toEqual(["b", "a"]);
  });

  it("is compared with what was counted when the agent stated its total", () => {
    const total = (counter: string, tokens: number, more: object = {}): RecordBody => ({
      ...{ type: "usage_total", counter, includes_children: false, exact: true },
      models: [{ ...spent("", { output_tokens: tokens }), model: null }],
      ...more,
    });
    const state = (...bodies: RecordBody[]): Told => told("session", bodies);
    expect(build([ask("a")]).stated).toBeNull();
    expect(build([use("1", 7), state(total("x", 5)), use("2", 1), state(total("x", 9)), use("3", 1)]).stated).toEqual({
      ...{ tokens: 9, line: 4, counted: 8, includes_children: false, exact: true },
    });
    const both = build([
      use("1", 7),
      state(total("x", 5, { exact: false })),
      state(total("y", 3, { includes_children: true })),
    ]);
    expect(both.stated).toMatchObject({ tokens: 8, line: 3, includes_children: true, exact: false });
    expect(build([state(total("x", 9, { inherited: spent("", { input_tokens: 4 }) }))]).stated?.tokens).toBe(5);
  });
});
