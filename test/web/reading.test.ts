import { describe, expect, it } from "vitest";
import { keyReader, type KeyPress } from "../../web/src/lib/keys.ts";
import { render } from "svelte/server";
import Markdown from "../../web/src/components/Markdown.svelte";
import { markdownNodes } from "../../web/src/lib/markdown.ts";
import { minimapOf } from "../../web/src/lib/minimap.ts";
import { fittingPlaces, parseDay } from "../../web/src/lib/palette.ts";
import { groupBySession } from "../../web/src/lib/search-groups.ts";
import { snippetParts } from "../../web/src/lib/snippet.ts";

/** What a browser gets, without the comments of the renderer and the class of the style. */
function markdownHtml(text: string): string {
  const { body } = render(Markdown, { props: { text } });
  return body
    .replaceAll(/<!--.*?-->/g, "")
    .replace(/^<div[^>]*>/, "")
    .replace(/<\/div>$/, "");
}

describe("Markdown", () => {
  it("shows HTML as text, loads no image and links only to web addresses", () => {
    expect(markdownHtml("<img src=x onerror=alert(1)>")).toBe("&lt;img src=x onerror=alert(1)>");
    expect(markdownHtml("a <script>alert(1)</script> b")).toBe("<p>a &lt;script>alert(1)&lt;/script> b</p>");
    expect(markdownHtml("![a tide](https://evil.test/x.png)")).toBe(
      '<p><span class="image">[image: a tide] <code>https://evil.test/x.png</code></span></p>',
    );
    expect(markdownHtml("[x](javascript:alert(1))")).toBe("<p>x <code>javascript:alert(1)</code></p>");
    expect(markdownHtml("[x](../etc)")).not.toContain("href");
    expect(markdownHtml("[x](https://a.test/)")).toContain('rel="noreferrer noopener" target="_blank"');
    expect(markdownHtml('[x](https://a.test/"onclick="y)')).not.toContain('"onclick');
  });

  it("has paragraphs, lists, headings, tables, quotes and code, and nothing is left out", () => {
    const text = [
      "# Head *one*",
      "a **b** `c<d` ~~e~~ &lt;f&gt;\\*",
      "3. x\n4. y",
      "- [ ] open\n- [x] done",
      "> quoted",
      "| a | b |\n|---|---|\n| 1 | 2 |",
      "```js\nlet a;\n```",
      "---",
      "[ref]: https://a.test/",
    ].join("\n\n");
    const html = markdownHtml(text);
    for (const part of [
      "<h1>Head <em>one</em></h1>",
      "<p>a <strong>b</strong> <code>c&lt;d</code> <del>e</del> &lt;f>*</p>",
      '<ol start="3"><li>x</li><li>y</li></ol>',
      "<ul><li>☐ open</li><li>☑ done</li></ul>",
      "<blockquote><p>quoted</p></blockquote>",
      "<thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody>",
      "<code>let a;\n</code>",
      "<hr",
      "[ref]: https://a.test/",
    ])
      expect(html).toContain(part);
  });

  it("has no links in a document, and shows what is nested too deeply as it was written", () => {
    const text = JSON.stringify(markdownNodes("[x](https://a.test/) https://b.test/", true));
    expect(text).not.toContain("href");
    expect(text).toContain('"https://a.test/"');
    for (const deep of ["> ".repeat(200), ">".repeat(20_000)])
      expect(JSON.stringify(markdownNodes(`${deep}end`, true))).toContain("end");
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
    const found = (typed: string): unknown => fittingPlaces(places, typed).map(({ place, fit }) => [place.href, fit]);
    expect(found("tide")).toEqual([
      ["2", 2],
      ["1", 1],
    ]);
    expect(found("proj tide")).toEqual([
      ["2", 2],
      ["1", 1],
    ]);
    expect(found("x(")).toEqual([]);
    expect(found(" ")).toEqual([]);
  });

  it("ranks whole words before beginnings, and those before fragments", () => {
    const titles = ["platform-infra", "ormolu clock", "merge orm-upgrade", "form", "ORM"];
    const found = fittingPlaces(
      titles.map((title) => ({ href: title, title, note: "" })),
      "orm",
    );
    expect(found.map(({ place, fit }) => `${place.title} ${fit}`)).toEqual([
      "ORM 3",
      "merge orm-upgrade 3",
      "ormolu clock 2",
      "platform-infra 1",
      "form 1",
    ]);
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
