import { existsSync } from "node:fs";
import { logPath } from "../../record/log-path.ts";
import { LogReading, readLog, type LogDiagnostic, type SeqRange } from "../../record/reader.ts";
import type { LogRecord } from "../../record/record.ts";

/**
 * A session's records, preceded by those of the logs it was forked from. Iterate once; the other fields are complete
 * when the iteration is.
 */
export class History implements Iterable<LogRecord> {
  readonly #dir: string;
  readonly #id: string;
  readonly diagnostics: LogDiagnostic[] = [];
  /** How many `seq` numbers the parent logs use: numbering continues through all of them. */
  before = 0;
  /** Records that are missing, numbered like those that are there. */
  readonly gaps: SeqRange[] = [];
  /** The nearest ancestor log that does not exist; null if all are there. */
  missing: string | null = null;

  constructor(dir: string, id: string) {
    this.#dir = dir;
    this.#id = id;
  }

  *[Symbol.iterator](): Generator<LogRecord, void, undefined> {
    const line = this.#line();
    for (const [i, { id, until }] of line.entries()) {
      const reading = readLog(logPath(this.#dir, id));
      const own = i === line.length - 1;
      let last = -1;
      for (const record of reading) {
        if (record.seq > until) break;
        // A record that fills an earlier gap comes too late to be replayed; the diagnostics report it.
        if (record.seq < last) continue;
        last = record.seq;
        if (own || isShared(record)) yield this.further(own ? record : withoutParentUsage(record));
      }
      this.diagnostics.push(...reading.diagnostics);
      this.gaps.push(...reading.diagnostics.flatMap(({ missing }) => (missing ? [this.#furtherRange(missing)] : [])));
      if (!own) this.before += until + 1;
    }
  }

  /** The record with its number and session id adjusted to the whole history, after those of the parent logs. */
  further(record: LogRecord): LogRecord {
    if (this.before === 0 && record.session_id === this.#id) return record;
    const further = { ...record, seq: record.seq + this.before, session_id: this.#id };
    if (further.type === "cancelled" && further.from_seq !== undefined) further.from_seq += this.before;
    return further;
  }

  #furtherRange({ from, to }: SeqRange): SeqRange {
    return { from: from + this.before, to: to + this.before };
  }

  /** The session's log and its ancestors, oldest first, each with the last `seq` that counts. */
  #line(): { id: string; until: number }[] {
    const line = [{ id: this.#id, until: Infinity }];
    const seen = new Set([this.#id]);
    for (let parent = parentOf(this.#dir, this.#id); parent; parent = parentOf(this.#dir, parent.id)) {
      if (seen.has(parent.id) || !existsSync(logPath(this.#dir, parent.id))) {
        this.missing = parent.id;
        break;
      }
      seen.add(parent.id);
      line.unshift(parent);
    }
    return line;
  }
}

/** The records of a session and of those it continues: for readers, while another process may be writing. */
export function sessionRecords(dir: string, id: string): History {
  return new History(dir, id);
}

/** Usage of a parent counts for the parent only. */
function isShared({ type }: LogRecord): boolean {
  return type !== "usage" && type !== "usage_total";
}

/** Removes what counts for the parent only: its usage and its start time. */
function withoutParentUsage(record: LogRecord): LogRecord {
  if (record.type === "session_meta") return { ...record, started_at: null };
  if (record.type !== "assistant_finished" || record.usage === undefined) return record;
  const { usage: _, ...rest } = record;
  return rest;
}

function parentOf(dir: string, id: string): { id: string; until: number } | null {
  const [header] = new LogReading(logPath(dir, id), {});
  if (header?.type !== "session_meta" || !header.forked_from || header.forked_at === undefined) return null;
  return { id: header.forked_from, until: header.forked_at };
}
