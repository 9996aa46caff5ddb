import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sessionUsage } from "../src/sources/goose/usage.ts";
import { resetImpossibleNumbers, reportImpossibleNumbers } from "../src/sources/kit/impossible-numbers.ts";
import type { Daybook } from "../src/daybook.ts";
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
