import { createHash } from "node:crypto";
import { copyFileSync, existsSync, lstatSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isMainThread } from "node:worker_threads";
import { DaybookError } from "../errors.ts";
import { databasePrint } from "./sqlite-print.ts";

/** What Daybook uses of SQLite. `node:sqlite` and its stand-in for older Node offer the same. */
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

export type SqlValue = string | number | bigint | null | Uint8Array;
export type Row = Record<string, SqlValue>;

export interface Statement {
  run(...params: SqlValue[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  get(...params: SqlValue[]): Row | undefined;
  all(...params: SqlValue[]): Row[];
  iterate(...params: SqlValue[]): Iterable<Row>;
  /** From then on rows are arrays. Absent before Node 22.16. */
  setReturnArrays?(enabled: boolean): void;
}

type Constructor = new (path: string, options?: { readOnly?: boolean; timeout?: number }) => Database;

let engine: Constructor | null = null;

/** The one place that knows which engine there is: Node's own from 22.13 on, else a package with the same interface. */
function loadEngine(): Constructor {
  if (engine) return engine;
  const builtin: { DatabaseSync?: Constructor } | undefined = quietly(() => process.getBuiltinModule?.("node:sqlite"));
  const fallback = (): { DatabaseSync: Constructor } =>
    createRequire(import.meta.url)("@photostructure/sqlite") as { DatabaseSync: Constructor };
  engine = builtin?.DatabaseSync ?? fallback().DatabaseSync;
  return engine;
}

/** Node 22 warns whoever loads its engine that it is new. Nobody who asks about yesterday can do anything about that. */
function quietly<T>(load: () => T): T {
  const warn = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return load();
  } finally {
    process.emitWarning = warn;
  }
}

/** Our own database: read and write. */
export function openDatabase(path: string): Database {
  return new (loadEngine())(path, { timeout: 10_000 });
}

/** A left-over log larger than this is not copied to be read. */
const COPY_LIMIT = 512 * 1024 * 1024;

/**
 * Somebody else's database: nothing is changed, locked or created. While its owner runs there are `-wal` and `-shm` files and
 * the shared way in is needed to see what is new. Without a `-wal` the file is taken as it is, so that SQLite leaves no side
 * files behind. A `-wal` alone was left by an owner that died: reading it would create the `-shm`, so a copy is read.
 */
export function openForeign(path: string): Database {
  const Engine = loadEngine();
  const wal = existsSync(`${path}-wal`);
  if (wal && !existsSync(`${path}-shm`) && statSync(path).size < COPY_LIMIT) return openCopy(path, Engine);
  const url = pathToFileURL(path);
  url.searchParams.set("mode", "ro");
  if (!wal) url.searchParams.set("immutable", "1");
  return new Guest(new Engine(url.href, { readOnly: true, timeout: 2000 }));
}

/**
 * A connection to somebody else's database. What it was reading ends when it is closed: one engine keeps closed connections until
 * memory is collected, and a reading that is not over keeps the owner from tidying its log.
 */
class Guest implements Database {
  readonly #db: Database;
  #isReading = false;

  constructor(db: Database) {
    this.#db = db;
  }

  exec(sql: string): void {
    this.#db.exec(sql);
    if (sql === "BEGIN") this.#isReading = true;
  }

  prepare(sql: string): Statement {
    return this.#db.prepare(sql);
  }

  close(): void {
    if (this.#isReading) this.#db.exec("ROLLBACK");
    this.#isReading = false;
    this.#db.close();
  }
}

const COPIES = `daybook-db-${process.pid}-`;

/**
 * One copy for all who read the database in this process, in whichever thread, until it changes: it has many sessions, and each is
 * opened by itself.
 */
function openCopy(path: string, Engine: Constructor): Database {
  const [place, state] = [digest(path), digest(databasePrint(path) ?? "")];
  const dir = join(tmpdir(), `${COPIES}${place}-${state}`);
  if (!existsSync(dir)) {
    removeCopies(`${COPIES}${place}-`);
    makeCopy(path, dir);
  }
  if (!isOurs(dir)) throw foreignCopy(dir);
  return new Engine(join(dir, "copy.db"), { timeout: 10_000 });
}

/** Made under another name, so that no thread opens half a copy. */
function makeCopy(path: string, dir: string): void {
  // The main thread looks for sessions first, and outlives the others.
  if (isMainThread && !isTidied) process.once("exit", () => removeCopies(COPIES));
  isTidied = true;
  const made = mkdtempSync(join(tmpdir(), COPIES));
  try {
    copyFileSync(path, join(made, "copy.db"));
    copyFileSync(`${path}-wal`, join(made, "copy.db-wal"));
    renameSync(made, dir);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    // Another thread was faster.
    if (!existsSync(dir)) throw error;
  }
}

let isTidied = false;

/** The name can be guessed, and everybody writes to this directory: what another user put there is not read. */
function isOurs(dir: string): boolean {
  const { uid } = lstatSync(dir);
  return process.getuid === undefined || uid === process.getuid();
}

function foreignCopy(dir: string): DaybookError {
  return new DaybookError("the copy of a database was put there by somebody else", {
    code: "unreadable",
    op: "read database",
    path: dir,
    hint: "remove it, or ask whose it is",
  });
}

function removeCopies(prefix: string): void {
  for (const name of readdirSync(tmpdir()))
    if (name.startsWith(prefix)) rmSync(join(tmpdir(), name), { recursive: true, force: true });
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
