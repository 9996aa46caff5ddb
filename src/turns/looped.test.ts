import { describe, expect, it } from "vitest";
import type { TriggerEntry } from "../record/record.ts";
import { findLooped, openingOf, prefixOf, type LoopedPrompt } from "./looped.ts";
import { markRecurring } from "./recurring.ts";
import { ask, header, say, sessionsOf, start, type File } from "./testing.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const T0 = Date.UTC(2026, 8, 7, 5, 30);

/** A prompt at this second, and how long the work on it took. */
function at(second: number, took: number, more: Partial<LoopedPrompt> = {}): LoopedPrompt {
  const time = T0 + second * SECOND;
  return {
    session: `s${second}`,
    ref: "T0001",
    time,
    ended: time + took * SECOND,
    entry: "headless",
    cwd: "/w",
    acted: true,
    prefix: null,
    ...more,
  };
}

const rules = (asked: readonly LoopedPrompt[]): (string | null)[] => {
  const [found, backwards] = [findLooped(asked), findLooped(asked.toReversed())];
  expect(asked.map((one) => backwards.get(one))).toEqual(asked.map((one) => found.get(one)));
  return asked.map((one) => found.get(one) ?? null);
};
const all = (n: number, rule: string | null): (string | null)[] => Array.from({ length: n }, () => rule);

describe("prompts of a loop", () => {
  /** Work of five minutes each, and the next session this many seconds after the last. */
  const loop = (pause: number, n = 4, more: Partial<LoopedPrompt> = {}): LoopedPrompt[] =>
    Array.from({ length: n }, (_, i) => at(i * (300 + pause), 300, more));

  it("are those of four sessions that each began within seconds of the end of the one before", () => {
    expect(rules(loop(0))).toEqual(all(4, "recurring.restart"));
    expect(rules(loop(15))).toEqual(all(4, "recurring.restart"));
    expect(rules(loop(16))).toEqual(all(4, null));
    expect(rules(loop(5, 3))).toEqual(all(3, null));
    expect(rules(loop(5, 4, { entry: "sdk" }))).toEqual(all(4, "recurring.restart"));
    // Sessions that overlap were not started by what waited for the last one.
    expect(rules(loop(-1))).toEqual(all(4, null));
  });

  it("are not those that a human may have typed, nor those of one session or of several directories", () => {
    for (const entry of ["interactive", "ide", "unknown"] satisfies TriggerEntry[])
      expect(rules(loop(5, 8, { entry }))).toEqual(all(8, null));
    expect(rules(loop(5, 8, { session: "s" }))).toEqual(all(8, null));
    expect(rules(loop(5, 8).map((one, i) => ({ ...one, cwd: i % 2 === 0 ? "/w" : "/v" })))).toEqual(all(8, null));
    expect(rules(loop(5, 4, { cwd: null }))).toEqual(all(4, null));
    expect(rules(loop(5, 4, { ended: null }))).toEqual(all(4, null));
    expect(rules(loop(5, 4, { time: null }))).toEqual(all(4, null));
  });

  it("include runs in between that were cut off or waited for, and none before or after", () => {
    const later = (minutes: number): LoopedPrompt[] => loop(5).map((one) => shifted(one, minutes));
    const alone = [at(-3600, 60), ...loop(5), at(3600, 60), ...later(120), at(4 * 3600, 60)];
    expect(rules(alone)).toEqual([null, ...all(9, "recurring.restart"), null]);
  });
});

function shifted(one: LoopedPrompt, minutes: number): LoopedPrompt {
  const by = (time: number | null): number | null => (time === null ? null : time + minutes * MINUTE);
  return { ...one, session: `${one.session}+${minutes}`, time: by(one.time), ended: by(one.ended) };
}

