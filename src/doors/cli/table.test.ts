import { describe, expect, it } from "vitest";
import { displayWidth } from "../../base/text/inert.ts";
import { flow, tally, wrapLines } from "./layout.ts";
import { table, type Column } from "./table.ts";

const COLUMNS: Column[] = [
  { head: "when", brief: ["05-12 14:03"] },
  { head: "agent", dropOrder: 1 },
  { head: "project", minWidth: 6, dropOrder: 2 },
  { head: "title", grow: true },
  { head: "id" },
];
const ROW = ["2026-05-12 14:03", "some-agent", "a-project", "a title of some thirty letters", "019e2f1c"];

function at(width: number): string[] {
  return table(COLUMNS, [ROW], width, String).split("\n");
}

describe("a table", () => {
  it("shows all values in full if they fit", () => {
    expect(at(90)[1]).toBe("2026-05-12 14:03  some-agent  a-project  a title of some thirty letters  019e2f1c");
  });

  it("shrinks in a fixed order: cuts the growing column, uses brief forms, cuts others, drops columns", () => {
    expect(at(80)[1]).toBe("2026-05-12 14:03  some-agent  a-project  a title of some thirty lette…  019e2f1c");
    expect(at(74)[1]).toBe("05-12 14:03  some-agent  a-project  a title of some thirty lett…  019e2f1c");
    expect(at(67)[1]).toBe("05-12 14:03  some-agent  a-pro…  a title of some thirty …  019e2f1c");
    expect(at(60)[1]).toBe("05-12 14:03  a-project  a title of some thirty le…  019e2f1c");
    expect(at(50)[0]).not.toContain("project");
  });

  it("has texts below rows, cut to its width", () => {
    const below = {
      text: (row: number) => (row === 0 ? "a reason of some thirty letters" : ""),
      paint: (s: string) => `<${s}>`,
    };
    const rows = [["one"], ["two"]];
    expect(table([{ head: "n" }], rows, 40, String, below)).toBe("n\none\n<  a reason of some thirty letters>\ntwo");
    expect(table([{ head: "n" }], rows, 12, String, below)).toBe("n\none\n<  a reason …>\ntwo");
  });

  it("is never wider than the terminal, even with wide characters", () => {
    const rows = [ROW, ["2026-05-12 14:03", "✅ 🇩🇪", "日本語のプロジェクト", "⚡ ".repeat(40), "019e2f1d"]];
    for (let width = 20; width < 120; width++)
      for (const line of table(COLUMNS, rows, width, String).split("\n"))
        expect([width, displayWidth(line) <= width]).toEqual([width, true]);
  });
});

it("wrapLines keeps the indent of text and list items, and neither it nor flow breaks a word", () => {
  expect(wrapLines("  · one two three\n    four\nhttps://example.org/a/long/path here", 12)).toEqual([
    "  · one two",
    "    three",
    "    four",
    "https://example.org/a/long/path",
    "here",
  ]);
  expect(flow(["one part", "another", "a third"], 18)).toEqual(["one part · another", "a third"]);
});

it("tally says how many items are shown of how many, and how to see all", () => {
  expect(tally(20, 1075, "session")).toBe("20 of 1,075 sessions, --limit 0 for all");
  expect(tally(1, 1, "session")).toBe("1 session");
});
