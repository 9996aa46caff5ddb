import { describe, expect, it } from "vitest";
import { findTyped, type SentPrompt } from "./repeated.ts";

const DAY = 86_400_000;
const STEPS = Array.from(
  { length: 14 },
  (_, i) => `${i + 1}. A step that is the same every time, with enough words in it.`,
);
const body = (typed: string, steps = STEPS): string => `# Write the notes\n\nAbout: ${typed}\n\n${steps.join("\n")}\n`;

const sent = (n: number, text: string, more: Partial<SentPrompt> = {}): SentPrompt => ({
  session: `codex/s${n}`,
  ref: "T0001",
  time: n * DAY,
  cwd: "/w",
  text,
  ...more,
});
const typed = (all: readonly SentPrompt[]): (string | null)[] => {
  const found = findTyped(all);
  return all.map((one) => found.get(one) ?? null);
};

describe("prompts made from a command template", () => {
  it("are recognised if they recur in three sessions with a few lines changed", () => {
    const all = ["May", "June", "July"].map((month, n) => sent(n, body(month)));
    const expected = ["About: May", "About: June", "About: July"].map((line) => `Write the notes\n${line}`);
    expect(typed(all)).toEqual(expected);
    expect(typed(all.toReversed())).toEqual(expected.toReversed());
    expect(typed(all.slice(1))).toEqual([null, null]);
  });

  it("are reduced to the title if no line differs", () => {
    const all = [1, 2, 3].map((n) => sent(n, body("May")));
    expect(typed(all)).toEqual(all.map(() => "Write the notes"));
  });

  it("are not assumed for a text pasted repeatedly on one day in one directory", () => {
    const retries = [1, 2, 3, 4].map((n) => sent(n, body("May"), { time: 5 * DAY + n * 1000 }));
    expect(typed(retries)).toEqual([null, null, null, null]);
    // In different directories they are different tasks.
    expect(typed(retries.map((one, n) => ({ ...one, cwd: `/w${n}` })))).not.toContain(null);
  });

  it("are not assumed for texts of which only the first lines are equal", () => {
    const own = (n: number): string[] => STEPS.map((step) => `${step} But this one says ${n}.`);
    const all = [1, 2, 3].map((n) => sent(n, body("May", own(n))));
    expect(typed(all)).toEqual([null, null, null]);
    // And these do not prevent others from being recognised.
    const others = [4, 5, 6].map((n) => sent(n, body("May")));
    expect(typed([...all, ...others])).toEqual([null, null, null, ...Array<string>(3).fill("Write the notes")]);
  });

  it("are not assumed for a text sent three times in one session", () => {
    const all = [1, 2, 3].map((n) => sent(n, body("May"), { session: "codex/s1", ref: `T000${n}` }));
    expect(typed(all)).toEqual([null, null, null]);
  });
});
