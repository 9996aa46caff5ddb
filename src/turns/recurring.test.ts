import { describe, expect, it } from "vitest";
import type { TriggerEntry } from "../format/record.ts";
import { recurring, wordsOf, type Asking } from "./recurring.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const T0 = Date.UTC(2026, 8, 7, 5, 30);

const at = (time: number | null, entry: TriggerEntry = "headless", n = 0): Asking => ({
  ...{ session: `codex/${time}-${n}`, ref: "T0001", time, entry, cwd: "/w" },
});
const rules = (asked: readonly Asking[]): (string | null)[] => {
  const found = recurring(asked);
  return asked.map((one) => found.get(one) ?? null);
};
const all = (n: number, rule: string | null): (string | null)[] => Array.from({ length: n }, () => rule);

describe("prompts asked by the clock", () => {
  it("are those asked without a terminal at the same time on three days", () => {
    const days = [0, 1, 2, 7].map((day, i) => at(T0 + day * DAY + i * MINUTE));
    expect(rules(days)).toEqual(all(4, "recurring.daily"));
    expect(rules(days.toReversed())).toEqual(all(4, "recurring.daily"));
    expect(rules(days.slice(2))).toEqual([null, null]);
    // One that was run by hand at another time is not of them.
    expect(rules([...days, at(T0 + DAY + 4 * HOUR)])).toEqual([...all(4, "recurring.daily"), null]);
  });

  it("may be asked around midnight", () => {
    const midnight = Date.UTC(2026, 8, 7);
    expect(rules([at(midnight - MINUTE), at(midnight + DAY), at(midnight + 2 * DAY + 2 * MINUTE)])).toEqual(
      all(3, "recurring.daily"),
    );
  });

  it("are not a person's morning at the terminal, nor tries within a day", () => {
    expect(rules([0, 1, 2].map((day) => at(T0 + day * DAY, "interactive")))).toEqual(all(3, null));
    expect(rules([0, 1, 2].map((day) => at(T0 + day * DAY, "unknown")))).toEqual(all(3, null));
    expect(rules([0, 1, 2].map((n) => at(T0 + n * MINUTE)))).toEqual(all(3, null));
    expect(rules([0, 1, 2].map((day) => at(T0 + day * (DAY + HOUR))))).toEqual(all(3, null));
  });

  it("are those asked five times with the same pause, whoever drives", () => {
    const loop = [0, 1, 2, 3, 4].map((n) => at(T0 + n * 5 * MINUTE + (n % 2) * 4000, "interactive"));
    expect(rules(loop)).toEqual(all(5, "recurring.interval"));
    expect(rules(loop.slice(1))).toEqual(all(4, null));
    expect(rules([...loop, at(T0 + HOUR, "interactive")])).toEqual([...all(5, "recurring.interval"), null]);
  });

  it("are not what is asked again whenever it is needed", () => {
    const now_and_then = [0, 3, 4, 9, 11, 20].map((n) => at(T0 + n * MINUTE, "interactive"));
    expect(rules(now_and_then)).toEqual(all(6, null));
    // Every morning at the terminal, five days in a row.
    expect(rules([0, 1, 2, 3, 4].map((n) => at(T0 + n * DAY, "interactive")))).toEqual(all(5, null));
    // Faster than anybody could answer: a test or a paste.
    expect(rules([0, 1, 2, 3, 4, 5].map((n) => at(T0 + n * 1000)))).toEqual(all(6, null));
  });

  it("are those asked without a terminal eight times in two hours, in one place", () => {
    const times = [0, 9, 11, 30, 32, 60, 71, 90].map((n) => T0 + n * MINUTE);
    expect(rules(times.map((time) => at(time)))).toEqual(all(8, "recurring.often"));
    expect(rules(times.map((time) => at(time, "sdk")))).toEqual(all(8, "recurring.often"));
    expect(rules(times.map((time) => at(time, "interactive")))).toEqual(all(8, null));
    expect(rules(times.map((time, i) => ({ ...at(time), cwd: `/w${i % 2}` })))).toEqual(all(8, null));
    expect(rules(times.map((time) => at(T0 + 2 * (time - T0))))).toEqual(all(8, null));
  });

  it("have a time", () => {
    expect(rules([at(null, "headless", 1), at(null, "headless", 2), at(null, "headless", 3)])).toEqual(all(3, null));
  });
});

describe("the same words", () => {
  it("may have other numbers and blanks", () => {
    expect(wordsOf("Report for 2026-09-07:\n12 open issues")).toBe(wordsOf("Report for 2026-10-11: 3 open  issues"));
    expect(wordsOf("Report for May")).not.toBe(wordsOf("Report for June"));
  });

  it("are more than a word or two", () => {
    expect(wordsOf("continue")).toBeNull();
    expect(wordsOf("yes, go on")).toBeNull();
    expect(wordsOf("Check all repositories")).not.toBeNull();
  });
});
