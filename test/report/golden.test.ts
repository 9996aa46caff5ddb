import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Daybook, inside } from "../../src/answers/daybook.ts";
import { FORMATS, NOW, SAMPLE_ROOTS, sampleReport, samples, SAMPLES } from "./formats.ts";

// To accept new output after looking at it: npx vitest run test/report/golden.test.ts -u
const SPANS = { day: {}, "day-before": { date: "2026-05-11" }, week: { week: true } } as const;

describe("golden files of the samples", () => {
  for (const [span, query] of Object.entries(SPANS)) {
    it.each(Object.keys(FORMATS))(`${span}: %s`, async (name) => {
      const render = FORMATS[name];
      expect(render).toBeDefined();
      const text = render?.(await sampleReport(query)) ?? "";
      await expect(text).toMatchFileSnapshot(`golden/${span}.${name}`);
    });
  }

  it("context", async () => {
    const views = await samples(SAMPLE_ROOTS).context({});
    const text = JSON.stringify({ schema_version: 1, context: views }, null, 2).replaceAll(SAMPLES, "samples/");
    await expect(`${text}\n`).toMatchFileSnapshot("golden/context.json");
  });
});

describe("output", () => {
  it("does not depend on the order in which files are discovered", async () => {
    const { refs } = inside(samples(SAMPLE_ROOTS)).opened();
    const paths = (source: string): string[] => refs.filter((ref) => ref.source === source).map((ref) => ref.path);
    const shuffled = samples({ "claude-code": paths("claude-code").toReversed(), codex: paths("codex").toReversed() });
    const [one, other] = [await sampleReport({ week: true }), await sampleReport({ week: true }, shuffled)];
    for (const render of Object.values(FORMATS)) expect(render(other)).toBe(render(one));
  });

  it("does not depend on the current time, once the days are over", async () => {
    const later = new Daybook({ roots: SAMPLE_ROOTS, timezone: "Europe/Berlin", env: {}, home: "/", now: NOW + 1e10 });
    expect(await sampleReport({}, later)).toEqual(await sampleReport({}));
  });
});

describe("formats", () => {
  it("terminal lines are at most as long as the width", async () => {
    const report = await sampleReport({ week: true });
    for (const line of (FORMATS["narrow.txt"]?.(report) ?? "").split("\n")) expect(line.length).toBeLessThanOrEqual(60);
  });

  it("the HTML page has one script allowed by hash, no external requests and no broken anchors", async () => {
    const whole = FORMATS["report.html"]?.(await sampleReport({ week: true })) ?? "";
    expect(whole).toContain("default-src &#39;none&#39;");
    const [, script = ""] = /<script>([^<]+)<\/script>/.exec(whole) ?? [];
    const hash = createHash("sha256").update(script).digest("base64");
    expect(whole).toContain(`script-src &#39;sha256-${hash}&#39;`);
    // The script fetches nothing and creates no markup.
    expect(script).not.toMatch(
      /innerHTML|outerHTML|insertAdjacent|document\.write|eval|Function|fetch|XMLHttp|import|https?:/,
    );
    const page = whole.replace(`<script>${script}</script>`, "");
    expect(page).not.toMatch(/<script|<link|<img|<iframe|\bon\w+=|url\(|https?:|style="/i);
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]));
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map((match) => match[1]);
    expect(links.length).toBeGreaterThan(10);
    for (const link of links) expect(ids).toContain(link);
    for (const tag of [
      "section",
      "li",
      "ul",
      "ol",
      "div",
      "p",
      "table",
      "blockquote",
      "svg",
      "a",
      "span",
      "details",
      "summary",
      "pre",
      "code",
      "b",
    ]) {
      const count = (pattern: string): number => page.match(new RegExp(pattern, "g"))?.length ?? 0;
      expect(count(`<${tag}[ >]`), tag).toBe(count(`</${tag}>`));
    }
  });

  it("citations resolve to the turn they name", async () => {
    const book = samples(SAMPLE_ROOTS);
    const report = await book.report({ week: true });
    for (const project of report.projects) {
      for (const turn of project.turns) {
        const { session, turn: found, lines } = await book.find(turn.citation);
        expect([session.source, session.session_id, found?.ref]).toEqual([turn.source, turn.session_id, turn.turn_ref]);
        expect(lines).toEqual([found?.draft.start_line, found?.draft.end_line]);
      }
    }
    await expect(book.find("019e164e/T0042")).rejects.toThrow("has no turn T0042");
  });
});
