import type { EditsOf } from "../answers/report.ts";
import type { DayReport } from "../answers/report/model.ts";
import type { Zone } from "../base/time/zone.ts";
import type { LogRecord } from "../record/record.ts";
import type { SessionView } from "../views/session-view.ts";
import DayDocument from "./html/DayDocument.svelte";
import SessionDocument from "./html/SessionDocument.svelte";
import { renderDocument } from "./html/document.ts";
import { SCRIPT } from "./html/filters.ts";
import { excerpt, spanTitle } from "./phrases.ts";
import type { ShownTurns } from "./session-markdown.ts";

/** The report as one HTML document. `editsOf` (`Daybook.edits()`) adds diffs of the changed files. */
export function renderHtml(report: DayReport, editsOf: EditsOf = () => []): string {
  const title = spanTitle(report.span);
  return renderDocument(
    DayDocument,
    { report, title, editsOf },
    { title, timezone: report.span.timezone, script: SCRIPT },
  );
}

/** A session, or the part of it that was asked for, as one HTML document. */
export function renderSessionHtml(
  session: SessionView,
  { turns, shown }: ShownTurns,
  records: readonly LogRecord[],
  zone: Zone,
): string {
  const title = excerpt(session.title ?? session.session_id, 1, 120);
  return renderDocument(SessionDocument, { session, title, turns, shown, records }, { title, timezone: zone.name });
}
