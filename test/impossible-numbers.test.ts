import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sessionUsage } from "../src/agents/goose/usage.ts";
import { reportImpossibleNumbers, resetImpossibleNumbers } from "../src/agents/kit/native.ts";
import type { RecordBody } from "../src/record/record.ts";
import type { Daybook } from "../src/answers/daybook.ts";
import { copyCorpus, open, scratch } from "./store/fixture.ts";

/** Where each agent states the output tokens of an answer. */
const STATED: Record<string, RegExp> = {
  "claude-2.1.325": /("output_tokens":)[1-9]\d*/,
  "codex-0.130.0-tui": /("output_tokens":)[1-9]\d*/,
  "gemini-0.61.0": /("output":)[1-9]\d*/,
  "pi-0.87.1": /("output":)[1-9]\d*/,
  "qwen-0.24.4": /("candidatesTokenCount":)[1-9]\d*/,
  "copilot-1.0.102": /("outputTokens":)[1-9]\d*/,
};
const IMPOSSIBLE = ["-5", "1e300", "9007199254740993", '"12"', "1e999", "[7]"];

async function outputTokens(daybook: Daybook): Promise<number> {
  const { totals } = await daybook.usage({ group: "daily", by: "spent", breakdown: false, order: "asc" });
  return totals.output_tokens;
}

/** Replaces the first matching number in the session files. */
function replaceNumber(dir: string, pattern: RegExp, value: string): { path: string; line: number } {
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true }).toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  )) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !entry.name.endsWith(".jsonl")) continue;
    const lines = readFileSync(path, "utf8").split("\n");
    const at = lines.findIndex((line) => pattern.test(line));
    if (at === -1) continue;
    lines[at] = (lines[at] ?? "").replace(pattern, (_, name: string) => name + value);
    writeFileSync(path, lines.join("\n"));
    return { path, line: at + 1 };
  }
  return expect.fail("no session states tokens");
}

describe("an impossible token count", () => {
  it.each(Object.entries(STATED))(
    "does not raise the totals, and is reported with its file and line: %s",
    async (label, pattern) => {
      const value = IMPOSSIBLE[Object.keys(STATED).indexOf(label)] ?? "-5";
      const { dir, roots } = copyCorpus([label]);
      const before = await outputTokens(open(roots));
      const { path, line } = replaceNumber(dir, pattern, value);
      const book = scratch("book");
      for (const daybook of [open(roots), open(roots, book), open(roots, book, { noSync: true })]) {
        const now = await outputTokens(daybook);
        expect(now).toBeLessThanOrEqual(before);
        expect(Number.isSafeInteger(now) && now >= 0).toBe(true);
        const { balanced, problems } = await daybook.audit();
        expect({ balanced, problems }).toEqual({ balanced: true, problems: [] });
        const found = (await daybook.problems()).filter(({ code }) => code === "number_impossible");
        expect(found).toMatchObject([{ path, line }]);
        daybook.close();
      }
    },
  );

  it("occurs in no genuine session", async () => {
    const { roots } = copyCorpus();
    const daybook = open(roots);
    await daybook.sessions();
    expect((await daybook.problems()).filter(({ code }) => code === "number_impossible")).toEqual([]);
  });

  it("is reported for database rows too", () => {
    resetImpossibleNumbers();
    const row = { accumulated_input_tokens: -7, accumulated_output_tokens: 3 };
    expect(sessionUsage("s", null, row)).toMatchObject({ input_tokens: 0, output_tokens: 3 });
    expect(reportImpossibleNumbers({ records: [] }).records).toMatchObject([
      { type: "unreadable", reason: "impossible_number" },
    ]);
    expect(reportImpossibleNumbers({ records: [] }).records).toEqual([]);
  });
});

/** Where each agent states how long something took, or how large the context is. */
const OTHERS: [label: string, name: string, pattern: RegExp, value: string][] = [
  ["codex-0.130.0-tui", "duration_ms", /("duration_ms":)\d+/, "1e308"],
  ["codex-0.166.0", "duration_ms", /("duration_ms":)\d+/, "-1"],
  ["codex-0.166.0", "context_window", /("model_context_window":)\d+/, "-258400"],
  ["codex-0.166.0", "context_window", /("model_context_window":)\d+/, "1e300"],
  ["claude-2.1.325-tui", "duration_ms", /("turn_duration","durationMs":)\d+/, "1e308"],
  ["qwen-0.24.4", "duration_ms", /("toolCallResult":\{"callId":"\w+","durationMs":)\d+/, "1e308"],
];

describe("an impossible duration or context window", () => {
  it.each(OTHERS)("is unknown, and is reported with its file and line: %s %s", async (label, name, pattern, value) => {
    const { dir, roots } = copyCorpus([label]);
    const { path, line } = replaceNumber(dir, pattern, value);
    const book = scratch("book");
    for (const daybook of [open(roots), open(roots, book), open(roots, book, { noSync: true })]) {
      const [turns, calls, contexts, limits] = [
        await daybook.turns(),
        await daybook.tools(),
        await daybook.context(),
        await daybook.limits(),
      ];
      const stated = [turns, calls, contexts, limits].flatMap(numbersIn);
      expect(stated.filter((one) => !(one >= 0 && one < 1e15))).toEqual([]);
      const found = (await daybook.problems()).filter(({ code }) => code === "number_impossible");
      expect(found).toMatchObject([{ path, line }]);
      expect(found[0]?.message).toContain(name);
      expect((await daybook.audit()).balanced).toBe(true);
      daybook.close();
    }
  });
});

it("an impossible share of a limit, exit code or running time is unknown", () => {
  resetImpossibleNumbers();
  const window = { used_percent: 7, window_minutes: 300, resets_at: null };
  const entry: { records: RecordBody[] } = {
    records: [
      { type: "context", rate_limits: { primary: { ...window, used_percent: -3 }, secondary: window } },
      { type: "context", rate_limits: { primary: { ...window, window_minutes: 1e308 }, secondary: null } },
      { type: "tool_finished", call_id: "c", status: "failed", exit_code: 1e300, duration_ms: 5 },
      { type: "usage_total", counter: "c", includes_children: false, exact: true, models: [], elapsed_ms: -1 },
      { type: "tool_finished", call_id: "d", status: "failed", exit_code: -1, duration_ms: 0 },
    ],
  };
  const [first, second, third, fourth, fifth, said] = reportImpossibleNumbers(entry).records;
  expect(first).toMatchObject({ rate_limits: { primary: null, secondary: window } });
  expect(second).toMatchObject({ rate_limits: { primary: { ...window, window_minutes: null }, secondary: null } });
  expect(third).toMatchObject({ exit_code: null, duration_ms: 5, status: "failed" });
  expect(fourth).not.toHaveProperty("elapsed_ms");
  expect(fifth).toEqual(entry.records[4]);
  const names = "used_percent, window_minutes, exit_code, elapsed_ms";
  expect(said).toMatchObject({ hint: `impossible, so taken for unknown: ${names}` });
});

/** Every number in an answer, however deep, that is no exit code. */
function numbersIn(value: unknown): number[] {
  if (typeof value === "number") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => (name === "exit_code" ? [] : numbersIn(one)));
}
