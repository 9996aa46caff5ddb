import { DaybookError } from "../base/errors.ts";
import { openPlain, openZstd, type ByteStream } from "../base/io/bytes.ts";
import { readLines, type RawLine } from "../base/io/lines.ts";
import type { LogRecord } from "./record.ts";
import { recordPlaceOf, shapeProblem } from "./shape.ts";
import { MAX_DEPTH, parseJson } from "../base/io/json.ts";
import { idOfLogPath } from "./log-path.ts";
import { expandShortForms } from "./short-forms.ts";

export type LogDiagnosticCode =
  | "line_corrupt" // not JSON: skipped
  | "line_torn" // unfinished last line: skipped
  | "line_shrunk" // too long to hold: long strings were cut while reading
  | "line_invalid_utf8" // undecodable bytes were replaced
  | "file_truncated" // the compressed stream ends too early: nothing after this point could be read
  | "record_invalid" // JSON, but not a record: skipped
  | "type_unknown" // a type of a later version: skipped
  | "version_unsupported" // a schema version this library does not know: skipped
  | "session_foreign" // belongs to another session than the first record: skipped
  | "meta_missing" // the log does not begin with session_meta
  | "seq_gap" // records are missing before this one
  | "seq_backwards" // fills an earlier gap
  | "seq_duplicate"; // repeats a seq already met: skipped, the first line that carries a seq is the record

/** A problem found in a log. Diagnostics are returned as values and counted, never thrown. */
export interface LogDiagnostic {
  code: LogDiagnosticCode;
  path: string;
  line: number;
  /** Byte offset of the line in the plain file. */
  offset: number;
  message: string;
  /** `seq_gap`: the first and the last `seq` that are missing. */
  missing?: SeqRange;
}

export interface SeqRange {
  from: number;
  to: number;
}

/** `parseRecord` of `schema.ts` fits this type. The caller passes it in, so that reading alone does not load zod. */
export type RecordCheck = (
  value: unknown,
) => { ok: true } | { ok: false; problems: { field: string; message: string }[] };

export interface ReadOptions {
  /** Called for each diagnostic as soon as it is found. */
  report?: (diagnostic: LogDiagnostic) => void;
  /** An additional, fuller check, run after the check of required fields. */
  check?: RecordCheck;
}

/** Number of diagnostics kept with their position; later ones are only counted and reported. */
const KEEP = 200;
/** Number of sequence gaps remembered, to tell a late record from a repeated one. */
const KEEP_GAPS = 1000;

/** One pass over a log. Can be iterated once; the counters are complete when the iteration ends. */
export class LogReading implements Iterable<LogRecord> {
  readonly path: string;
  /** The first diagnostics, in order. */
  readonly diagnostics: LogDiagnostic[] = [];
  /** Number of diagnostics per code. */
  readonly counts: Partial<Record<LogDiagnosticCode, number>> = {};
  readonly #options: ReadOptions;
  readonly #gaps: SeqRange[] = [];
  #sessionId: string | null = null;
  #nextSeq = 0;
  #records = 0;
  #lines = 0;

  constructor(path: string, options: ReadOptions) {
    this.path = path;
    this.#options = options;
  }

  get sessionId(): string | null {
    return this.#sessionId;
  }

  get records(): number {
    return this.#records;
  }

  get lines(): number {
    return this.#lines;
  }

  *[Symbol.iterator](): Generator<LogRecord, void, undefined> {
    const stream = open(this.path);
    const lines = readLines(stream, { line: 0, offset: 0 });
    try {
      for (let line = this.#next(lines); line; line = this.#next(lines)) {
        this.#lines++;
        const record = this.#accept(line);
        if (!record) continue;
        this.#records++;
        yield record;
      }
    } finally {
      stream.close();
    }
  }

  #next(lines: Generator<RawLine, void, undefined>): RawLine | null {
    try {
      const step = lines.next();
      return step.done ? null : step.value;
    } catch (error) {
      // Keep what was read so far: a truncated or damaged container ends the iteration without an error.
      const line = { line: this.#lines + 1, offset: 0 };
      this.#flaw("file_truncated", line, `the file cannot be read any further (${String(error)})`);
      return null;
    }
  }

