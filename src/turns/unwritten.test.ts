import { describe, expect, it } from "vitest";
import type { ModelTokens } from "../record/record.ts";
import { noTokens } from "../record/tokens.ts";
import type { Statement, UsageEvent } from "./model.ts";
import { findUnwritten, type UnwrittenUsage, type UnwrittenInput } from "./unwritten.ts";

const output = (n: number, model = "m"): ModelTokens => ({ ...noTokens(), model, output_tokens: n });
const response = (time: number | null, n: number): UsageEvent => ({
  response_id: `r${time}`,
  time,
  line: 0,
  turn: null,
  ...output(n),
});

function stated(total: number, more: Partial<Statement> = {}): Statement {
  return {
    counter: "c",
    includes_children: true,
    reason: "toy",
    since: 0,
    elapsed: null,
    line: 1,
    time: 10,
    next: null,
    total: [output(total)],
    written: [],
    cut: [],
    ...more,
  };
}

function unwrittenIn(
  statements: Statement[],
  more: Partial<UnwrittenInput> = {},
): UnwrittenUsage & { spent: [number | null, number][] } {
  const found = findUnwritten({ session_id: "s", statements, children: [], baseOf: () => [], ...more });
  return { ...found, spent: found.events.map((event) => [event.time, event.output_tokens]) };
}

describe("usage that a total includes without a record", () => {
  it("has the time of the first total that includes it", () => {
    const two = [stated(5, { time: 10, next: 20 }), stated(9, { line: 2, time: 30, written: [output(1)] })];
    expect(unwrittenIn(two)).toMatchObject({
      spent: [
        [10, 5],
        [30, 3],
      ],
      stated: 9,
      difference: 0,
    });
    // What a child spent after the first total is included only in the second.
    expect(unwrittenIn(two, { children: [response(25, 3)] }).spent).toEqual([[10, 5]]);
    expect(unwrittenIn(two, { children: [response(15, 3)] }).spent).toEqual([
      [10, 2],
      [30, 3],
    ]);
    // Without a time it is unknown which total includes it: less is counted rather than more.
    expect(unwrittenIn(two, { children: [response(null, 3)] }).spent).toEqual([
      [10, 2],
      [30, 3],
    ]);
  });

  it("excludes what children spent during the same counter, if the total includes children", () => {
    const two = [
      stated(5, { since: 100, time: 110, next: 210 }),
      stated(4, { counter: "d", since: 200, time: 220, line: 2 }),
    ];
    expect(unwrittenIn(two, { children: [response(50, 1), response(150, 2), response(205, 3)] }).spent).toEqual([
      [110, 3],
      [220, 1],
    ]);
    const alone = stated(5, { includes_children: false });
    expect(unwrittenIn([alone], { children: [response(5, 3)] }).spent).toEqual([[10, 5]]);
  });

  it("counts once if a copy of the file repeats the total", () => {
    const again = [
      stated(3),
      stated(5, { line: 2 }),
      stated(3, { line: 1 }),
      stated(5, { line: 2 }),
      stated(6, { line: 3 }),
    ];
    expect(unwrittenIn(again)).toMatchObject({
      spent: [
        [10, 3],
        [10, 2],
        [10, 1],
      ],
      stated: 6,
      difference: 0,
    });
  });

  it("is computed from the largest total, not from the last", () => {
    expect(unwrittenIn([stated(5), stated(3, { line: 2 })])).toMatchObject({ stated: 5, difference: 0 });
  });

  it("is not reduced by responses cut off in a child, unless these explain it exactly", () => {
    const children = [response(5, 2), { ...response(6, 4), cut: true as const }];
    expect(unwrittenIn([stated(5)], { children })).toMatchObject({ spent: [[10, 3]], difference: 0 });
    expect(unwrittenIn([stated(6)], { children })).toMatchObject({ spent: [], difference: 0 });
  });

  it("starts from the origin's total, and is none if that is unknown", () => {
    const one = [stated(9, { written: [output(2)] })];
    expect(unwrittenIn(one, { baseOf: () => [output(4)] })).toMatchObject({
      spent: [[10, 3]],
      stated: 5,
      difference: 0,
    });
    expect(unwrittenIn(one, { baseOf: () => null })).toMatchObject({ spent: [], stated: 0, difference: 0 });
  });

  it("never has more reasoning than output tokens, nor more one-hour cache writes than cache writes", () => {
    const total = [{ ...output(5), reasoning_tokens: 5, cache_write_tokens: 2, cache_write_1h_tokens: 2 }];
    const written = [{ ...output(4), cache_write_tokens: 2 }];
    expect(unwrittenIn([stated(0, { total, written })]).events).toMatchObject([
      { output_tokens: 1, reasoning_tokens: 1, cache_write_tokens: 0, cache_write_1h_tokens: 0 },
    ]);
  });
});