describe("a template that a program fills in", () => {
  const filled = (n: number, more: Partial<LoopedPrompt> = {}): LoopedPrompt[] =>
    Array.from({ length: n }, (_, i) => at(i * 3600, 5, { acted: false, prefix: "p", ...more }));

  it("is a long beginning that six sessions without a terminal share, none of which called a tool", () => {
    expect(rules(filled(6))).toEqual(all(6, "recurring.template"));
    expect(rules(filled(5))).toEqual(all(5, null));
    expect(rules(filled(6, { prefix: null }))).toEqual(all(6, null));
    expect(rules(filled(6, { session: "s" }))).toEqual(all(6, null));
    expect(rules([...filled(6), at(1, 1, { acted: true, prefix: "p" })])).toEqual(all(7, null));
    expect(rules([...filled(6), at(1, 1, { acted: true, prefix: "q" })])).toEqual([
      ...all(6, "recurring.template"),
      null,
    ]);
  });

  it("needs ten sessions if it is not known who sat at the entry, and is none if somebody typed it", () => {
    expect(rules(filled(10, { entry: "unknown" }))).toEqual(all(10, "recurring.template"));
    expect(rules(filled(9, { entry: "unknown" }))).toEqual(all(9, null));
    expect(rules([...filled(6), at(1, 1, { acted: false, prefix: "p", entry: "unknown" })])).toEqual(all(7, null));
    for (const entry of ["interactive", "ide"] satisfies TriggerEntry[])
      expect(rules([...filled(12), at(1, 1, { acted: false, prefix: "p", entry })])).toEqual(all(13, null));
  });

  it("is recognised by 200 characters of a text of at least 240", () => {
    const text = "x".repeat(200);
    expect(prefixOf(text + "y".repeat(39))).toBeNull();
    expect(prefixOf(text + "y".repeat(40))).toBe(text);
    expect(prefixOf(`${text.slice(1)}z${"y".repeat(40)}`)).not.toBe(text);
    expect(openingOf("Review the file src/a.ts please")).toBe(openingOf("Review the file src/a.ts, then"));
    expect(openingOf("Review the file src/a.ts")).not.toBe(openingOf("Review the file src/b.ts"));
  });
});

describe("turns of loops and templates", () => {
  const session = (n: number, text: string, acts: boolean): File => ({
    path: `/${n}`,
    story: [
      header({ cwd: "/w" }, { time: T0 + n * MINUTE }),
      ask(text, { time: T0 + n * MINUTE }, { entry: "headless" }),
      ...(acts ? [start("c", { time: T0 + n * MINUTE + SECOND })] : []),
      say("Done.", { time: T0 + n * MINUTE + 55 * SECOND }),
    ],
  });
  const marked = (files: readonly File[]): unknown[] => {
    const sessions = sessionsOf(files);
    markRecurring(sessions);
    return sessions.flatMap(({ turns }) => turns.map(({ automated }) => automated ?? null));
  };
  const files = ["a.ts", "b.ts", "c.ts", "d.ts", "e.ts", "f.ts"];

  it("are marked by rule, by the beginning of their text across all sessions", () => {
    const loop = files.map((file, n) => session(n, `Review for mistakes what is in ${file}`, true));
    expect(marked(loop)).toEqual(all(6, "recurring.restart"));
    const other = files.map((file, n) => session(n, `${file}: review it for mistakes please`, true));
    expect(marked(other)).toEqual(all(6, null));
    const template = `Write a summary of this conversation. ${"Be factual and specific. ".repeat(10)}`;
    const apart = files.map((file, n) => session(n * 60, `${template}${file}`, false));
    expect(marked(apart)).toEqual(all(6, "recurring.template"));
    expect(marked(files.map((file, n) => session(n * 60, `${template}${file}`, n === 3)))).toEqual(all(6, null));
  });

  it("keep the rule of their words, which is stronger", () => {
    const loop = Array.from({ length: 8 }, (_, n) => session(n, "Review for mistakes what is in here", true));
    expect(marked(loop)).toEqual(all(8, "recurring.interval"));
  });
});
