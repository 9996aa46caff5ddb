import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Confidence, DailyReport, EvidenceCard } from "../../src/views/narrative.ts";
import type { LogRecord } from "../../src/record/record.ts";
import { compactOf, compactText, previewOf } from "../../src/narrate/compact.ts";
import { overallConfidence } from "../../src/narrate/daily-report.ts";
import { EvidenceStore } from "../../src/narrate/evidence-store.ts";
import { assertFinal } from "../../src/narrate/finalise.ts";
import { literal, renderNarrative } from "../../src/narrate/render/markdown.ts";
import { renderNarrativeHtml } from "../../src/narrate/render/html.ts";
import { readPage, REPLY_BYTES, type Fragment, type ReadCursor } from "../../src/narrate/tools/read-lines.ts";
import { NarrationTools } from "../../src/narrate/tools/serve.ts";
import { Redactor } from "../../src/base/redact/redact.ts";
import { filesOf, narrated, sampleWorkspace, scripted } from "../narrate/day.ts";
import { honest } from "../narrate/narrator.ts";

function finished(body: Partial<Extract<LogRecord, { type: "tool_finished" }>>): LogRecord {
  return {
    schema_version: 1,
    seq: 1,
    time: null,
    session_id: "s",
    origin: { line: 5 },
    type: "tool_finished",
    call_id: "c",
    status: "ok",
    exit_code: null,
    duration_ms: null,
    ...body,
  };
}

describe("95: compact records of tool calls", () => {
  it("show the exit code of a result, even 0, and whether it failed", () => {
    const shown = (body: Parameters<typeof finished>[0]): unknown =>
      compactOf(finished(body), () => "shell")?.tool_results;
    expect(shown({ exit_code: 0 })).toEqual([{ name: "shell", status: "ok", exit_code: 0 }]);
    expect(shown({ status: "failed", exit_code: 2 })).toEqual([{ name: "shell", status: "failed", exit_code: 2 }]);
  });

  it("show a call without a result", () => {
    const call = { ...finished({}), type: "tool_started", name: "shell", input: { command: "pytest -q" } } as LogRecord;
    expect(compactOf(call, () => null)).toEqual({
      line: 5,
      kind: "tool_call",
      tool_uses: [{ name: "shell", input_summary: "pytest -q" }],
    });
  });
});

