import type { FileEdit } from "../../sources/contract.ts";
import type { DayReport, ReportTurn } from "../model.ts";
import DayDocument from "./html/DayDocument.svelte";
import { renderDocument } from "./html/document.ts";
import { SCRIPT } from "./html/filters.ts";
import { spanTitle } from "./phrases.ts";

/** Looks up what a turn's calls did to files. */
export type EditsOfTurn = (turn: Pick<ReportTurn, "source" | "session_id" | "turn_ref">) => readonly FileEdit[];

/** The report as one HTML document. `editsOf` (`Daybook.edits()`) adds diffs of the changed files. */
export function renderHtml(report: DayReport, editsOf: EditsOfTurn = () => []): string {
  const title = spanTitle(report.span);
  return renderDocument(
    DayDocument,
    { report, title, editsOf },
    { title, timezone: report.span.timezone, script: SCRIPT },
  );
}
