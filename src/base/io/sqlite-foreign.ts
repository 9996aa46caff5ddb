import { existsSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { DaybookError } from "../errors.ts";
import { openDatabase, type Database, type Statement } from "./sqlite.ts";
import { openCopy, removeStaleCopies } from "./sqlite-copy.ts";
import { databaseFingerprint } from "./sqlite-fingerprint.ts";

/** A database owned by another program, as of the moment it was opened. */
export interface ForeignDatabase {
  prepare(sql: string): Statement;
  /** Names of its tables. */
  tables(): ReadonlySet<string>;
  /** True when the file was written to since and no lock keeps our view stable: the rows read may mix two states. */
  isStale(): boolean;
  close(): void;
}

/**
 * Opens another program's database and starts a read transaction. Never writes a byte beside it, whatever state its
 * owner left it in:
 *
 * - Without a log the file is opened as `immutable`: looking for a log in the usual way would create one.
 * - With a log and its shared memory, both are only read (`readonly_shm`). SQLite sees every commit and keeps its view
 *   stable with a lock, which writes nothing; if the owner is dead, it builds the index of the log in memory.
 * - A log without shared memory was left by an owner that died or came with a copied file: only then a copy is read.
 */
export function openForeign(path: string): ForeignDatabase {
  removeStaleCopies();
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  const shared = existsSync(`${path}-shm`);
  if (!log || (log.size === 0 && !shared)) return new AttachedDatabase(uri(path, "mode=ro&immutable=1"), path);
  if (!shared) return openSharedCopy(path);
  try {
    return new AttachedDatabase(uri(path, "mode=ro&readonly_shm=1"));
  } catch (error) {
    // The shared memory cannot be used without rebuilding it.
    if (!needsToWrite(error)) throw error;
    return openSharedCopy(path);
  }
}

/** Copies that this thread has open, least recently used first. Each session of a database opens it separately. */
const copies = new Map<string, SharedCopy>();
const MOST_COPIES = 4;

function openSharedCopy(path: string): ForeignDatabase {
  const known = copies.get(path);
  copies.delete(path);
  if (known && known.seen === databaseFingerprint(path)) {
    copies.set(path, known);
    return known.lend();
  }
  known?.release();
  for (const [oldest, copy] of copies) {
    if (copies.size < MOST_COPIES) break;
    copies.delete(oldest);
    copy.release();
  }
  const { opened, fingerprint: seen } = openCopy(path, (file) => new AttachedDatabase(uri(file)));
  const copy = new SharedCopy(opened, seen);
  copies.set(path, copy);
  return copy.lend();
}

/** One copy shared by all readers of a database, until the database changes. */
class SharedCopy {
  readonly seen: string;
  readonly #guest: AttachedDatabase;
  #readers = 0;
  #isReleased = false;

  constructor(guest: AttachedDatabase, seen: string) {
    this.#guest = guest;
    this.seen = seen;
  }

  lend(): ForeignDatabase {
    this.#readers++;
    let isOpen = true;
    return {
      prepare: (sql) => this.#guest.prepare(sql),
      tables: () => this.#guest.tables(),
      isStale: () => false,
      close: () => {
        if (isOpen) this.#readers--;
        isOpen = false;
        this.#tidy();
      },
    };
  }

  /** No new readers: the copy is closed when the last one is done. */
  release(): void {
    this.#isReleased = true;
    this.#tidy();
  }

  #tidy(): void {
    if (this.#isReleased && this.#readers === 0) this.#guest.close();
  }
}

/** How often a read is started when the owner writes meanwhile. */
const ATTEMPTS = 4;

/** Opens the database for repeatable work, and repeats the work if the database was written to meanwhile. */
export function readForeign<T>(path: string, work: (db: ForeignDatabase) => T): T {
  for (let attempt = 1; ; attempt++) {
    const db = openForeign(path);
    try {
      const done = work(db);
      if (!db.isStale()) return done;
      if (attempt === ATTEMPTS) throw writtenMeanwhile(path);
    } catch (error) {
      if (attempt === ATTEMPTS || !db.isStale()) throw error;
    } finally {
      db.close();
    }
  }
}

/** Closes a database after reading; throws if the rows may come from two states of the file. */
export function closeUnchanged(db: ForeignDatabase, path: string): void {
  const stale = db.isStale();
  db.close();
  if (stale) throw writtenMeanwhile(path);
}

function writtenMeanwhile(path: string): DaybookError {
  return new DaybookError(`${path} was written to while it was read`, {
    code: "unreadable",
    op: "read database",
    path,
    hint: "read it again: its agent was just starting or stopping",
  });
}

const SCHEMA = "source";
const BUSY_MS = 2000;

/**
 * The database is attached to an empty one instead of being opened: one of the engines keeps closed connections until
 * garbage collection, and their locks would keep the owner from checkpointing its log. Detaching releases them at once.
 */
class AttachedDatabase implements ForeignDatabase {
  readonly #db: Database;
  readonly #path: string | null;
  readonly #state: string | null;
  #isOpen = true;

  /** `path`: given only when no lock keeps the view stable. */
  constructor(attached: string, path: string | null = null) {
    this.#path = path;
    this.#state = path === null ? null : stateOf(path);
    this.#db = openDatabase(":memory:", BUSY_MS);
    try {
      this.#db.prepare(`ATTACH ? AS ${SCHEMA}`).run(attached);
      this.#db.exec("BEGIN");
      // The view becomes stable with the first read.
      this.#db.prepare(`SELECT 1 FROM ${SCHEMA}.sqlite_master LIMIT 1`).get();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  prepare(sql: string): Statement {
    return this.#db.prepare(sql);
  }

  tables(): ReadonlySet<string> {
    const rows = this.#db.prepare(`SELECT name FROM ${SCHEMA}.sqlite_master WHERE type = 'table'`).all();
    return new Set(rows.map((row) => String(row["name"])));
  }

  isStale(): boolean {
    return this.#path !== null && stateOf(this.#path) !== this.#state;
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    for (const sql of ["ROLLBACK", `DETACH ${SCHEMA}`]) {
      try {
        this.#db.exec(sql);
      } catch {
        // Nothing was attached, or a damaged page aborted a query: close() does the rest.
      }
    }
    this.#db.close();
  }
}

/** Opens a database of our own in a directory that cannot be written to. */
export function openReadOnly(path: string): Database {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (!log || log.size === 0) return openDatabase(uri(path, "mode=ro&immutable=1"));
  if (existsSync(`${path}-shm`)) return openDatabase(uri(path, "mode=ro&readonly_shm=1"));
  return openCopy(path, (copy) => {
    const db = openDatabase(copy);
    // SQLite finds the log by its name, and the copy is deleted when this callback returns: open the log now.
    db.exec("SELECT 1 FROM sqlite_master");
    return db;
  }).opened;
}

function uri(path: string, query = ""): string {
  return `${pathToFileURL(path).href}?${query}`;
}

/** State of the file without opening it: closing a file would drop the locks that other threads hold on it. */
function stateOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat ? `${stat.size}:${stat.mtimeNs}:${stat.ino}` : "";
}

const SQLITE_READONLY = 8;
const SQLITE_CANTOPEN = 14;

/** The error means that SQLite would have to write where it is not allowed to. */
export function needsToWrite(error: unknown): boolean {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return false;
  const primary = error.errcode & 0xff;
  return primary === SQLITE_READONLY || primary === SQLITE_CANTOPEN;
}
