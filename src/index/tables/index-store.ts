import { closeSync, mkdirSync, openSync, rmSync, statSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { openDatabase, type Database, type Row, type SqlValue, type Statement } from "../../base/io/sqlite.ts";
import { needsToWrite, openReadOnly } from "../../base/io/sqlite-foreign.ts";
import { DiskFullError } from "../../base/io/disk.ts";
import { isLogDamaged, loggedPages } from "../../base/io/sqlite-log.ts";
import type { SourceRef } from "../../agents/contract.ts";
import { readerVersion } from "../../stored-versions.ts";
import { DamagedIndex, isDamage, isFull, onDamage } from "./damaged-index.ts";
import { PAGE_SIZE } from "./page-sums.ts";
import { INDEX_VERSION, SCHEMA } from "./schema.ts";
import {
  breakSeal,
  condemn,
  isUnfinished,
  removeSeal,
  seal,
  sealCopy,
  sealStateOf,
  type SealedChange,
} from "./seal.ts";
import { moveOver } from "../../base/io/move-over.ts";

const BATCH = 200;
const MOST_STATEMENTS = 200;
/** Number of pages in the write-ahead log that triggers a checkpoint. */
const CHECKPOINT = 2000;
/** Bytes of a log that will soon reach that length. */
const LONG_LOG = (CHECKPOINT / 4) * PAGE_SIZE;
/**
 * Bytes. Readers search a longer log more slowly, and while there is always one of them SQLite never empties it by
 * itself: then the writer waits for them.
 */
const LONGEST_LOG = 64_000_000;
/** How long the writer waits for readers that keep the log from being emptied, in ms. */
const WAIT_FOR_READERS = 3000;
/** How long to wait for another writer, in ms. */
const PATIENCE = 10_000;

export interface StoredFile {
  id: number;
  ref: SourceRef;
  session_id: string;
  /** Relative to the home, so that the home can be moved. */
  page: string;
  lines: number;
  gone: boolean;
  /** The file was rewritten, and a later page holds its current content. */
  superseded: boolean;
  /** Another version of the reader read it: its ref looks changed, so that it is read again from its start. */
  outdated: boolean;
}

/** State of the index file. `older`: of another version of Daybook, older or newer. */
export type IndexState = "usable" | "absent" | "older" | "damaged";

/** The SQLite file and its statements. Writes belong in `transaction`, `batched` or `tryTransaction`. */
export class IndexStore {
  readonly path: string;
  readonly home: string;
  /** The home cannot be written to: the index is read as it is. */
  readonly isReadOnly: boolean;
  /** Called before every batch, to keep the write lock alive. */
  beat: (() => void) | null = null;
  readonly #db: Database;
  readonly #statements = new Map<string, Statement>();
  /** Identity of the opened file, even if its path names another one by now; null for an unpublished index. */
  readonly file: string | null;

  #isDamaged = false;
  #isReading = false;
  #open = false;
  #batch = 0;
  /** Bytes: the next length of the log at which to empty it. */
  #emptyAt = LONGEST_LOG;
  /** Something was written that may invalidate cached answers. */
  #changed = false;
  #files: { version: number; list: StoredFile[] } | null = null;

  private constructor(path: string, db: Database, file: string | null, isReadOnly = false) {
    this.file = file;
    this.isReadOnly = isReadOnly;
    this.path = path;
    this.home = dirname(path);
    this.#db = db;
  }

  /** A new, empty index under a temporary name until `publish`. */
  static create(home: string): IndexStore {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    remove(join(home, "index.new"));
    const path = join(home, "index.new");
    // SQLite gives its side files the mode of the database: other users cannot read them.
    closeSync(openSync(path, "a", 0o600));
    const store = new IndexStore(path, openDatabase(path), null);
    try {
      store.#lay();
    } catch (error) {
      store.abandon();
      throw error;
    }
    return store;
  }

  #lay(): void {
    // Stored answers are kilobytes long: on small pages each would leave most of a page empty.
    this.#exec(`PRAGMA page_size = ${PAGE_SIZE}`);
    // A single file without side files, so that it can be renamed.
    this.#exec("PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY");
    this.#exec("BEGIN");
    this.#exec(SCHEMA);
    this.add("INSERT INTO meta (key, value) VALUES ('version', ?)", INDEX_VERSION);
    this.#exec("COMMIT");
  }

  /**
   * An index for one question about files that are in no book. SQLite gives it an unnamed file, and only when it is too
   * large for memory: nothing needs to be cleaned up, however the process ends. `inMemory`: without any file.
   */
  static unnamed(inMemory = false): IndexStore {
    const db = openDatabase(inMemory ? ":memory:" : "");
    if (inMemory) db.exec("PRAGMA temp_store = MEMORY");
    db.exec(
      "PRAGMA page_size = 16384; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32000",
    );
    db.exec(SCHEMA);
    db.exec("CREATE TABLE kept_text (hash TEXT PRIMARY KEY, text TEXT NOT NULL)");
    return new IndexStore("", db, null);
  }

  /**
   * Replaces an index that is of another version, damaged or lost. Only for the holder of the home's lock. Until then
   * others use the old index; nobody ever sees a half-built one.
   */
  publish(): void {
    this.commit();
    this.#db.close();
    IndexStore.discard(this.home);
    const path = join(this.home, "index.db");
    moveOver(this.path, path);
    remove(this.path);
    seal(path);
  }

  /** Deletes a new index that was not published. */
  abandon(): void {
    this.close();
    remove(this.path);
  }

  /** Opens the index; null when there is no usable one. */
  static openExisting(home: string): IndexStore | null {
    return openIndex(home).store;
  }

  static stateOf(home: string): IndexState {
    const { state, store } = openIndex(home);
    store?.close();
    return state;
  }

  /** Checks the write-ahead log after an interrupted sync, before it is opened. Needs the home's lock. */
  static assertLog(home: string): void {
    if (isLogDamaged(join(home, "index.db-wal"))) throw new DamagedIndex(new Error("the write-ahead log is damaged"));
  }

  static isUsable(home: string): boolean {
    return IndexStore.stateOf(home) === "usable";
  }

  /** For `openIndex` only. */
  static wrap(path: string, db: Database, file: Stats, isReadOnly: boolean): IndexStore {
    return new IndexStore(path, db, nameOf(file), isReadOnly);
  }

  /** Whether this connection is to that file. */
  isOf(path: string, file: Stats): boolean {
    return this.path === path && this.file === nameOf(file);
  }

  /** Whether the opened file is still the one at its path. */
  isInPlace(): boolean {
    const file = statSync(this.path, { throwIfNoEntry: false });
    return file !== undefined && this.isOf(this.path, file);
  }

  static discard(home: string): void {
    IndexStore.release(home);
    const path = join(home, "index.db");
    removeSeal(path);
    remove(path);
  }

  /** Closes the connection that `close` kept open. */
  static release(home: string): void {
    if (idle !== null && idle.home === home) takeIdle(idle).#end();
  }

  close(): void {
    this.endReading();
    if (this.#open) this.#rollBack();
    this.#open = false;
    this.#changed = false;
    this.#batch = 0;
    this.beat = null;
    if (idle !== null) takeIdle(idle).#end();
    if (this.file === null || this.#isDamaged) this.#end();
    else keepIdle(this);
  }

  #end(): void {
    this.settle();
    this.#db.close();
    openStores.delete(this);
  }

  /**
   * Checkpoints the log and seals the file. Closing would checkpoint too, but one of the engines closes too late to
   * seal it. `isChecked`: the index was in doubt and has been verified.
   */
  settle(isChecked = false): void {
    if (this.#open || this.isReadOnly || this.#isDamaged || this.file === null) return;
    if (!this.#hasLog()) return isChecked ? this.sealIfInPlace() : undefined;
    const before = breakSeal(this.path);
    const version = this.#versionNow();
    const pages = loggedPages(`${this.path}-wal`);
    // Does not wait: another reader or writer will do the rest when it ends. Leaves no log, because SQLite would
    // silently use an older state if part of it were damaged.
    this.#checkpoint(0);
    // If a log is left, another connection or the next sync checkpoints it.
    if (this.#hasLog()) return;
    const isAlone = version !== null && version === this.#versionNow();
    this.sealIfInPlace(before && pages && isAlone ? { before, pages } : null);
  }

  /** Null if it cannot be read: nothing may be thrown while a process ends. */
  #versionNow(): number | null {
    try {
      return this.version();
    } catch {
      return null;
    }
  }

  /**
   * For long-lived processes that write a little now and then. SQLite would checkpoint a long log by itself, and the
   * seal would no longer match the file.
   */
  settleLong(): void {
    if (this.#logSize() > LONG_LOG) this.settle();
  }

  #hasLog(): boolean {
    return this.#logSize() > 0;
  }

  #logSize(): number {
    return statSync(`${this.path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Seals the file, unless another one has taken its place. */
  sealIfInPlace(change: SealedChange | null = null): void {
    const file = statSync(this.path, { throwIfNoEntry: false });
    if (file && nameOf(file) === this.file) seal(this.path, change);
  }

  /** SQLite's own integrity checks, of the database and of the text indexes. Reads everything. */
  assertSound(): void {
    const found = this.list("PRAGMA quick_check(1)");
    if (found[0]?.[0] !== "ok") throw new DamagedIndex(new Error(String(found[0]?.[0])));
    this.#exec("INSERT INTO instruction_text (instruction_text) VALUES ('integrity-check')");
  }

  get isDamaged(): boolean {
    return this.#isDamaged;
  }

  /** Marks the index as damaged, so that the next process rebuilds it. */
  condemn(): void {
    this.#isDamaged = true;
    if (this.file !== null) condemned.add(this.file);
    condemn(this.path);
  }

  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (isFull(error)) throw new DiskFullError(this.path, PAGE_SIZE, error);
      throw isDamage(error) ? new DamagedIndex(error) : error;
    }
  }

  #exec(sql: string): void {
    this.#guarded(() => this.#db.exec(sql));
  }

  /** Errors of the rollback are ignored: the error that caused it is reported. */
  #rollBack(): void {
    this.#changed = false;
    try {
      this.#db.exec("ROLLBACK");
    } catch {
      // Some errors end the transaction by themselves.
    }
  }

  all(sql: string, ...params: SqlValue[]): Row[] {
    return this.#guarded(() => this.#prepare(sql).all(...params));
  }

  /** Rows as arrays: for many short rows, naming every value costs more than reading it. */
  list(sql: string, ...params: SqlValue[]): SqlValue[][] {
    return this.#guarded(() => {
      const statement = this.#prepare(sql);
      // Without `setReturnArrays`, column names must be distinct.
      if (!statement.setReturnArrays) return statement.all(...params).map((row) => Object.values(row));
      statement.setReturnArrays(true);
      try {
        return statement.all(...params) as unknown as SqlValue[][];
      } finally {
        statement.setReturnArrays(false);
      }
    });
  }

  get(sql: string, ...params: SqlValue[]): Row | undefined {
    return this.#guarded(() => this.#prepare(sql).get(...params));
  }

  run(sql: string, ...params: SqlValue[]): number {
    this.#files = null;
    this.#changed = true;
    return Number(this.#guarded(() => this.#prepare(sql).run(...params)).lastInsertRowid);
  }

  /** Runs a statement for each row of these values. */
  runAll(sql: string, width: number, values: readonly SqlValue[]): void {
    this.#files = null;
    this.#changed = true;
    this.#guarded(() => {
      const statement = this.#prepare(sql);
      for (let from = 0; from < values.length; from += width) statement.run(...values.slice(from, from + width));
    });
  }

  /** Writes what does not affect any answer, such as cached facts. */
  add(sql: string, ...params: SqlValue[]): void {
    this.#guarded(() => this.#prepare(sql).run(...params));
  }

  /** For long-lived programs: a quarter of the page cache; the rest is read again through the disk cache. */
  spareMemory(): void {
    this.#exec("PRAGMA cache_size = -8000");
  }

  /** Changes when another process or connection has written. */
  version(): number {
    return Number(this.get("PRAGMA data_version")?.["data_version"]);
  }

  /** Until `endReading` all queries see the same state, whoever writes meanwhile; nobody else writes a private index. */
  beginReading(): void {
    if (this.#isReading || this.file === null) return;
    this.#exec("BEGIN");
    this.#isReading = true;
  }

  endReading(): void {
    if (this.#isReading) this.#rollBack();
    this.#isReading = false;
  }

  /** Runs several queries on the same state. */
  snapshot<T>(work: () => T): T {
    if (this.#open || this.#isReading) return work();
    this.beginReading();
    try {
      return work();
    } finally {
      this.endReading();
    }
  }

  /**
   * Work that may be committed together with later work: a commit costs more than most of what it writes. A crash loses
   * the whole batch, which is then read again from the book and the files.
   */
  batched<T>(work: () => T): T {
    this.beat?.();
    if (!this.#open) this.#exec("BEGIN IMMEDIATE");
    this.#open = true;
    const result = work();
    if (++this.#batch >= BATCH) this.commit();
    return result;
  }

  commit(): void {
    if (this.#open) this.#finish();
    this.#open = false;
    this.#batch = 0;
    if (this.file !== null && this.#logSize() > this.#emptyAt) this.#emptyLog();
  }

  /** Readers that begin now do not hinder it, so it takes as long as the slowest answer under way. */
  #emptyLog(): void {
    this.#checkpoint(WAIT_FOR_READERS);
    // Somebody reads for longer than that: try again when the log has doubled.
    this.#emptyAt = Math.max(LONGEST_LOG, this.#logSize() * 2);
  }

  #checkpoint(wait: number): void {
    try {
      this.#db.exec(
        `PRAGMA busy_timeout = ${wait}; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA busy_timeout = ${PATIENCE}`,
      );
    } catch {
      // Nothing is lost: the log stays.
    }
  }

  /** Every write invalidates the cached answers, so that no writer has to do it. */
  #finish(): void {
    if (this.#changed) this.#exec("DELETE FROM answer");
    this.#exec("COMMIT");
    this.#changed = false;
  }

  transaction<T>(work: () => T): T {
    this.commit();
    this.#exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#finish();
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  /**
   * Deletes something so that no trace stays in the file: freed pages are overwritten, and the words are removed from
   * the text index itself, which otherwise only marks them as deleted.
   */
  scrub(work: () => void): void {
    this.commit();
    this.#exec("PRAGMA secure_delete = ON");
    this.transaction(() => {
      work();
      this.#exec("INSERT INTO instruction_text (instruction_text) VALUES ('optimize')");
    });
    this.#exec("PRAGMA secure_delete = OFF");
  }

  /** Like `transaction`, but gives up at once if another connection is writing. Returns whether it was committed. */
  tryTransaction(work: () => void): boolean {
    if (this.#open || this.#isReading || this.isReadOnly) return false;
    try {
      this.#exec("PRAGMA busy_timeout = 0");
      this.transaction(work);
      return true;
    } catch (error) {
      if (error instanceof DiskFullError) return false;
      if (!(error instanceof Error && /locked|busy|readonly/i.test(error.message))) throw error;
      return false;
    } finally {
      this.#exec(`PRAGMA busy_timeout = ${PATIENCE}`);
    }
  }

  meta(key: string): string | null {
    const row = this.get("SELECT value FROM meta WHERE key = ?", key);
    return typeof row?.["value"] === "string" ? row["value"] : null;
  }

  setMeta(key: string, value: string): void {
    this.run(
      "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      key,
      value,
    );
  }

  /** Needed by every step of a command; cached until somebody writes. */
  files(): readonly StoredFile[] {
    const version = this.version();
    if (this.#files?.version === version) return this.#files.list;
    this.#files = { version, list: this.list(`SELECT ${FILE_COLUMNS} FROM file ORDER BY id`).map(storedFileFrom) };
    return this.#files.list;
  }

  #prepare(sql: string): Statement {
    let statement = this.#statements.get(sql);
    // Some statements contain times and file ids: a server must not keep all of them.
    if (!statement && this.#statements.size >= MOST_STATEMENTS) this.#statements.clear();
    if (!statement) this.#statements.set(sql, (statement = this.#db.prepare(sql)));
    return statement;
  }
}

/**
 * The connection closed last, kept open. A command opens its index several times, each opening costs more than most
 * questions, and one of the engines keeps the files of a closed connection open until garbage collection.
 */
let idle: IndexStore | null = null;

function keepIdle(store: IndexStore): void {
  idle = store;
}

function takeIdle(store: IndexStore): IndexStore {
  idle = null;
  return store;
}

function nameOf(file: Stats): string {
  return `${file.dev} ${file.ino} ${file.birthtimeMs}`;
}

/** Stores that are still open: they are settled when the process ends. */
const openStores = new Set<IndexStore>();

let isAwaited = false;

function settleAtExit(store: IndexStore): IndexStore {
  if (!isAwaited)
    process.once("exit", () => {
      for (const one of openStores) one.settle();
    });
  isAwaited = true;
  openStores.add(store);
  return store;
}

/** Files that this process found damaged; needed where the home is read-only and the seal cannot say so. */
const condemned = new Set<string>();

onDamage(() => {
  for (const store of openStores) store.condemn();
});

interface OpenResult {
  state: IndexState;
  store: IndexStore | null;
}

/** Opens the index and determines its state. */
function openIndex(home: string): OpenResult {
  const path = join(home, "index.db");
  const file = statSync(path, { throwIfNoEntry: false });
  // Opening an empty file would wait for whoever still has it open.
  if (!file || file.size === 0) return { state: "absent", store: null };
  if (idle !== null && idle.isOf(path, file)) return { state: "usable", store: takeIdle(idle) };
  if (condemned.has(nameOf(file))) return { state: "damaged", store: null };
  const isTrusted = isTrustworthy(home, path);
  let db: Database | null = null;
  let isReadOnly = false;
  try {
    try {
      db = openDatabase(path, PATIENCE);
      prepareConnection(db);
    } catch (error) {
      if (!needsToWrite(error)) throw error;
      db?.close();
      db = openReadOnly(path);
      isReadOnly = true;
    }
    const row = db.prepare("SELECT value FROM meta WHERE key = 'version'").get();
    const isOurs = row?.["value"] === INDEX_VERSION;
    // If the index cannot be rebuilt, use it as long as SQLite finds nothing wrong.
    if (isOurs && (isTrusted || isReadOnly))
      return { state: "usable", store: settleAtExit(IndexStore.wrap(path, db, file, isReadOnly)) };
    db.close();
    if (isOurs) condemned.add(nameOf(file));
    return { state: isOurs || row === undefined ? "damaged" : "older", store: null };
  } catch {
    // Not a database, or damaged: it is derived, so it is rebuilt.
    db?.close();
    return { state: "damaged", store: null };
  }
}

/** The seal matches, or Daybook is writing to the file, or it is a copy of a file with that seal. */
function isTrustworthy(home: string, path: string): boolean {
  const state = sealStateOf(path);
  if (state !== "broken") return state !== "condemned";
  if (isUnfinished(home)) return true;
  // Of two processes that end at once, one may have sealed it before the other was done: look again.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30);
  return sealStateOf(path) === "whole" || sealCopy(path);
}

function remove(path: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(path + suffix, { force: true, recursive: true });
}

/** Columns of `file`, in order. */
const FILE_COLUMNS = "id, source, path, key, session_id, container, size, mtime, stamp, page, gone, lines, reader";
const COLUMN_NAMES = FILE_COLUMNS.split(", ");

export function toStoredFile(row: Row): StoredFile {
  return storedFileFrom(COLUMN_NAMES.map((name) => row[name] ?? null));
}

function storedFileFrom(values: readonly SqlValue[]): StoredFile {
  const [id, source, path, key, session_id, container, size, mtime, stamp, page, gone, lines, reader] = values;
  const outdated = reader !== readerVersion(String(source));
  const ref: SourceRef = {
    source: String(source),
    path: String(path),
    size: outdated ? 0 : Number(size),
    mtimeMs: outdated ? 0 : Number(mtime),
    container: container as SourceRef["container"],
  };
  if (key !== "") ref.key = String(key);
  if (stamp !== "" && !outdated) ref.stamp = String(stamp);
  return {
    id: Number(id),
    ref,
    session_id: String(session_id),
    page: String(page),
    lines: Number(lines),
    gone: Number(gone) !== 0,
    superseded: Number(gone) === 2,
    outdated,
  };
}

function prepareConnection(db: Database): void {
  // The index is derived: a crash may lose the last commits, but never its integrity. Readers never wait for the
  // writer.
  db.exec(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32000; " +
      `PRAGMA wal_autocheckpoint = ${CHECKPOINT}`,
  );
}
