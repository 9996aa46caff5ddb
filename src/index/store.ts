import { closeSync, mkdirSync, openSync, renameSync, rmSync, statSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { DaybookError } from "../errors.ts";
import { openDatabase, type Database, type Row, type SqlValue, type Statement } from "../io/sqlite.ts";
import type { SourceRef } from "../sources/source.ts";
import { INDEX_VERSION, SCHEMA } from "./schema.ts";

const BATCH = 200;
const MOST_STATEMENTS = 200;

export interface Unit {
  id: number;
  ref: SourceRef;
  session_id: string;
  /** Within the home, so that a home may be moved. */
  page: string;
  lines: number;
  gone: boolean;
  /** The file was rewritten, and a later page tells it as it is now. */
  superseded: boolean;
}

/** The SQLite file and its statements. Everything that writes goes through `transaction`. */
export class IndexStore {
  readonly path: string;
  readonly home: string;
  readonly #db: Database;
  readonly #statements = new Map<string, Statement>();
  /** Which file it is, whatever stands at its path by now; null when it is to have another name. */
  readonly #file: string | null;

  #open = false;
  #batch = 0;
  /** Something was written that a kept answer may not tell. */
  #changed = false;
  #units: { version: number; list: Unit[] } | null = null;

  private constructor(path: string, db: Database, file: string | null) {
    this.#file = file;
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
    const db = openDatabase(path);
    // Finished answers are kilobytes long: on small pages each would leave most of one empty.
    db.exec("PRAGMA page_size = 16384");
    // One file and no companions: it is renamed as a whole.
    db.exec("PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY");
    db.exec("BEGIN");
    db.exec(SCHEMA);
    // Larger batches in memory, fewer segments on disk: the text index is filled in bulk far more often than in drops.
    db.exec(
      "INSERT INTO text (text, rank) VALUES ('hashsize', 16000000); INSERT INTO text (text, rank) VALUES ('automerge', 8)",
    );
    db.prepare("INSERT INTO meta (key, value) VALUES ('version', ?)").run(INDEX_VERSION);
    db.exec("COMMIT");
    return new IndexStore(path, db, null);
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
    renameSync(this.path, join(this.home, "index.db"));
    remove(this.path);
  }

  /** The index as it is; null when there is none that can be used. */
  static peek(home: string): IndexStore | null {
    const path = join(home, "index.db");
    const file = statSync(path, { throwIfNoEntry: false });
    // To ask an empty file what it is means waiting for whoever still has it open.
    if (!file || file.size === 0) return null;
    if (idle !== null && idle.path === path && idle.#file === nameOf(file)) return takeIdle(idle);
    let db: Database | null = null;
    try {
      db = openDatabase(path);
      prepareConnection(db);
      const row = db.prepare("SELECT value FROM meta WHERE key = 'version'").get();
      if (row?.["value"] === INDEX_VERSION) return new IndexStore(path, db, nameOf(file));
    } catch {
      // Not a database, or damaged: it is derived, so it is made anew.
    }
    db?.close();
    return null;
  }

  static isUsable(home: string): boolean {
    const store = IndexStore.peek(home);
    store?.close();
    return store !== null;
  }

  static discard(home: string): void {
    IndexStore.release(home);
    remove(join(home, "index.db"));
  }

  /** Lets go of the files of an index that `close` kept at hand. */
  static release(home: string): void {
    if (idle !== null && idle.home === home) takeIdle(idle).#db.close();
  }

  close(): void {
    if (this.#open) this.#db.exec("ROLLBACK");
    this.#open = false;
    this.#changed = false;
    this.#batch = 0;
    if (idle !== null) takeIdle(idle).#db.close();
    if (this.#file === null) this.#db.close();
    else keepIdle(this);
  }

  all(sql: string, ...params: SqlValue[]): Row[] {
    return guarded(() => this.#prepare(sql).all(...params));
  }

  /** Rows by the order of their columns: where there are many short ones, naming every value costs more than reading it. */
  list(sql: string, ...params: SqlValue[]): SqlValue[][] {
    return guarded(() => {
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
    return guarded(() => this.#prepare(sql).get(...params));
  }

  run(sql: string, ...params: SqlValue[]): number {
    this.#units = null;
    this.#changed = true;
    return Number(guarded(() => this.#prepare(sql).run(...params)).lastInsertRowid);
  }

  /** Writes what changes no answer: things found out, that would be found out again. */
  add(sql: string, ...params: SqlValue[]): void {
    guarded(() => this.#prepare(sql).run(...params));
  }

  /** Changes when another process, or another connection, has written. */
  version(): number {
    return Number(this.get("PRAGMA data_version")?.["data_version"]);
  }

  /** Several questions answered from one moment, whoever writes meanwhile. */
  snapshot<T>(work: () => T): T {
    if (this.#open) return work();
    this.#db.exec("BEGIN");
    try {
      return work();
    } finally {
      this.#db.exec("COMMIT");
    }
  }

  /**
   * Work that may be committed together with what comes next: a commit costs more than most of what it writes. Everything
   * batched is lost together in a crash, and read again from the book and the files.
   */
  batched<T>(work: () => T): T {
    if (!this.#open) this.#db.exec("BEGIN IMMEDIATE");
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
    if (this.#changed) this.#db.exec("DELETE FROM answer");
    this.#db.exec("COMMIT");
    this.#changed = false;
  }

  transaction<T>(work: () => T): T {
    this.commit();
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#finish();
      return result;
    } catch (error) {
      this.#db.exec("ROLLBACK");
      this.#changed = false;
      throw error;
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
  units(): readonly Unit[] {
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

/** The index on disk is not what was written there. */
export class DamagedIndex extends DaybookError {
  constructor(cause: unknown) {
    super("the index is damaged", {
      code: "unreadable",
      op: "read index",
      hint: "`daybook doctor --repair` makes it again from the book",
      cause,
    });
  }
}

function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    throw /malformed|not a database|corrupt/i.test(message) ? new DamagedIndex(error) : error;
  }
}

function remove(path: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(path + suffix, { force: true, recursive: true });
}

/** The columns of a unit, in order. */
const UNIT = "id, source, path, key, session_id, container, size, mtime, stamp, page, gone, lines";
const UNIT_NAMES = UNIT.split(", ");

export function toUnit(row: Row): Unit {
  return unitFrom(UNIT_NAMES.map((name) => row[name] ?? null));
}

function unitFrom(values: readonly SqlValue[]): Unit {
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
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32000; PRAGMA wal_autocheckpoint = 2000",
  );
}