describe("model names in a total", () => {
  const left = (total: ModelTokens[], written: ModelTokens[]): [string | null, number][] =>
    unwrittenIn([stated(0, { total, written })]).events.map(({ model, output_tokens }) => [model, output_tokens]);

  it("are matched with those of responses, ignoring a suffix such as [1m]", () => {
    expect(left([output(10, "a[1m]"), output(7, "b")], [output(4, "a"), output(7, "b[fast]")])).toEqual([["a", 6]]);
    expect(left([output(10, "a[1]x")], [output(4, "a[1]x")])).toEqual([["a[1]x", 6]]);
    // A model without usage does not count as another model.
    expect(left([output(10, "a")], [output(4, "a"), output(0, "z")])).toEqual([["a", 6]]);
  });

  it("are ignored if a response names another model: only sums are compared", () => {
    expect(left([output(10, "a")], [output(4, "z")])).toEqual([["a", 6]]);
    expect(left([output(10, "a")], [output(1, "a"), output(4, "z")])).toEqual([["a", 5]]);
    expect(left([output(10, "a"), output(5, "b")], [output(4, "z"), output(1, "b")])).toEqual([[null, 10]]);
    expect(left([output(10, "a")], [{ ...output(4), model: null }])).toEqual([["a", 6]]);
    const child = { ...response(3, 4), model: "z" };
    expect(unwrittenIn([stated(0, { total: [output(10, "a")] })], { children: [child] }).spent).toEqual([[10, 6]]);
  });
});

describe("totals of processes that ran at the same time", () => {
  const first = stated(20, { counter: "a", since: 0, time: 50, line: 1, written: [output(18)], earlier: [output(12)] });
  const second = stated(11, { counter: "b", since: 40, time: 60, line: 2 });

  it("are added up before records are subtracted, including those from before the later process", () => {
    expect(unwrittenIn([first, second])).toMatchObject({ spent: [[60, 1]], stated: 31, difference: 0 });
    const third = stated(22, { counter: "a", since: 0, time: 70, line: 3 });
    expect(unwrittenIn([first, second, third]).spent).toEqual([
      [60, 1],
      [70, 2],
    ]);
  });

  it("are kept apart if one ended before the other began", () => {
    const later = { ...second, since: 50 };
    expect(unwrittenIn([first, later])).toMatchObject({
      spent: [
        [50, 2],
        [60, 11],
      ],
      stated: 31,
    });
  });

  it("do not count for a process whose share of an older total is unknown", () => {
    const found = unwrittenIn([first, second], { baseOf: ({ counter }) => (counter === "a" ? null : []) });
    expect(found).toMatchObject({ spent: [], stated: 11 });
  });
});

describe("usage of a child", () => {
  it("is subtracted from a total if spent between the start of its counter and of the next one", () => {
    const spent = (time: number | null): number => {
      const own = [stated(9, { since: 5, time: 20 }), stated(0, { counter: "d", since: 30, time: 40 })];
      return unwrittenIn(own, { children: [response(time, 4)] }).spent[0]?.[1] ?? 0;
    };
    expect([4, 5, 29, 30, null].map(spent)).toEqual([9, 5, 5, 9, 5]);
    const early = [stated(9, { since: null, time: 20 })];
    expect(unwrittenIn(early, { children: [response(1, 4)] }).spent).toEqual([[20, 5]]);
  });
});
