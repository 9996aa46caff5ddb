import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openDatabase, type Database, type Row, type SqlValue, type Statement } from "../io/sqlite.ts";
import type { SourceRef } from "../sources/source.ts";
import { INDEX_VERSION, SCHEMA } from "./schema.ts";

const BATCH = 200;

export interface Unit {
  id: number;
  ref: SourceRef;
  session_id: string;
  page: string;
  gone: boolean;
}

/** The SQLite file and its statements. Everything that writes goes through `transaction`. */
export class IndexStore {
  readonly path: string;
  readonly #db: Database;
  readonly #statements = new Map<string, Statement>();

  #open = false;
  #batch = 0;

  private constructor(path: string, db: Database) {
    this.path = path;
    this.#db = db;
  }

  /** Opens the index of a home; one of another version or one that cannot be read is thrown away, the book rebuilds it. */
  static open(home: string): IndexStore {
    mkdirSync(home, { recursive: true });
    const path = join(home, "index.db");
    const opened = existsSync(path) ? IndexStore.#tryOpen(path) : null;
    if (opened) return opened;
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    const db = openDatabase(path);
    prepareConnection(db);
    db.exec("BEGIN");
    db.exec(SCHEMA);
    // Larger batches in memory, fewer segments on disk: the text index is filled in bulk far more often than in drops.
    db.exec(
      "INSERT INTO text (text, rank) VALUES ('hashsize', 16000000); INSERT INTO text (text, rank) VALUES ('automerge', 8)",
    );
    db.prepare("INSERT INTO meta (key, value) VALUES ('version', ?)").run(String(INDEX_VERSION));
    db.exec("COMMIT");
    return new IndexStore(path, db);
  }

  static #tryOpen(path: string): IndexStore | null {
    let db: Database | null = null;
    try {
      db = openDatabase(path);
      prepareConnection(db);
      const row = db.prepare("SELECT value FROM meta WHERE key = 'version'").get();
      if (row?.["value"] === String(INDEX_VERSION)) return new IndexStore(path, db);
    } catch {
      // Not a database, or damaged: it is derived, so it is made anew.
    }
    db?.close();
    return null;
  }

  close(): void {
    if (this.#open) this.#db.exec("ROLLBACK");
    this.#db.close();
  }

  all(sql: string, ...params: SqlValue[]): Row[] {
    return this.#prepare(sql).all(...params);
  }

  get(sql: string, ...params: SqlValue[]): Row | undefined {
    return this.#prepare(sql).get(...params);
  }

  run(sql: string, ...params: SqlValue[]): number {
    return Number(this.#prepare(sql).run(...params).lastInsertRowid);
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
    if (this.#open) this.#db.exec("COMMIT");
    this.#open = false;
    this.#batch = 0;
  }

  transaction<T>(work: () => T): T {
    this.commit();
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#db.exec("COMMIT");
      return result;
    } catch (error) {
      this.#db.exec("ROLLBACK");
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

  units(): Unit[] {
    const rows = this.all(
      "SELECT id, source, path, key, session_id, container, size, mtime, stamp, page, gone FROM unit ORDER BY id",
    );
    return rows.map(toUnit);
  }

  #prepare(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (!statement) this.#statements.set(sql, (statement = this.#db.prepare(sql)));
    return statement;
  }
}

export function toUnit(row: Row): Unit {
  const key = String(row["key"]);
  const stamp = String(row["stamp"]);
  return {
    id: Number(row["id"]),
    ref: {
      source: String(row["source"]),
      path: String(row["path"]),
      ...(key === "" ? {} : { key }),
      size: Number(row["size"]),
      mtimeMs: Number(row["mtime"]),
      container: String(row["container"]) as SourceRef["container"],
      ...(stamp === "" ? {} : { stamp }),
    },
    session_id: String(row["session_id"]),
    page: String(row["page"]),
    gone: Number(row["gone"]) === 1,
  };
}

function prepareConnection(db: Database): void {
  // The index is derived: a crash may cost its last moments, never its integrity, and readers never wait for the writer.
  db.exec(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32000",
  );
}
