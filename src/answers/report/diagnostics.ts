import type { LostPrompt } from "../../views/lost-view.ts";
import type { Diagnostic } from "../../agents/contract.ts";
import type { AnswerRows } from "../../views/rows.ts";
import type { ReportDiagnostic } from "./model.ts";
import { order } from "../../base/text/order.ts";

/** What a reader should know before trusting the report: what could not be read, placed or understood. */
export function diagnosticsOf(
  touched: readonly string[],
  rows: AnswerRows,
  unreadable: readonly Diagnostic[],
  lost: readonly LostPrompt[],
): ReportDiagnostic[] {
  const found = new Map<string, ReportDiagnostic>();
  const add = (code: string, message: string, path: string | null, line: number | null, count: number): void => {
    const key = `${code} ${path ?? ""}`;
    const known = found.get(key);
    if (known) known.count += count;
    else found.set(key, { code, message, path, line, count });
  };
  for (const { code, message, path, line } of unreadable) {
    if (code === "file_unreadable" || code === "root_unreadable") add(code, message, path, line ?? null, 1);
  }
  for (const key of touched) {
    for (const { code, message, path, line } of rows.detail(key).diagnostics) add(code, message, path, line ?? null, 1);
    const session = rows.session(key);
    const unknown = session?.diagnostics?.unknown_records ?? 0;
    if (session && unknown > 0)
      add("record_unknown", "records of a type Daybook does not know", session.session_path, null, unknown);
  }
  for (const { session, turns } of rows.untimed()) {
    // A prompt without any time belongs to no day; it must not vanish from all of them in silence.
    const path = rows.session(session)?.session_path ?? null;
    add("time_missing", "turns without a time belong to no day", path, null, turns);
  }
  for (const { path, line } of lost)
    add("prompt_lost", "prompts that only the input history has: `daybook sessions --lost`", path, line, 1);
  return [...found.values()].toSorted((a, b) => order(a.code, b.code) || order(a.path ?? "", b.path ?? ""));
}
