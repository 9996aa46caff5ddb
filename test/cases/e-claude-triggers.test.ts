import { describe, expect, it } from "vitest";
import { CA, claude, claudeLine, CT, CU, only, spans, starts } from "./build.ts";

/** Section E: Claude Code triggers. */
describe("E. Claude triggers", () => {
  it("case 62: user records written by a tool or the system start no turn", async () => {
    const book = claude(
      CU("do it"),
      CU("side effect of a tool", { sourceToolAssistantUUID: "00000000-0000-4000-8000-0000000000aa" }),
      CA("done"),
      claudeLine("user", { message: { role: "system", content: "note" } }),
    );
    expect(await spans(book)).toEqual([[1, 4]]);
  });

  // The tool of the cases lists no such session; Daybook lists it without turns and counts its records.
  it.each([
    ["isMeta", { isMeta: true }],
    ["isCompactSummary", { isCompactSummary: true }],
  ])("case 63: a record with %s starts no turn", async (_, flag) => {
    for (const lines of [[CU("made by the client", flag)], ["not json", CU("made by the client", flag)]]) {
      const book = claude(...lines);
      expect(await book.turns()).toEqual([]);
      expect(only(await book.sessions()).turns).toBe(0);
      expect(await book.audit()).toMatchObject({ balanced: true, totals: { records: { records_read: lines.length } } });
    }
  });

  it("case 65: an empty content list is a prompt, a list of tool results is not", async () => {
    expect(await starts(claude(CU([]), CA("a"), CU([])))).toEqual([1, 3]);
    expect(await starts(claude(CU("go"), CA("a"), CT("toolu_1")))).toEqual([1]);
  });

  it("case 66: a prompt needs neither userType nor promptId", async () => {
    const book = claude(CU("plain"), CA("a"));
    expect(await spans(book)).toEqual([[1, 2]]);
    expect(only(await book.turns()).trigger).toMatchObject({ text: "plain", kind: "prompt" });
  });

  it("section E: adjacent prompts are separate turns", async () => {
    expect(await spans(claude(CU("one"), CU("two"), CU("two")))).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
  });
});
