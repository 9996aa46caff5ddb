import type { EditsOf } from "../answers/edits.ts";
import type { DayReport } from "../answers/report/model.ts";
import DayDocument from "./html/DayDocument.svelte";
import { renderDocument } from "./html/document.ts";
import { SCRIPT } from "./html/filters.ts";
import { spanTitle } from "./phrases.ts";

/** The report as one HTML document. `editsOf` (`Daybook.edits()`) adds diffs of the changed files. */
export function renderHtml(report: DayReport, editsOf: EditsOf = () => []): string {
  const title = spanTitle(report.span);
  return renderDocument(
    DayDocument,
    { report, title, editsOf },
    { title, timezone: report.span.timezone, script: SCRIPT },
  );
}
