import { describe, expect, it } from "vitest";
import { initialState } from "./state.ts";
import { totalOf, usageOfCount, usageOfRecord } from "./usage.ts";

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
