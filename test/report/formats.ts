import { fileURLToPath } from "node:url";
import type { DayReport } from "../../src/answers/report/model.ts";
import { renderHtml } from "../../src/render/html.ts";
import { renderMarkdown } from "../../src/render/markdown.ts";
import { renderStandup } from "../../src/render/standup.ts";
import { renderSummary } from "../../src/render/summary.ts";
import type { Paint } from "../../src/render/terminal-lines.ts";
import { renderFull } from "../../src/render/terminal.ts";
import { Daybook, type ReportQuery } from "../../src/answers/daybook.ts";

export const SAMPLES: string = fileURLToPath(new URL("../../samples/", import.meta.url));
export const NOW: number = Date.parse("2026-05-20T12:00:00Z");

const same = (text: string): string => text;
export const NO_COLOUR: Paint = {
  bold: same,
  dim: same,
  red: same,
  green: same,
  yellow: same,
  blue: same,
  cyan: same,
  magenta: same,
};

/** Every report format, by the name suffix of its golden file. */
export const FORMATS: Readonly<Record<string, (report: DayReport) => string>> = {
  "terminal.txt": (report) => renderSummary(report, NO_COLOUR, 100),
  "narrow.txt": (report) => renderSummary(report, NO_COLOUR, 60),
  "full.txt": (report) => renderFull(report, NO_COLOUR, 100),
  "full-narrow.txt": (report) => renderFull(report, NO_COLOUR, 60),
  "report.md": renderMarkdown,
  "report.html": renderHtml,
  "report.json": (report) => `${JSON.stringify(report, null, 2)}\n`,
  "standup.txt": (report) => renderStandup(report),
  "standup.md": (report) => renderStandup(report, true),
};

/** A Daybook over sample sessions. `roots` may name single files, which are then discovered in that order. */
export function samples(roots: Record<string, string[]>, timezone = "Europe/Berlin"): Daybook {
  return new Daybook({ roots, timezone, env: {}, home: "/nowhere", now: NOW });
}

export const SAMPLE_ROOTS: Record<string, string[]> = {
  codex: [`${SAMPLES}codex`],
  "claude-code": [`${SAMPLES}claude-code`],
};

/** A report in which paths do not depend on where this checkout is. */
export async function sampleReport(query: ReportQuery, book: Daybook = samples(SAMPLE_ROOTS)): Promise<DayReport> {
  const text = JSON.stringify(await book.report(query));
  return JSON.parse(text.replaceAll(SAMPLES, "samples/")) as DayReport;
}
