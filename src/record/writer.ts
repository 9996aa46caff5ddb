import { closeSync, fstatSync, fsyncSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { DaybookError } from "../base/errors.ts";
import { syncDirectory } from "../base/io/disk.ts";
import { acquireLock, type FileLock } from "./write-lock.ts";
import { SCHEMA_VERSION } from "./record.ts";
import type { LogRecord, Origin, RecordBody, RecordType } from "./record.ts";
import { recover, type Recovery } from "./recovery.ts";
import { problemsOf } from "./schema.ts";
import { ENVELOPE_FIELDS, shapeProblem } from "./shape.ts";
import { expandShortForms } from "./short-forms.ts";

/** A record before the writer adds `seq` and the rest of the envelope. */
export interface NewRecord {
  time: string | null;
  /** Absent when the record has no native origin. */
  origin?: Origin;
  turn_id?: string;
  body: RecordBody | ShortBody;
}

/** A body that omits fields with defaults (`short-forms.ts`); it is checked after they are filled in. */
export interface ShortBody {
  type: RecordType;
  [field: string]: unknown;
}

/**
 * When a writer calls fsync. `always`: after every batch, so that appended records survive a power failure. `batched`:
 * after every megabyte and on `flush` and `close`; a power failure may lose what was appended since, a killed process
 * nothing. `never`: the operating system decides.
 */
export type SyncPolicy = "always" | "batched" | "never";

export interface WriterOptions {
  /** Default: `always`. */
  sync?: SyncPolicy;
}

/** Bytes after which a batched writer calls fsync. */
const MOST_UNSYNCED = 1024 * 1024;

/**
 * Appends to the log of one session. Earlier bytes are never rewritten. `append` returns when the batch is written, and
 * synced as the policy demands; a crash in between leaves the leading records of the batch and at most one torn line,
 * which the next `open` moves aside.
 */
export class LogWriter {
  readonly path: string;
  readonly sessionId: string;
  /** What `open` found and repaired; `last` is the record to continue from. */
  readonly recovery: Readonly<Recovery>;
  readonly #fd: number;
  readonly #lock: FileLock;
  readonly #sync: SyncPolicy;
  #unsynced = 0;
  #nextSeq: number;
  #size: number;
  #state: "open" | "broken" | "closed" = "open";

  private constructor(
    path: string,
    sessionId: string,
    fd: number,
    lock: FileLock,
    recovery: Recovery,
    sync: SyncPolicy,
  ) {
    this.path = path;
    this.sessionId = sessionId;
    this.recovery = recovery;
    this.#fd = fd;
    this.#lock = lock;
    this.#sync = sync;
    this.#nextSeq = recovery.nextSeq;
    this.#size = recovery.size;
  }

  /** Creates or continues a log. Throws when another writer holds its lock or when it belongs to another session. */
  static open(path: string, sessionId: string, options: WriterOptions = {}): LogWriter {
    if (sessionId === "") throw problem("a log needs a session id", "usage", path);
    if (!path.endsWith(".jsonl")) throw problem("a log is written as plain .jsonl", "usage", path);
    const sync = options.sync ?? "always";
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const lock = acquireLock(`${path}.lock`);
    let fd: number | null = null;
    try {
      fd = openForAppend(path);
      const recovery = recover(fd, path, sessionId);
      if (sync !== "never" && recovery.size === 0) syncDirectory(dirname(path));
      return new LogWriter(path, sessionId, fd, lock, recovery, sync);
    } catch (error) {
      if (fd !== null) closeSync(fd);
      lock.release();
      throw error;
    }
  }

  /** The `seq` of the next record. */
  get nextSeq(): number {
    return this.#nextSeq;
  }

  /** Writes the batch in order with a single write, and returns the records as written. */
  append(batch: readonly NewRecord[]): LogRecord[] {
    if (this.#state !== "open")
      throw problem(`the writer is ${this.#state}; open the log again`, "internal", this.path);
    if (batch.length === 0) return [];
    const records = batch.map((one, i) => this.#place(one, this.#nextSeq + i));
    const bytes = Buffer.from(records.map(serialize).join(""));
    this.#checkUntouched();
    try {
      // One call in practice; the loop handles short writes.
      for (let done = 0; done < bytes.length;) done += writeSync(this.#fd, bytes, done, bytes.length - done);
      this.#unsynced += bytes.length;
      if (this.#sync === "always" || (this.#sync === "batched" && this.#unsynced >= MOST_UNSYNCED)) this.#flush();
    } catch (error) {
      // It is unknown how much was written; reopening the log finds out.
      this.#state = "broken";
      throw problem("the batch could not be written in full", "internal", this.path, error);
    }
    this.#size += bytes.length;
    this.#nextSeq += records.length;
    return records;
  }

  /** Syncs everything appended so far to disk. */
  flush(): void {
    if (this.#state === "open" && this.#unsynced > 0) this.#flush();
  }

  #flush(): void {
    fsyncSync(this.#fd);
    this.#unsynced = 0;
  }

  close(): void {
    if (this.#state === "closed") return;
    if (this.#sync !== "never") this.flush();
    this.#state = "closed";
    closeSync(this.#fd);
    this.#lock.release();
  }

  #place(one: NewRecord, seq: number): LogRecord {
    const { type, ...fields } = withoutUndefined(one.body);
    const stray = ENVELOPE_FIELDS.find((field) => Object.hasOwn(fields, field));
    if (stray !== undefined) throw problem(`the body of ${type} may not hold "${stray}"`, "invalid", this.path);
    if (seq === 0 && type !== "session_meta") throw problem("a log begins with session_meta", "invalid", this.path);
    // Key order is for human readers: every line begins with the same fields.
    const record = expandShortForms({
      schema_version: SCHEMA_VERSION,
      seq,
      time: one.time,
      type,
      session_id: this.sessionId,
      origin: one.origin ?? {},
      ...(one.turn_id === undefined ? {} : { turn_id: one.turn_id }),
      ...fields,
    });
    const wrong = problemOf(record, type);
    if (wrong !== null) throw problem(`record ${seq} is refused: ${wrong}`, "invalid", this.path);
    return record as unknown as LogRecord;
  }

  /** If another process ignored the lock or removed the file, every following `seq` would be wrong. */
  #checkUntouched(): void {
    const { size, nlink } = fstatSync(this.#fd);
    if (size === this.#size && nlink > 0) return;
    this.#state = "broken";
    throw problem("the log was changed by somebody else while it was open", "internal", this.path);
  }
}

/** Drops undefined fields, which JSON does not write, so that the check sees what will be written. */
function withoutUndefined(body: RecordBody | ShortBody): ShortBody {
  const fields = Object.entries(body);
  if (fields.every(([, value]) => value !== undefined)) return body;
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as ShortBody;
}

/** Rejects an invalid record before a byte is written: the reader may be another program, years later. */
function problemOf(record: Record<string, unknown>, type: string): string | null {
  const light = shapeProblem(record);
  if (light) return light.message;
  const problems = problemsOf(record);
  return problems.length === 0 ? null : problems.map(({ field, message }) => `${type}.${field}: ${message}`).join("; ");
}

function serialize(record: LogRecord): string {
  try {
    return `${JSON.stringify(record)}\n`;
  } catch (error) {
    throw new DaybookError(`record ${record.seq} cannot be written as JSON`, {
      code: "invalid",
      op: "write log",
      cause: error,
    });
  }
}

function openForAppend(path: string): number {
  try {
    return openSync(path, "a+", 0o600);
  } catch (error) {
    throw problem("cannot open the log for writing", "unreadable", path, error);
  }
}

function problem(message: string, code: DaybookError["code"], path: string, cause?: unknown): DaybookError {
  return new DaybookError(message, { code, op: "write log", path, ...(cause === undefined ? {} : { cause }) });
}
