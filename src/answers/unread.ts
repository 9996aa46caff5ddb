import type { Level } from "../views/push-level.ts";
import type { DayReport, ReportDiagnostic } from "./report/model.ts";
import { plural } from "../base/text/units.ts";

/** Adds to a report that new files were not read yet, and what that may affect. */
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

/** What a report lacks, by the lowest level at which one of its sessions was pushed. */
const MISSING: Readonly<Record<Level, string>> = {
  totals: "sessions pushed as totals have numbers alone: no requests, answers, files or loose ends",
  turns: "commands and errors of tool calls were not pushed",
  full: "everything that reports are made of was pushed",
};

/** Adds to a report that it was made from a store, and what is missing there. Marks are never pushed. */
export function noteFromStore(made: DayReport, lowest: Level | null): void {
  const level = made.not_pushed?.level ?? lowest ?? "full";
  const message = `made from a store: ${MISSING[level]}; labels, stars, notes and prompts without a session stay on their machine`;
  made.diagnostics = [{ code: "from_store", message, path: null, line: null, count: 1 }, ...made.diagnostics];
  const fields = [...(made.not_pushed?.fields ?? []), "projects.sessions.marks", "projects.turns.marks"];
  made.not_pushed = { level, fields };
}
