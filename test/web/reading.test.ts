import { describe, expect, it } from "vitest";
import { keyReader, type KeyPress } from "../../web/src/lib/keys.ts";
import { markdownHtml } from "../../web/src/lib/markdown.ts";
import { minimapOf } from "../../web/src/lib/minimap.ts";
import { parseDay, matchingPlaces } from "../../web/src/lib/palette.ts";
import { groupBySession } from "../../web/src/lib/search-groups.ts";
import { snippetParts } from "../../web/src/lib/snippet.ts";

describe("Markdown", () => {
  it("shows HTML as text, loads no image and links only to web addresses", () => {
    expect(markdownHtml("<img src=x onerror=alert(1)>")).not.toContain("<img");
    expect(markdownHtml("a <script>alert(1)</script> b")).not.toContain("<script");
    expect(markdownHtml("![a tide](https://evil.test/x.png)")).toBe(
      '<p><span class="image">[image: a tide] <code>https://evil.test/x.png</code></span></p>\n',
    );
    expect(markdownHtml("[x](javascript:alert(1))")).not.toContain("href");
    expect(markdownHtml("[x](../etc)")).not.toContain("href");
    expect(markdownHtml("[x](https://a.test/)")).toContain('rel="noreferrer noopener" target="_blank"');
    expect(markdownHtml('[x](https://a.test/"onclick="y)')).not.toContain('"onclick');
  });
});

describe("keys", () => {
  const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
    key,
    command: false,
    alt: false,
    typing: false,
    time: 0,
    ...more,
  });

  it("open pages, also as a sequence of two within a time limit, and are ignored while typing", () => {
    const read = keyReader();
    expect(read(press("k", { command: true, typing: true }))).toEqual({ open: "palette" });
    expect(read(press("/"))).toEqual({ go: "/search" });
    expect(read(press("/", { typing: true }))).toBeNull();
    expect(read(press("?"))).toEqual({ open: "help" });
    expect(["j", "k"].map((key) => read(press(key)))).toEqual([{ step: 1 }, { step: -1 }]);
    expect(read(press("j", { typing: true }))).toBeNull();
    expect(read(press("g"))).toBeNull();
    expect(read(press("s", { time: 300 }))).toEqual({ go: "/sessions" });
    expect(read(press("s", { time: 400 }))).toBeNull();
    read(press("g", { time: 1000 }));
    expect(read(press("s", { time: 9000 }))).toBeNull();
  });
});

describe("the palette", () => {
  it("finds places that match all typed words, with matches at the beginning first", () => {
    const places = [
      { href: "1", title: "retides", note: "project" },
      { href: "2", title: "tidepool", note: "project" },
      { href: "3", title: "Usage", note: "page" },
    ];
    expect(matchingPlaces(places, "tide").map(({ href }) => href)).toEqual(["2", "1"]);
    expect(matchingPlaces(places, "proj tide").map(({ href }) => href)).toEqual(["2", "1"]);
    expect(matchingPlaces(places, "x(")).toEqual([]);
  });

  it.each([
    ["today", "2026-05-12"],
    ["yes", "2026-05-11"],
    ["mon", "2026-05-11"],
    ["friday", "2026-05-08"],
    ["2026-02-03", "2026-02-03"],
    ["2026-02-31", null],
    ["3 feb", "2026-02-03"],
    ["dec 24", "2025-12-24"],
    ["7.9.", "2025-09-07"],
    ["tide", null],
  ])("understands %s as a day", (typed, day) => {
    expect(parseDay(typed, "2026-05-12")).toBe(day);
  });
});

describe("search results", () => {
  it("are split into matches and the text between them", () => {
    expect(snippetParts("ab cd ef", [[3, 5]])).toEqual([
      { text: "ab ", isHit: false },
      { text: "cd", isHit: true },
      { text: " ef", isHit: false },
    ]);
    expect(snippetParts("ab", [])).toEqual([{ text: "ab", isHit: false }]);
  });

  it("are grouped by session, the best session first, each in the order of its lines", () => {
    const hit = (session_id: string, line: number): never => ({ source: "x", session_id, line }) as never;
    const groups = groupBySession([hit("b", 9), hit("a", 4), hit("b", 2)]);
    expect(groups.map(({ key, hits }) => [key, hits.map(({ line }) => line)])).toEqual([
      ["x/b", [2, 9]],
      ["x/a", [4]],
    ]);
  });
});

describe("the minimap of a session", () => {
  const turn = (duration_ms: number | null, cost_usd: number | null): never =>
    ({ turn_ref: "T", outcome: "completed", duration_ms, cost_usd }) as never;

  it.each([1, 3, 2000])("fills its width with one visible bar for each of %i turns", (n) => {
    const bars = minimapOf(
      Array.from({ length: n }, (_, i) => turn(i * 1000, i === 1 ? null : 0.1 * i)),
      220,
      36,
    );
    expect(bars).toHaveLength(n);
    const last = bars.at(-1);
    expect((last?.x ?? 0) + (last?.width ?? 0)).toBeCloseTo(220, 3);
    expect(Math.min(...bars.map(({ width }) => width))).toBeGreaterThan(0);
    expect(Math.max(...bars.map(({ height }) => height))).toBeLessThanOrEqual(36);
  });
});
