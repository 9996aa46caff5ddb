import { closeSync, mkdirSync, openSync, renameSync, rmSync, statSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { openDatabase, type Database, type Row, type SqlValue, type Statement } from "../../io/sqlite.ts";
import { needsToWrite, openUnwritten } from "../../io/sqlite-foreign.ts";
import { DiskFullError } from "../../io/disk.ts";
import { isLogDamaged } from "../../io/sqlite-log.ts";
import type { SourceRef } from "../../sources/contract.ts";
import { DamagedIndex, isDamage, isFull, onDamage } from "./damaged-index.ts";
import { INDEX_VERSION, SCHEMA } from "./schema.ts";
import { breakSeal, condemn, isUnfinished, seal, sealStateOf, unseal } from "./seal.ts";

const BATCH = 200;
const MOST_STATEMENTS = 200;
const PAGE_SIZE = 16_384;
/** Pages in its log from which on the engine puts them into the file. */
const CHECKPOINT = 2000;
/** Bytes of a log that is soon as long. */
const LONG_LOG = (CHECKPOINT / 4) * PAGE_SIZE;
/** How long to wait for another that writes, in ms. */
const PATIENCE = 10_000;

export interface StoredFile {
  id: number;
  ref: SourceRef;
  session_id: string;
  /** Within the home, so that a home may be moved. */
  page: string;
  lines: number;
  gone: boolean;
  /** The file was rewritten, and a later page holds it as it is now. */
  superseded: boolean;
}

/** What stands where the index should be. An `older` one is of another version of Daybook, whichever that is. */
export type IndexState = "usable" | "absent" | "older" | "damaged";

/** The SQLite file and its statements. Everything that writes goes through `transaction`. */
export class IndexStore {
  readonly path: string;
  readonly home: string;
  /** The home cannot be written to: the index is read as it is. */
  readonly isReadOnly: boolean;
  /** Called before every batch: whoever writes for long says that it lives. */
  beat: (() => void) | null = null;
  readonly #db: Database;
  readonly #statements = new Map<string, Statement>();
  /** Which file it is, whatever stands at its path by now; null when it is to have another name. */
  readonly file: string | null;

  #isDamaged = false;
  #isReading = false;
  #open = false;
  #batch = 0;
  /** Something was written that a cached answer may lack. */
  #changed = false;
  #units: { version: number; list: StoredFile[] } | null = null;

  private constructor(path: string, db: Database, file: string | null, isReadOnly = false) {
    this.file = file;
    this.isReadOnly = isReadOnly;
    this.path = path;
    this.home = dirname(path);
    this.#db = db;
  }

  /** A new index without anything in it, under a name of its own until `publish`. */
  static create(home: string): IndexStore {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    remove(join(home, "index.new"));
    const path = join(home, "index.new");
    // SQLite gives its side files the mode of the database: nobody else reads what was asked.
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
    // Finished answers are kilobytes long: on small pages each would leave most of one empty.
    this.#exec(`PRAGMA page_size = ${PAGE_SIZE}`);
    // One file and no companions: it is renamed as a whole.
    this.#exec("PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY");
    this.#exec("BEGIN");
    this.#exec(SCHEMA);
    // Larger batches in memory, fewer segments on disk: the text index is filled in bulk far more often than in drops.
    this.#exec(
      "INSERT INTO text (text, rank) VALUES ('hashsize', 16000000); INSERT INTO text (text, rank) VALUES ('automerge', 8)",
    );
    this.add("INSERT INTO meta (key, value) VALUES ('version', ?)", INDEX_VERSION);
    this.#exec("COMMIT");
  }

  /**
   * An index for one question about files that no book keeps. The engine gives it a file that has no name from the moment it is
   * opened, and only when it is too large for its memory: there is nothing to tidy up, whatever ends the process.
   */
  static unnamed(): IndexStore {
    const db = openDatabase("");
    db.exec(
      "PRAGMA page_size = 16384; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32000",
    );
    db.exec(SCHEMA);
    db.exec("CREATE TABLE given (hash TEXT PRIMARY KEY, text TEXT NOT NULL)");
    db.exec("INSERT INTO text (text, rank) VALUES ('hashsize', 16000000)");
    return new IndexStore("", db, null);
  }

  /**
   * Puts a new index in the place of one that is of another version, damaged or lost. Only for the holder of the home's
   * lock. Until then others answer from what there was, and no one ever sees a half-made index.
   */
  publish(): void {
    this.commit();
    this.#db.close();
    IndexStore.discard(this.home);
    const path = join(this.home, "index.db");
    renameSync(this.path, path);
    remove(this.path);
    seal(path);
  }

  /** A new index that is not to be: its room is given back. */
  abandon(): void {
    this.close();
    remove(this.path);
  }

  /** The index as it is; null when there is none that can be used. */
  static peek(home: string): IndexStore | null {
    return look(home).store;
  }

  static stateOf(home: string): IndexState {
    const { state, store } = look(home);
    store?.close();
    return state;
  }

  /** For the holder of the home's lock, before anybody opens what a sync left that was cut short. */
  static assertLog(home: string): void {
    if (isLogDamaged(join(home, "index.db-wal"))) throw new DamagedIndex(new Error("the write-ahead log is damaged"));
  }

  static isUsable(home: string): boolean {
    return IndexStore.stateOf(home) === "usable";
  }

  /** For `look` alone. */
  static over(path: string, db: Database, file: Stats, isReadOnly: boolean): IndexStore {
    return new IndexStore(path, db, nameOf(file), isReadOnly);
  }

  /** Whether this is the connection to the file that is there. */
  isOf(path: string, file: Stats): boolean {
    return this.path === path && this.file === nameOf(file);
  }

  /** It is still the one that others find. */
  isInPlace(): boolean {
    const file = statSync(this.path, { throwIfNoEntry: false });
    return file !== undefined && this.isOf(this.path, file);
  }

  static discard(home: string): void {
    IndexStore.release(home);
    const path = join(home, "index.db");
    unseal(path);
    remove(path);
  }

  /** Lets go of the files of an index that `close` kept at hand. */
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
    living.delete(this);
  }

  /**
   * Puts into the file what is still in its log, and says that the file is as it should be. Closing alone does it too, but one
   * engine closes when nobody can say so any more. `isChecked`: it was in doubt, and is found sound.
   */
  settle(isChecked = false): void {
    if (this.#open || this.isReadOnly || this.#isDamaged || this.file === null) return;
    if (!this.#hasLog()) return isChecked ? this.vouch() : undefined;
    breakSeal(this.path);
    try {
      // Waits for nobody: whoever still reads or writes does the rest when it ends. And leaves no log, which would tell the past
      // when a part of it is damaged.
      this.#db.exec(`PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA busy_timeout = ${PATIENCE}`);
    } catch {
      // Nothing is lost: the log stands.
    }
    // What is left of it will be put into the file by another, or by the next.
    if (!this.#hasLog()) this.vouch();
  }

  /**
   * The same for one that lives long and writes little things now and then. The engine would put a long log into the file by itself,
   * and nobody would say that it was us.
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

  /** Says that the file is as it should be. */
  vouch(): void {
    // Another may have put its own into place meanwhile.
    const file = statSync(this.path, { throwIfNoEntry: false });
    if (file && nameOf(file) === this.file) seal(this.path);
  }

  /** What SQLite knows of its own structure, and the text index of its own. Reads everything. */
  assertSound(): void {
    const found = this.list("PRAGMA quick_check(1)");
    if (found[0]?.[0] !== "ok") throw new DamagedIndex(new Error(String(found[0]?.[0])));
    for (const table of ["text", "instruction_text"])
      this.#guarded(() => this.#db.exec(`INSERT INTO ${table} (${table}) VALUES ('integrity-check')`));
  }

  get isDamaged(): boolean {
    return this.#isDamaged;
  }

  /** Whoever opens it next makes it again. */
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

  /** What went wrong before is what is reported. */
  #rollBack(): void {
    this.#changed = false;
    try {
      this.#db.exec("ROLLBACK");
    } catch {
      // Some failures end the transaction by themselves.
    }
  }

  all(sql: string, ...params: SqlValue[]): Row[] {
    return this.#guarded(() => this.#prepare(sql).all(...params));
  }

  /** Rows by the order of their columns: where there are many short ones, naming every value costs more than reading it. */
  list(sql: string, ...params: SqlValue[]): SqlValue[][] {
    return this.#guarded(() => {
      const statement = this.#prepare(sql);
      // Engines that only know names: the columns must have different ones.
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
    this.#units = null;
    this.#changed = true;
    return Number(this.#guarded(() => this.#prepare(sql).run(...params)).lastInsertRowid);
  }

  /** Writes what changes no answer: things found out, that would be found out again. */
  add(sql: string, ...params: SqlValue[]): void {
    this.#guarded(() => this.#prepare(sql).run(...params));
  }

  /** For programs that live long: what was read of the index is kept in a quarter of the memory, and read again from the disk's cache. */
  spareMemory(): void {
    this.#exec("PRAGMA cache_size = -8000");
  }

  /** Changes when another process, or another connection, has written. */
  version(): number {
    return Number(this.get("PRAGMA data_version")?.["data_version"]);
  }

  /** From here to `endReading` all questions are answered from one moment, whoever writes meanwhile. */
  beginReading(): void {
    if (this.#isReading) return;
    this.#exec("BEGIN");
    this.#isReading = true;
  }

  endReading(): void {
    if (this.#isReading) this.#rollBack();
    this.#isReading = false;
  }

  /** Several questions answered from one moment. */
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
   * Work that may be committed together with what comes next: a commit costs more than most of what it writes. Everything
   * batched is lost together in a crash, and read again from the book and the files.
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
  }

  /** With whatever was written, kept answers are void: no writer has to think of them. */
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
   * Takes something out so that nothing of it stays in the file: freed pages are overwritten, and the words are taken out of the text
   * index itself, which otherwise only notes that they are void.
   */
  scrub(work: () => void): void {
    this.commit();
    this.#exec("PRAGMA secure_delete = ON");
    this.transaction(() => {
      work();
      for (const table of ["text", "instruction_text"])
        this.#exec(`INSERT INTO ${table} (${table}) VALUES ('optimize')`);
    });
    this.#exec("PRAGMA secure_delete = OFF");
  }

  /** The same where another may be writing: then nothing is done, and nobody waits. Returns whether it was. */
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

  /** Asked for by every step of a command; read once while nobody writes. */
  units(): readonly StoredFile[] {
    const version = this.version();
    if (this.#units?.version === version) return this.#units.list;
    this.#units = { version, list: this.list(`SELECT ${UNIT} FROM unit ORDER BY id`).map(unitFrom) };
    return this.#units.list;
  }

  #prepare(sql: string): Statement {
    let statement = this.#statements.get(sql);
    // Questions carry their times and files in their text: a server asked all day must not keep every one of them.
    if (!statement && this.#statements.size >= MOST_STATEMENTS) this.#statements.clear();
    if (!statement) this.#statements.set(sql, (statement = this.#db.prepare(sql)));
    return statement;
  }
}

/**
 * The connection last let go of. A command opens its index several times over, each costs more than most questions, and one
 * engine keeps the files of a closed connection open until memory is collected.
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

/** What was opened and not let go of: it is settled when the process ends. */
const living = new Set<IndexStore>();

let isAwaited = false;

function outlive(store: IndexStore): IndexStore {
  if (!isAwaited)
    process.once("exit", () => {
      for (const one of living) one.settle();
    });
  isAwaited = true;
  living.add(store);
  return store;
}

/** Found damaged by this process; where nothing can be written, nothing else says so. */
const condemned = new Set<string>();

onDamage(() => {
  for (const store of living) store.condemn();
});

interface Look {
  state: IndexState;
  store: IndexStore | null;
}

/** Finds the index and what it is worth. */
function look(home: string): Look {
  const path = join(home, "index.db");
  const file = statSync(path, { throwIfNoEntry: false });
  // To ask an empty file what it is means waiting for whoever still has it open.
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
      db = openUnwritten(path);
      isReadOnly = true;
    }
    const row = db.prepare("SELECT value FROM meta WHERE key = 'version'").get();
    const isOurs = row?.["value"] === INDEX_VERSION;
    // Where it cannot be made again, what there is answers, as far as SQLite finds nothing wrong.
    if (isOurs && (isTrusted || isReadOnly))
      return { state: "usable", store: outlive(IndexStore.over(path, db, file, isReadOnly)) };
    db.close();
    if (isOurs) condemned.add(nameOf(file));
    return { state: isOurs || row === undefined ? "damaged" : "older", store: null };
  } catch {
    // Not a database, or damaged: it is derived, so it is made anew.
    db?.close();
    return { state: "damaged", store: null };
  }
}

/** As Daybook left it, or in its hands. */
function isTrustworthy(home: string, path: string): boolean {
  const state = sealStateOf(path);
  if (state !== "broken") return state !== "condemned";
  if (isUnfinished(home)) return true;
  // Of two that end at once, one may have sealed it before the other was done.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30);
  return sealStateOf(path) === "whole";
}

function remove(path: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(path + suffix, { force: true, recursive: true });
}

/** The columns of a unit, in order. */
const UNIT = "id, source, path, key, session_id, container, size, mtime, stamp, page, gone, lines";
const UNIT_NAMES = UNIT.split(", ");

export function toUnit(row: Row): StoredFile {
  return unitFrom(UNIT_NAMES.map((name) => row[name] ?? null));
}

function unitFrom(values: readonly SqlValue[]): StoredFile {
  const [id, source, path, key, session_id, container, size, mtime, stamp, page, gone, lines] = values;
  const ref: SourceRef = {
    source: String(source),
    path: String(path),
    size: Number(size),
    mtimeMs: Number(mtime),
    container: container as SourceRef["container"],
  };
  if (key !== "") ref.key = String(key);
  if (stamp !== "") ref.stamp = String(stamp);
  return {
    id: Number(id),
    ref,
    session_id: String(session_id),
    page: String(page),
    lines: Number(lines),
    gone: Number(gone) !== 0,
    superseded: Number(gone) === 2,
  };
}

function prepareConnection(db: Database): void {
  // The index is derived: a crash may cost its last moments, never its integrity, and readers never wait for the writer.
  db.exec(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32000; " +
      `PRAGMA wal_autocheckpoint = ${CHECKPOINT}`,
  );
}
