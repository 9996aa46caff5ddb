import type { ReportDiagnostic } from "../report/model.ts";
import { plural } from "../text/units.ts";

/** Says in a report that new files were not read yet, and what that may mean. */
export function withUnread(
  diagnostics: readonly ReportDiagnostic[],
  { files, bytes }: { files: number; bytes: number },
): ReportDiagnostic[] {
  const size = `${Math.max(1, Math.round(bytes / 1e6))} MB`;
  const message =
    `${plural(files, "file")} of other days (${size}) still to be read: ` +
    "forks, copies, prompts that recur and older loose ends may change this; `daybook sync` reads them";
  return [{ code: "files_unread", message, path: null, line: null, count: 1 }, ...diagnostics];
}

/** Answers of a store are finished ones: what reports find in the records of a session is not among them. */
export function withoutRecords(diagnostics: readonly ReportDiagnostic[]): ReportDiagnostic[] {
  const message =
    "made from a store: commits, to-do lists, checks and what rules a turn stand in the records, which are on the machine that pushed";
  return [{ code: "from_store", message, path: null, line: null, count: 1 }, ...diagnostics];
}
