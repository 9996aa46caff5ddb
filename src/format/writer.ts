import { closeSync, fstatSync, fsyncSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { DaybookError } from "../errors.ts";
import { syncDirectory } from "../io/disk.ts";
import { acquireLock, type FileLock } from "./write-lock.ts";
import { SCHEMA_VERSION } from "./record.ts";
import type { LogRecord, Origin, RecordBody, RecordType } from "./record.ts";
import { recover, type Recovery } from "./recovery.ts";
import { problemsOf } from "./schema.ts";
import { ENVELOPE_FIELDS, shapeProblem } from "./shape.ts";
import { inFull } from "./short-forms.ts";

/** A record before the writer gives it its place. */
export interface NewRecord {
  time: string | null;
  /** Absent when there is no native record behind it. */
  origin?: Origin;
  turn_id?: string;
  body: RecordBody | ShortBody;
}

/** A body that leaves out what goes without saying (`short-forms.ts`); it is checked all the same. */
export interface ShortBody {
  type: RecordType;
  [field: string]: unknown;
}

/**
 * When a writer waits for the disk. `always`: after every batch, so that what `append` returned survives a power cut. `batched`:
 * after every megabyte, and when `flush` or `close` is called; a power cut may take what came since, a killed process nothing.
 * `never`: when the system sees fit.
 */
export type SyncPolicy = "always" | "batched" | "never";

export interface WriterOptions {
  /** `always` unless said otherwise. */
  sync?: SyncPolicy;
}

/** Bytes after which a batched writer waits for the disk. */
const MOST_UNSYNCED = 1024 * 1024;

/**
 * Appends to the log of one session. Earlier bytes are never written again. `append` returns when the batch is written, and on
 * disk by the policy chosen; a crash in the middle leaves the batch's leading records and at most one torn line, which the next `open` puts aside.
 */
export class LogWriter {
  readonly path: string;
  readonly sessionId: string;
  /** What `open` found and repaired; `last` says where to go on. */
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

  /** Creates the log or goes on with it. Throws when another writer has it, or when it belongs to another session. */
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

  /** The `seq` the next record will get. */
  get nextSeq(): number {
    return this.#nextSeq;
  }

  /** Writes the batch in order with a single write, and returns the records as they now stand in the log. */
  append(batch: readonly NewRecord[]): LogRecord[] {
    if (this.#state !== "open")
      throw problem(`the writer is ${this.#state}; open the log again`, "internal", this.path);
    if (batch.length === 0) return [];
    const records = batch.map((one, i) => this.#place(one, this.#nextSeq + i));
    const bytes = Buffer.from(records.map(serialize).join(""));
    this.#checkUntouched();
    try {
      // One call in practice; the loop is for the short writes the system is allowed to make.
      for (let done = 0; done < bytes.length;) done += writeSync(this.#fd, bytes, done, bytes.length - done);
      this.#unsynced += bytes.length;
      if (this.#sync === "always" || (this.#sync === "batched" && this.#unsynced >= MOST_UNSYNCED)) this.#flush();
    } catch (error) {
      // How much arrived is unknown. Only a fresh look at the file can tell, and `open` takes it.
      this.#state = "broken";
      throw problem("the batch could not be written in full", "internal", this.path, error);
    }
    this.#size += bytes.length;
    this.#nextSeq += records.length;
    return records;
  }

  /** Waits until everything appended is on the disk. */
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
    const { type, ...fields } = said(one.body);
    const stray = ENVELOPE_FIELDS.find((field) => Object.hasOwn(fields, field));
    if (stray !== undefined) throw problem(`the body of ${type} may not hold "${stray}"`, "invalid", this.path);
    if (seq === 0 && type !== "session_meta") throw problem("a log begins with session_meta", "invalid", this.path);
    // The order of keys is for people: the same columns at the start of every line.
    const record = inFull({
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

  /** Somebody who ignores the lock, or removed the file, would make every following `seq` a lie. */
  #checkUntouched(): void {
    const { size, nlink } = fstatSync(this.#fd);
    if (size === this.#size && nlink > 0) return;
    this.#state = "broken";
    throw problem("the log was changed by somebody else while it was open", "internal", this.path);
  }
}

/** A field that is undefined is not written, so it is not there. */
function said(body: RecordBody | ShortBody): ShortBody {
  const fields = Object.entries(body);
  if (fields.every(([, value]) => value !== undefined)) return body as ShortBody;
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as ShortBody;
}

/** Everything the schema refuses is refused before a byte is written: a reader may be another program, years later. */
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
