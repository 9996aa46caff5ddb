import type { LostPrompt } from "../answers/lost-view.ts";
import type { Diagnostic } from "../sources/contract.ts";
import type { Session } from "../turns/session.ts";
import { order } from "./citations.ts";
import type { ReportDiagnostic } from "./model.ts";

/** What a reader should know before trusting the report: what could not be read, placed or understood. */
export function diagnosticsOf(
  touched: readonly Session[],
  chosen: readonly Session[],
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
  for (const session of touched) {
    for (const { code, message, path, line } of session.diagnostics) add(code, message, path, line ?? null, 1);
    const { unknown } = session.records;
    if (unknown > 0) add("record_unknown", "records of a type Daybook does not know", session.path, null, unknown);
  }
  for (const session of chosen) {
    // A prompt without any time belongs to no day; it must not vanish from all of them in silence.
    const untimed = session.turns.filter((turn) => turn.draft.trigger.time === null).length;
    if (untimed > 0) add("time_missing", "turns without a time belong to no day", session.path, null, untimed);
  }
  for (const { path, line } of lost)
    add("prompt_lost", "prompts that only the input history has: `daybook sessions --lost`", path, line, 1);
  return [...found.values()].toSorted((a, b) => order(a.code, b.code) || order(a.path ?? "", b.path ?? ""));
}
