import { describe, expect, it } from "vitest";
import type { SessionMetaBody, TriggerEntry, UserBody } from "../record/record.ts";
import { comparablePrompts, markRecurring, findRecurring, normalisedText, type PromptOccurrence } from "./recurring.ts";
import { ask, header, sessionsOf, type File, type UnplacedEntry } from "./testing.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const T0 = Date.UTC(2026, 8, 7, 5, 30);

const at = (time: number | null, entry: TriggerEntry = "headless", n = 0): PromptOccurrence => ({
  session: `codex/${time}-${n}`,
  ref: "T0001",
  time,
  entry,
  cwd: "/w",
});
const rules = (prompts: readonly PromptOccurrence[]): (string | null)[] => {
  const found = findRecurring(prompts);
  expect([...found.keys()].filter((one) => !prompts.includes(one))).toEqual([]);
  return prompts.map((one) => found.get(one) ?? null);
};
const all = (n: number, rule: string | null): (string | null)[] => Array.from({ length: n }, () => rule);

describe("recurring prompts", () => {
  it("are headless prompts sent at the same time of day on three days", () => {
    const days = [0, 1, 2, 7].map((day, i) => at(T0 + day * DAY + i * MINUTE));
    expect(rules(days)).toEqual(all(4, "recurring.daily"));
    expect(rules(days.toReversed())).toEqual(all(4, "recurring.daily"));
    expect(rules(days.slice(2))).toEqual([null, null]);
    // A prompt sent by hand at another time is not included.
    expect(rules([...days, at(T0 + DAY + 4 * HOUR)])).toEqual([...all(4, "recurring.daily"), null]);
  });

  it("are recognised around midnight", () => {
    const midnight = Date.UTC(2026, 8, 7);
    expect(rules([at(midnight - MINUTE), at(midnight + DAY), at(midnight + 2 * DAY + 2 * MINUTE)])).toEqual(
      all(3, "recurring.daily"),
    );
    expect(rules([at(midnight - 10 * MINUTE), at(midnight + DAY), at(midnight + 2 * DAY)])).toEqual(
      all(3, "recurring.daily"),
    );
    // Twice around one midnight counts as one day.
    expect(rules([at(midnight - MINUTE), at(midnight + MINUTE), at(midnight + DAY)])).toEqual(all(3, null));
  });

  it("may differ by up to ten minutes in time of day", () => {
    const late = (minutes: number): (string | null)[] =>
      rules([at(T0), at(T0 + DAY + 5 * MINUTE), at(T0 + 2 * DAY + minutes * MINUTE)]);
    expect(late(10)).toEqual(all(3, "recurring.daily"));
    expect(late(11)).toEqual(all(3, null));
  });

  it("are not interactive prompts at the same time of day, nor repeats within one day", () => {
    expect(rules([0, 1, 2].map((day) => at(T0 + day * DAY, "interactive")))).toEqual(all(3, null));
    expect(rules([0, 1, 2].map((day) => at(T0 + day * DAY, "unknown")))).toEqual(all(3, null));
    expect(rules([0, 1, 2].map((n) => at(T0 + n * MINUTE)))).toEqual(all(3, null));
    expect(rules([0, 1, 2].map((day) => at(T0 + day * (DAY + HOUR))))).toEqual(all(3, null));
  });

  it("are prompts sent five times at equal intervals, even at a terminal", () => {
    const loop = [0, 1, 2, 3, 4].map((n) => at(T0 + n * 5 * MINUTE + (n % 2) * 4000, "interactive"));
    expect(rules(loop)).toEqual(all(5, "recurring.interval"));
    expect(rules(loop.slice(1))).toEqual(all(4, null));
    expect(rules([...loop, at(T0 + HOUR, "interactive")])).toEqual([...all(5, "recurring.interval"), null]);
  });

  it("have intervals of 20 seconds to 6 hours that are nearly equal", () => {
    /** Five prompts; one interval is longer than the others by this many seconds. */
    const loop = (pause: number, late: number): (string | null)[] =>
      rules([0, 1, 2, 3, 4].map((n) => at(T0 + (n * pause + (n === 4 ? late : 0)) * 1000, "interactive")));
    const [yes, no] = [all(5, "recurring.interval"), all(5, null)];
    const cases: [pause: number, late: number, expected: (string | null)[]][] = [
      [30, 10, yes],
      [30, 11, no],
      [120, 15, yes],
      [120, 16, no],
      [1800, 90, yes],
      [1800, 91, no],
      [7200, 120, yes],
      [7200, 121, no],
      // Shorter intervals are too fast for a loop, and intervals beyond six hours are covered by the daily rule.
      [20, 0, yes],
      [19, 0, no],
      [6 * 3600, 0, yes],
      [6 * 3600 + 1, 0, no],
    ];
    for (const [pause, late, expected] of cases)
      expect([pause, late, loop(pause, late)]).toEqual([pause, late, expected]);
  });

  it("do not depend on the order in which they are read", () => {
    const loop = [0, 1, 2, 3, 4].map((n) => at(T0 + n * 5 * MINUTE, "interactive"));
    expect(rules([3, 0, 4, 1, 2].flatMap((n) => loop[n] ?? []))).toEqual(all(5, "recurring.interval"));
    // Of two prompts at the same time one ends the run.
    const last = loop.slice(0, 4);
    const [one, two] = [0, 1].map((n) => at(T0 + 20 * MINUTE, "interactive", n)) as [
      PromptOccurrence,
      PromptOccurrence,
    ];
    const [third, fourth] = [
      { ...one, ref: "T0002" },
      { ...one, ref: "T0003" },
    ];
    const found = (...tied: PromptOccurrence[]): PromptOccurrence[] =>
      [...findRecurring([...last, ...tied]).keys()].slice(4);
    expect([found(one, two), found(two, one)]).toEqual([[one], [one]]);
    expect([found(third, fourth), found(fourth, third)]).toEqual([[third], [third]]);
    expect([found(fourth, two), found(two, fourth)]).toEqual([[fourth], [fourth]]);
    expect(rules([0, 1, 2, 3, 4].map((n) => at(T0, "headless", n)))).toEqual(all(5, null));
  });

  it("are not prompts at irregular times, daily at a terminal, or seconds apart", () => {
    const irregular = [0, 3, 4, 9, 11, 20].map((n) => at(T0 + n * MINUTE, "interactive"));
    expect(rules(irregular)).toEqual(all(6, null));
    // Every morning at the terminal, five days in a row.
    expect(rules([0, 1, 2, 3, 4].map((n) => at(T0 + n * DAY, "interactive")))).toEqual(all(5, null));
    // Faster than any agent could answer: a test or a paste.
    expect(rules([0, 1, 2, 3, 4, 5].map((n) => at(T0 + n * 1000)))).toEqual(all(6, null));
  });

  it("are non-interactive prompts sent eight times within two hours in one directory", () => {
    const times = [0, 9, 11, 30, 32, 60, 71, 90].map((n) => T0 + n * MINUTE);
    expect(rules(times.map((time) => at(time)))).toEqual(all(8, "recurring.often"));
    expect(rules(times.map((time) => at(time, "sdk")))).toEqual(all(8, "recurring.often"));
    expect(rules(times.map((time) => at(time, "interactive")))).toEqual(all(8, null));
    expect(rules(times.map((time, i) => ({ ...at(time), cwd: `/w${i % 2}` })))).toEqual(all(8, null));
    expect(rules(times.map((time) => at(T0 + 2 * (time - T0))))).toEqual(all(8, null));
    // Without a directory it is not known whether the prompts belong together.
    expect(rules(times.map((time) => ({ ...at(time), cwd: null })))).toEqual(all(8, null));
    expect(rules([...times, T0 + 9 * HOUR].map((time) => at(time)))).toEqual([...all(8, "recurring.often"), null]);
    const last = (time: number): (string | null)[] => rules([...times.slice(0, 7), T0 + time].map((each) => at(each)));
    expect(last(2 * HOUR)).toEqual(all(8, "recurring.often"));
    expect(last(2 * HOUR + 1)).toEqual(all(8, null));
  });

  it("are not prompts without a time", () => {
    expect(rules([at(null, "headless", 1), at(null, "headless", 2), at(null, "headless", 3)])).toEqual(all(3, null));
    const midnight = Date.UTC(2026, 8, 7);
    expect(rules([at(null), at(midnight), at(midnight + DAY)])).toEqual(all(3, null));
  });
});

