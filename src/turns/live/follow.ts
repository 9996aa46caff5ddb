import { statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { openPlain } from "../../base/io/bytes.ts";
import { readLines } from "../../base/io/lines.ts";
import { parseJson } from "../../base/io/json.ts";
import { logPath } from "../../record/log-path.ts";
import type { LogRecord } from "../../record/record.ts";
import { shapeProblem } from "../../record/shape.ts";
import { expandShortForms } from "../../record/short-forms.ts";

export interface FollowOptions {
  /** First `seq` to yield; default 0. */
  from?: number;
  signal?: AbortSignal;
  /** Polling interval in milliseconds. */
  every?: number;
}

/**
 * Yields the records of a session and then those its writer appends, until the signal is aborted. Reads only what is
 * new; a line counts once its line end is written. Invalid lines are skipped: `readLog` reports them.
 */
export async function* followSession(
  dir: string,
  id: string,
  { from = 0, signal, every = 200 }: FollowOptions = {},
): AsyncGenerator<LogRecord, void, undefined> {
  const path = logPath(dir, id);
  let [line, offset] = [0, 0];
  for (;;) {
    if (signal?.aborted) return;
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > offset) {
      const stream = openPlain(path, offset);
      try {
        for (const raw of readLines(stream, { line, offset })) {
          if (!raw.terminated) break;
          line = raw.line;
          offset = raw.offset + raw.bytes + 1;
          const record = recordIn(raw.text, id);
          if (record && record.seq >= from) yield record;
          if (signal?.aborted) return;
        }
      } finally {
        stream.close();
      }
    }
    await sleep(every, undefined, signal ? { signal } : {}).catch(() => undefined);
  }
}

function recordIn(text: string | null, id: string): LogRecord | null {
  try {
    const value = parseJson(text ?? "");
    const full =
      typeof value === "object" && value !== null ? expandShortForms(value as Record<string, unknown>, id) : value;
    return shapeProblem(full) ? null : (full as LogRecord);
  } catch {
    return null;
  }
}
