import { existsSync } from "node:fs";
import { join } from "node:path";
import { LogReading, readLog, type LogDiagnostic } from "../format/reader.ts";
import type { LogRecord } from "../format/record.ts";

/** Where the log of a session stands. Ids are anybody's words: what means something to a file system is written otherwise. */
export function logPath(dir: string, id: string): string {
  const name = encodeURIComponent(id).replace(/^\./, "%2E").replaceAll("*", "%2A");
  return join(dir, `${name}.jsonl`);
}

/** A session's records, those of the logs it was forked from first. Iterate once; the rest is complete when the iteration is. */
export class History implements Iterable<LogRecord> {
  readonly #dir: string;
  readonly #id: string;
  readonly diagnostics: LogDiagnostic[] = [];
  /** How many numbers the logs before it take: `seq` counts on through all of them. */
  before = 0;
  /** The first log of the line that is not there; null when all are. */
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
        // One that fills an earlier gap comes too late to be gone on with; the diagnostics name it.
        if (record.seq < last) continue;
        last = record.seq;
        if (own || isShared(record)) yield this.further(own ? record : ofParent(record));
      }
      this.diagnostics.push(...reading.diagnostics);
      if (!own) this.before += until + 1;
    }
  }

  /** As the session's own record, behind those of the logs before. */
  further(record: LogRecord): LogRecord {
    if (this.before === 0 && record.session_id === this.#id) return record;
    const further = { ...record, seq: record.seq + this.before, session_id: this.#id };
    if (further.type === "cancelled" && further.from_seq !== undefined) further.from_seq += this.before;
    return further;
  }

  /** The oldest first, each with the last number that counts. */
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

/** What a log says of its session and of those it continues: for reading, beside the process that writes it. */
export function sessionRecords(dir: string, id: string): History {
  return new History(dir, id);
}

/** What a parent spent is the parent's. */
function isShared({ type }: LogRecord): boolean {
  return type !== "usage" && type !== "usage_total";
}

/** What it spent, and when it began, is said of the parent alone. */
function ofParent(record: LogRecord): LogRecord {
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
