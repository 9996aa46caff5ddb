import type { RecordBody } from "../../format/record.ts";
import type { EntryClass } from "../contract.ts";
import type { TypingTimes } from "./input-history.ts";
import type { RunLine, RunLines } from "./lines.ts";
import type { Reason } from "./reasons.ts";
import type { RunState } from "./state.ts";

/** The classification of a line, and the records it yields. */
export interface Verdict {
  class: EntryClass;
  reason: Reason;
  native: string;
  records: RecordBody[];
  /** The end of the file was reached before the verdict was certain. */
  open: boolean;
  time: number | null;
}

export interface Scene {
  line: RunLine;
  lines: RunLines;
  state: RunState;
  times: TypingTimes;
  path: string;
  /** Start of the run, from its header. */
  started: number | null;
  /** Id for calls and responses on this line. */
  id: string;
  full: boolean;
}

export function verdict(
  cls: EntryClass,
  reason: Reason,
  native: string,
  records: RecordBody[] = [],
  extra: Partial<Pick<Verdict, "open" | "time">> = {},
): Verdict {
  return { class: cls, reason, native, records, open: false, time: null, ...extra };
}

/** Looks for a line before the next prompt. `open`: the file ended first. */
export function findAhead(
  lines: RunLines,
  from: number,
  wanted: (line: RunLine) => boolean,
): { found: boolean; open: boolean } {
  for (let k = from; ; k++) {
    const line = lines.peek(k);
    if (line === "open") return { found: false, open: true };
    if (line === "over" || line.kind === "prompt") return { found: false, open: false };
    if (wanted(line)) return { found: true, open: false };
  }
}