describe("96: pages of a session", () => {
  it("show a result of up to 1024 bytes in full, and of a longer one the beginning and the end", () => {
    expect(previewOf("x".repeat(1024))).toEqual({ preview: "x".repeat(1024), truncated: false });
    const { preview, truncated } = previewOf(`a${"é".repeat(512)}`);
    expect(truncated).toBe(true);
    expect(preview).toMatch(/^aé+\n\[… \d+ bytes left out …\]\né+$/u);
  });

  it.each(["漢字テスト", "😀🎉", "plain text ", "a\ud800b", '"\\\n\u001b'])(
    "contain 50,000 characters of %j completely, in fragments",
    (unit) => {
      const text = unit.repeat(Math.ceil(50_000 / unit.length)).slice(0, 50_000);
      const record = compactText({ line: 3, kind: "user", text });
      const lines = [
        { line: 2, text: compactText({ line: 2, kind: "assistant", text: "before" }) },
        { line: 3, text: record },
        { line: 7, text: compactText({ line: 7, kind: "assistant", text: "after" }) },
      ];
      let content = "";
      const whole: unknown[] = [];
      let cursor: ReadCursor | null = null;
      do {
        const page = readPage(lines, { start_line: 2, end_line: 9, cursor }, "compact_json");
        if ("status" in page) throw new Error(JSON.stringify(page));
        expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThanOrEqual(REPLY_BYTES);
        for (const one of page.records) {
          if ((one as Partial<Fragment>).record_format === undefined) whole.push(one);
          else {
            expect(one).toMatchObject({ line: 3, offset: content.length, total_chars: record.length });
            content += (one as Fragment).content;
          }
        }
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect(content).toBe(record);
      expect((JSON.parse(content) as { text: string }).text).toBe(text);
      expect(whole).toEqual([
        expect.objectContaining({ line: 2, text: "before" }),
        expect.objectContaining({ line: 7, text: "after" }),
      ]);
    },
  );
});

describe("97: reading lines", () => {
  const lines = [{ line: 4, text: compactText({ line: 4, kind: "user", text: "x" }) }];
  const range = { start_line: 2, end_line: 3 };

  it("gives an empty page without a cursor if there are no records in the range", () => {
    expect(readPage(lines, range, "compact_json")).toEqual({ records: [], next_cursor: null });
  });

  it.each([
    [{ line: 9, offset: 0 }, "cursor.line"],
    [{ line: 3, offset: 5 }, "cursor.offset"],
  ])("reports an invalid cursor %j with its field", (cursor, field) => {
    const reply = readPage(lines, { ...range, cursor }, "compact_json");
    expect(reply).toMatchObject({ status: "invalid", errors: [{ field }] });
  });
});

describe("98: an invalid evidence chain", () => {
  it("is rejected with the invalid field, and the evidence card stays unchanged", async () => {
    const workspace = await sampleWorkspace();
    await narrated(workspace, scripted(honest));
    const key = "harbor-labs-tidepool-dfe683902bdf";
    const path = join(workspace, "projects", key, "evidence", "S0001.json");
    const card = readFileSync(path);
    const [first] = (JSON.parse(card.toString()) as EvidenceCard).evidence_chains;
    if (!first) throw new Error("no chain");
    const { trigger, terminal_state: end } = first;
    const outcome = { category: "code_outcome", summary: "The agent answered.", citations: end.citations };
    const invalid: [field: string, more: object][] = [
      ["outcomes[0].citations[0]", { outcomes: [{ ...outcome, citations: ["9000-9001"] }] }],
      ["outcomes[0].citations[0]", { outcomes: [{ ...outcome, citations: ["2"] }] }],
      ["outcomes[0].citations[0]", { outcomes: [{ ...outcome, citations: [2] }] }],
      ["outcomes[0].citations", { outcomes: [{ ...outcome, citations: trigger.citations }] }],
      ["outcomes[0].category", { outcomes: [{ ...outcome, category: "magic" }] }],
      ["outcomes[0].summary", { outcomes: [{ ...outcome, summary: "  " }] }],
      ["terminal_state.type", { outcomes: [], terminal_state: { ...end, type: "material_result" } }],
    ];
    const store = new EvidenceStore(mkdtempSync(join(tmpdir(), "daybook-narrate-")));
    const writes = join(workspace, "writes.jsonl");
    const about = { kind: "evidence", workspace, project: key, session: "S0001" } as const;
    const tools = await NarrationTools.open({ ...about, writes, turns: [first.turn_ref] }, new Redactor(), store);
    for (const [field, more] of invalid)
      expect(tools.write({ ...first, ...more })).toMatchObject({ status: "invalid", errors: [{ field }] });
    expect(tools.write(first)).toMatchObject({ status: "accepted", missing: [] });
    expect(tools.write(first)).toMatchObject({
      status: "invalid",
      errors: [{ message: expect.stringContaining("written already") as string }],
    });
    expect(readFileSync(path)).toEqual(card);
    store.close();
  });
});

function reportWith(confidences: readonly Confidence[], kind = "material_work_item"): DailyReport {
  const [first = "low", ...rest] = confidences;
  const at = { project_key: "p", session_ref: "S0001", turn_ref: "T0001", lines: "2-8" };
  return {
    schema_version: 1,
    report_date: "2026-05-12",
    status: "final",
    overall_confidence: null,
    title: null,
    window: { start: "2026-05-12T00:00:00Z", end: "2026-05-13T00:00:00Z", timezone: "UTC" },
    projects:
      confidences.length === 0
        ? []
        : [
            {
              project_key: "p",
              project_label: "p",
              summary: { text: "s", citations: [at] },
              work_items: [
                {
                  work_item_ref: "W0001",
                  title: "x </details> y",
                  kind: kind as "material_work_item",
                  disposition: "completed",
                  confidence: first,
                  covered_turns: [at],
                  trigger_summary: "a",
                  agent_reaction_summary: "b",
                  limits: [],
                  reason: null,
                  outcomes: rest.map((confidence) => ({
                    what_changed: "w",
                    confidence,
                    proof: "said_only",
                    citations: [at],
                  })),
                  terminal_states: [{ summary: "t", citations: [at] }],
                },
              ],
              source_user_messages: [
                { session_ref: "S0001", turn_ref: "T0001", messages: ["[x](http://y) ![i](z) *b* # h"] },
              ],
            },
          ],
    engagement_assessment: { overall_reading: null, observations: [], limits: [] },
    team_learning: { takeaways: null, patterns: [], limits: [] },
    left_out: [],
  };
}

describe("100: overall confidence", () => {
  it.each([
    [["high", "high", "medium", "medium"], "high"],
    [["medium", "low", "low", "medium"], "medium"],
    [["low", "low", "low", "low"], "low"],
    [[], null],
  ] as const)("of %j is %s", (confidences, expected) => {
    expect(overallConfidence(reportWith(confidences))).toBe(expected);
  });

  it("ignores items without material work, and is shown as n/a if there are no others", () => {
    const report = reportWith(["high", "high"], "no_material_work_item");
    expect(overallConfidence(report)).toBeNull();
    expect(renderNarrative(report, [])).toContain("overall confidence n/a");
  });
});

describe("101: the final check of a report", () => {
  const committed = { lines: new Map([["p/S0001/T0001", "2-8"]]), chains: new Set(["p/S0001/T0001"]) };
  const changed = (change: (report: DailyReport) => void): DailyReport => {
    const report = structuredClone(reportWith(["high", "high"]));
    change(report);
    return report;
  };
  const itemOf = (report: DailyReport): DailyReport["projects"][number]["work_items"][number] => {
    const item = report.projects[0]?.work_items[0];
    if (!item) throw new Error("no item");
    return item;
  };

  it("accepts a valid report", () => expect(() => assertFinal(reportWith(["high", "high"]), committed)).not.toThrow());

  it.each<[string, (report: DailyReport) => void]>([
    ["wrong lines", (report) => Object.assign(itemOf(report).outcomes[0]?.citations[0] ?? {}, { lines: "2-9" })],
    ["a missing key", (report) => Object.assign(itemOf(report).outcomes[0]?.citations[0] ?? {}, { lines: undefined })],
    [
      "a turn that was not committed",
      (report) => Object.assign(itemOf(report).outcomes[0]?.citations[0] ?? {}, { turn_ref: "T0002" }),
    ],
    [
      "an item without outcomes whose terminal state has no citation",
      (report) => Object.assign(itemOf(report), { outcomes: [], terminal_states: [{ summary: "t", citations: [] }] }),
    ],
    ["a turn of the index in no work item", (report) => Object.assign(itemOf(report), { covered_turns: [] })],
  ])("rejects %s", (_, change) => {
    expect(() => assertFinal(changed(change), committed)).toThrow("does not hold");
  });

  it("rejects a citation of a turn without evidence", () => {
    expect(() => assertFinal(reportWith(["high", "high"]), { ...committed, chains: new Set() })).toThrow(
      "does not hold",
    );
  });
});

describe("102: a day without work", () => {
  it("makes no request to the agent, and has a report of fixed sentences", async () => {
    const workspace = await sampleWorkspace("2026-05-18");
    const agent = scripted(honest);
    const { report } = await narrated(workspace, agent);
    expect(agent.asked).toEqual([]);
    expect(report.projects).toEqual([]);
    const text = readFileSync(join(workspace, "report.md"), "utf8");
    for (const sentence of [
      "No work was recorded on this day.",
      "No supported reading of engagement.",
      "No supported learning.",
      "No evidence chains.",
      "overall confidence n/a",
    ])
      expect(text).toContain(sentence);
    expect(readFileSync(join(workspace, "report.html"), "utf8")).toContain("No work was recorded on this day.");
  });
});

describe("103: rendered texts", () => {
  const report = reportWith(["high", "high"]);
  it("cannot close the element that contains them", () => {
    const html = renderNarrativeHtml(report, []);
    expect(html).toContain("x &lt;/details&gt; y");
    expect(html).not.toContain("</details>");
    expect(renderNarrative(report, [])).toContain("x &lt;/details&gt; y");
  });

  it("are escaped, so that a human's message is quoted literally", () => {
    const text = renderNarrative(report, []);
    expect(text).toContain("> \\[x\\]\\(http\\://y\\) \\!\\[i\\]\\(z\\) \\*b\\* \\# h");
    expect(literal("- a")).toBe("\\- a");
    expect(literal("1. a")).toBe("1\\. a");
    expect(literal("<script>alert(1)</script>")).toBe("&lt;script&gt;alert\\(1\\)&lt;/script&gt;");
  });
});

it("an instruction file that Daybook did not write is not replaced", async () => {
  const workspace = await sampleWorkspace();
  writeFileSync(join(workspace, "AGENTS.md"), "my own\n");
  await expect(narrated(workspace, scripted(honest))).rejects.toThrow("was not written by Daybook");
  expect(filesOf(workspace)["AGENTS.md"]).toBe("my own\n");
});
