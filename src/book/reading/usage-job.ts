import type { UsageBody } from "../../record/record.ts";
import type { Source, SourceRef } from "../../agents/contract.ts";
import type { Statement } from "../../turns/model.ts";
import { Spending } from "../../turns/spending.ts";
import { packUsage, type PackedUsage } from "./packed-usage.ts";

/** What a file tells without being read as a whole. */
export interface QuickAnswer {
  session_id: string;
  packed: PackedUsage;
  /** Totals that contain more than the responses. */
  statements: Statement[];
}

export interface UsageResult {
  /** Absent when the file has to be read as a whole. */
  usage?: QuickAnswer;
  error?: string;
}

/** The counted responses of one file. Failures are values: one unreadable file does not stop the others. */
export function usageResult(ref: SourceRef, source: Pick<Source, "quickUsage"> | undefined): UsageResult {
  try {
    const spending = new Spending();
    let timed = true;
    // Stands in for the line number: what follows a total has a larger one.
    let line = 1;
    const count = (usage: UsageBody, time: number | null): void => {
      // Only the records before it can tell when it was spent.
      if (time === null) timed = false;
      spending.take(usage, line, time, null);
    };
    const id = source?.quickUsage?.(ref, {}, count, (body, time) => {
      if (body.type === "compacted") spending.recordActivity(time);
      else spending.takeTotal(body, line++);
    });
    if (typeof id !== "string" || !timed) return {};
    const { responses, statements } = spending;
    return { usage: { session_id: id, packed: packUsage(responses.all()), statements } };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
