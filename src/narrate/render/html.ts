import type { DailyReport, WeeklyReport } from "../../views/narrative.ts";
import { renderDocument } from "../../render/html/document.ts";
import type { AppendixEntry } from "./markdown.ts";
import NarrativeDocument from "./NarrativeDocument.svelte";
import WeekDocument from "./WeekDocument.svelte";
import { narrativeTitle, weekTitle } from "./words.ts";

/** The narrative of a day as one HTML document, in the design of the day report. */
export function renderNarrativeHtml(report: DailyReport, appendix: readonly AppendixEntry[]): string {
  const title = narrativeTitle(report);
  return renderDocument(NarrativeDocument, { report, title, appendix }, { title, timezone: report.window.timezone });
}

/** That of several days. */
export function renderWeekHtml(report: WeeklyReport): string {
  const title = weekTitle(report);
  // It shows days, and no times.
  return renderDocument(WeekDocument, { report, title }, { title, timezone: "UTC" });
}