  #accept(line: RawLine): LogRecord | null {
    const value = this.#parse(line);
    if (value === undefined) return null;
    const full = this.#expand(value);
    const place = recordPlaceOf(full);
    if (place && this.#sessionId !== null && place.session_id !== this.#sessionId) {
      this.#flaw("session_foreign", line, `belongs to session ${place.session_id}`);
      return null;
    }
    // A line with an unusable body still occupies its place in the sequence.
    const fresh = place === null || this.#sequence(place.seq, line);
    const wrong = shapeProblem(full) ?? this.#check(full);
    if (wrong) {
      this.#flaw(wrong.code, line, wrong.message);
      return null;
    }
    if (!fresh) return null;
    const record = full as LogRecord;
    if (this.#sessionId === null) {
      this.#sessionId = record.session_id;
      if (record.type !== "session_meta") this.#flaw("meta_missing", line, `begins with ${record.type}`);
    }
    return record;
  }

  #expand(value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    const fields = value as Record<string, unknown>;
    // Without its header the log is known by its file name alone.
    const fallback = fields["type"] === "session_meta" ? null : idOfLogPath(this.path);
    return expandShortForms(fields, this.#sessionId ?? fallback);
  }

  #parse(line: RawLine): unknown {
    if (line.text === null) {
      this.#flaw("line_corrupt", line, `is too long to read (${line.bytes} bytes)`);
      return undefined;
    }
    // Some editors add a byte order mark.
    const text = line.line === 1 && line.text.startsWith("\uFEFF") ? line.text.slice(1) : line.text;
    let value: unknown;
    try {
      value = parseJson(text, 2 * MAX_DEPTH);
    } catch {
      if (line.terminated) this.#flaw("line_corrupt", line, `is not JSON (${line.bytes} bytes)`);
      else this.#flaw("line_torn", line, `is unfinished (${line.bytes} bytes)`);
      return undefined;
    }
    if (line.shrunk) this.#flaw("line_shrunk", line, `is long (${line.bytes} bytes): its long texts were cut`);
    else if (line.replaced && Buffer.byteLength(line.text) !== line.bytes) {
      // If the lengths agree, the replacement character is part of the original text.
      this.#flaw("line_invalid_utf8", line, "holds bytes that are not UTF-8");
    }
    return value;
  }

  #check(value: unknown): { code: "record_invalid"; message: string } | null {
    const result = this.#options.check?.(value);
    if (!result || result.ok) return null;
    const message = result.problems.map((p) => `${p.field} ${p.message}`.trim()).join("; ");
    return { code: "record_invalid", message };
  }

  /** False when a record with this `seq` was already read. */
  #sequence(seq: number, line: RawLine): boolean {
    const next = this.#nextSeq;
    if (seq >= next) {
      if (seq > next) {
        const missing = { from: next, to: seq - 1 };
        const what = seq === next + 1 ? `seq ${next} is missing` : `seq ${next} to ${seq - 1} are missing`;
        this.#flaw("seq_gap", line, what, missing);
        if (this.#gaps.length < KEEP_GAPS) this.#gaps.push(missing);
      }
      this.#nextSeq = seq + 1;
      return true;
    }
    const i = this.#gaps.findIndex((gap) => gap.from <= seq && seq <= gap.to);
    const gap = this.#gaps[i];
    if (!gap) {
      this.#flaw("seq_duplicate", line, `repeats seq ${seq}`);
      return false;
    }
    const rest = [
      { from: gap.from, to: seq - 1 },
      { from: seq + 1, to: gap.to },
    ];
    this.#gaps.splice(i, 1, ...rest.filter((part) => part.from <= part.to));
    this.#flaw("seq_backwards", line, `seq ${seq} comes after seq ${next - 1}`);
    return true;
  }

  #flaw(code: LogDiagnosticCode, at: { line: number; offset: number }, message: string, missing?: SeqRange): void {
    this.counts[code] = (this.counts[code] ?? 0) + 1;
    const diagnostic = {
      code,
      path: this.path,
      line: at.line,
      offset: at.offset,
      message: `line ${at.line} ${message}`,
      ...(missing ? { missing } : {}),
    };
    if (this.diagnostics.length < KEEP) this.diagnostics.push(diagnostic);
    this.#options.report?.(diagnostic);
  }
}

/**
 * Reads a log (`.jsonl`, `.jsonl.zst`) record by record in constant memory. The file is opened on iteration; the only
 * error thrown is that it cannot be opened.
 */
export function readLog(path: string, options: ReadOptions = {}): LogReading {
  return new LogReading(path, options);
}

function open(path: string): ByteStream {
  try {
    return path.endsWith(".zst") ? openZstd(path, 0) : openPlain(path, 0);
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw new DaybookError(missing ? "there is no such log" : "the log cannot be opened", {
      code: missing ? "not_found" : "unreadable",
      op: "read log",
      path,
      cause: error,
    });
  }
}