describe("the normalised text of a prompt", () => {
  it("ignores differences in numbers, white space and the end of a long prompt", () => {
    expect(normalisedText("Report for 2026-09-07:\n12 open issues")).toBe(
      normalisedText("Report for 2026-10-11: 3 open  issues"),
    );
    expect(normalisedText("Report for May")).not.toBe(normalisedText("Report for June"));
    expect(normalisedText("Report on issue 12")).not.toBe(normalisedText("Report on issue"));
    expect(normalisedText("Report issues")).not.toBe(normalisedText("Reportissues"));
    expect(normalisedText("\nReport for May\n")).toBe("Report for May");
    // Only the beginning of a long prompt is compared.
    const long = "Report ".repeat(400);
    expect(normalisedText(`${long}today`)).toBe(normalisedText(`${long}again`));
  });

  it("is null for less than twelve characters", () => {
    expect(normalisedText("continue")).toBeNull();
    expect(normalisedText("yes, go on")).toBeNull();
    expect(normalisedText("Check all repositories")).not.toBeNull();
    expect(normalisedText("Check issues")).toBe("Check issues");
    expect(normalisedText("Check issue")).toBeNull();
  });
});

describe("recurring turns", () => {
  const file = (n: number, more: readonly UnplacedEntry[], meta: Partial<SessionMetaBody> = {}): File => ({
    path: `/${n}`,
    story: [header({ cwd: "/w", ...meta }, { time: T0 + n * DAY }), ...more],
  });
  const promptOn = (n: number, text: string, body: Partial<UserBody> = {}): UnplacedEntry =>
    ask(text, { time: T0 + n * DAY }, { entry: "headless", ...body });
  const marked = (files: readonly File[]): unknown[] => {
    const sessions = sessionsOf(files);
    markRecurring(sessions);
    return sessions.flatMap(({ turns }) => turns.map(({ automated }) => automated ?? null));
  };
  const days = [0, 1, 2];

  it("are marked with their rule, by normalised text across all sessions", () => {
    const daily = days.map((n) =>
      file(n, [promptOn(n, `Report of day ${n}`), promptOn(n, `Something else, ${"x".repeat(n)}`)]),
    );
    expect(marked(daily)).toEqual(days.flatMap(() => ["recurring.daily", null]));
    expect(marked(daily.slice(1))).toEqual(all(4, null));
    expect(marked(days.map((n) => file(n, [promptOn(n, "go on")])))).toEqual(all(3, null));
  });

  it("are prompts and commands of root sessions only", () => {
    const by = (body: Partial<UserBody>, meta: Partial<SessionMetaBody> = {}): unknown[] =>
      marked(days.map((n) => file(n, [promptOn(n, "Report of the day", body)], meta)));
    expect(by({ kind: "command" })).toEqual(all(3, "recurring.daily"));
    expect(by({ kind: "shell" })).toEqual(all(3, null));
    expect(by({ kind: "queued" })).toEqual(all(3, null));
    expect(by({}, { kind: "subagent" })).toEqual(all(3, null));
  });

  it("are compared with their session, directory, entry and time", () => {
    const [session, other] = sessionsOf([
      file(1, [promptOn(1, "go on"), promptOn(1, "Report of the day")]),
      file(2, [promptOn(2, "Report of the day")], { kind: "subagent" }),
    ]);
    if (!session || !other) throw new Error("two sessions");
    expect(comparablePrompts(other)).toEqual([]);
    expect(comparablePrompts(session)).toEqual([
      {
        turn: session.turns[1],
        words: "Report of the day",
        asking: { session: "toy//1", ref: "T0002", time: T0 + DAY, entry: "headless", cwd: "/w" },
      },
    ]);
  });
});
