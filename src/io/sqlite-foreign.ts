import { existsSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { DaybookError } from "../errors.ts";
import { openDatabase, type Database, type Statement } from "./sqlite.ts";
import { openCopy, removeForgottenCopies } from "./sqlite-copy.ts";
import { databaseFingerprint } from "./sqlite-fingerprint.ts";

/** Somebody else's database, as it stood when it was opened. */
export interface ForeignDatabase {
  prepare(sql: string): Statement;
  /** Names of its tables. */
  tables(): ReadonlySet<string>;
  /** True when its file was written to since and nothing kept our view still: what was read may be of two minds. */
  isStale(): boolean;
  close(): void;
}

/**
 * Opens somebody else's database and begins to read. No byte is written beside it, whatever state its owner left it in:
 *
 * - Without a log the file is taken as it is (`immutable`): to look for a log in the usual way would create one.
 * - With a log and its shared memory, both are only read (`readonly_shm`). The engine sees every commit and keeps its view still
 *   by a lock, which is no byte; where the owner is dead, it makes the index of the log for itself in memory.
 * - A log without shared memory is what was left of an owner or taken along by a copy: only then a copy is read.
 */
export function openForeign(path: string): ForeignDatabase {
  removeForgottenCopies();
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  const shared = existsSync(`${path}-shm`);
  if (!log || (log.size === 0 && !shared)) return new Guest(uri(path, "mode=ro&immutable=1"), path);
  if (!shared) return lendCopy(path);
  try {
    return new Guest(uri(path, "mode=ro&readonly_shm=1"));
  } catch (error) {
    // Shared memory that cannot be used without making it anew.
    if (!needsToWrite(error)) throw error;
    return lendCopy(path);
  }
}

/** Copies this thread has open, the one used last at the end: a database has many sessions, and each is opened by itself. */
const copies = new Map<string, Copy>();
const MOST_COPIES = 4;

function lendCopy(path: string): ForeignDatabase {
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
  const { opened, fingerprint: seen } = openCopy(path, (file) => new Guest(uri(file)));
  const copy = new Copy(opened, seen);
  copies.set(path, copy);
  return copy.lend();
}

/** One copy for all who read the database, until it changes. */
class Copy {
  readonly seen: string;
  readonly #guest: Guest;
  #readers = 0;
  #isReleased = false;

  constructor(guest: Guest, seen: string) {
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

  /** No one else will have it. */
  release(): void {
    this.#isReleased = true;
    this.#tidy();
  }

  #tidy(): void {
    if (this.#isReleased && this.#readers === 0) this.#guest.close();
  }
}

/** How often a reading is begun when the owner writes meanwhile. */
const ATTEMPTS = 4;

/** The same for work that can be done again: it is, when the database was written to meanwhile. */
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

/** Closes what was read to its end; what may have been read of two states of the file is refused. */
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
 * The database is attached to an empty one and not opened itself: one engine keeps closed connections until memory is collected,
 * and their locks would keep the owner from tidying its log. What is detached is let go at once.
 */
class Guest implements ForeignDatabase {
  readonly #db: Database;
  readonly #path: string | null;
  readonly #state: string | null;
  #isOpen = true;

  /** The path only where nothing keeps the view still. */
  constructor(attached: string, path: string | null = null) {
    this.#path = path;
    this.#state = path === null ? null : stateOf(path);
    this.#db = openDatabase(":memory:", BUSY_MS);
    try {
      this.#db.prepare(`ATTACH ? AS ${SCHEMA}`).run(attached);
      this.#db.exec("BEGIN");
      // The view stands still from the first row that is read.
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
        // Nothing was attached, or a damaged page ended a query half-way: closing does what is left.
      }
    }
    this.#db.close();
  }
}

/** Opens a database of our own that cannot be written to, because its directory cannot. */
export function openUnwritten(path: string): Database {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (!log || log.size === 0) return openDatabase(uri(path, "mode=ro&immutable=1"));
  if (existsSync(`${path}-shm`)) return openDatabase(uri(path, "mode=ro&readonly_shm=1"));
  return openCopy(path, (copy) => {
    const db = openDatabase(copy);
    // Its log is found by its name, which it has no longer than until now.
    db.exec("SELECT 1 FROM sqlite_master");
    return db;
  }).opened;
}

function uri(path: string, query = ""): string {
  return `${pathToFileURL(path).href}?${query}`;
}

/** How the file stands, without opening it: to close a file takes away the locks that other threads have on it. */
function stateOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat ? `${stat.size}:${stat.mtimeNs}:${stat.ino}` : "";
}

const SQLITE_READONLY = 8;
const SQLITE_CANTOPEN = 14;

/** The engine would have to write to a place where it may not. */
export function needsToWrite(error: unknown): boolean {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return false;
  const primary = error.errcode & 0xff;
  return primary === SQLITE_READONLY || primary === SQLITE_CANTOPEN;
}
