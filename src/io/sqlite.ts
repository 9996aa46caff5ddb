import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

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
}

type Constructor = new (path: string, options?: { readOnly?: boolean; timeout?: number }) => Database;

let engine: Constructor | null = null;

/** The one place that knows which engine there is: Node's own from 22.13 on, else a package with the same interface. */
function loadEngine(): Constructor {
  if (engine) return engine;
  const builtin = process.getBuiltinModule?.("node:sqlite") as { DatabaseSync?: Constructor } | undefined;
  const fallback = (): { DatabaseSync: Constructor } =>
    createRequire(import.meta.url)("@photostructure/sqlite") as { DatabaseSync: Constructor };
  engine = builtin?.DatabaseSync ?? fallback().DatabaseSync;
  return engine;
}

/** Our own database: read and write. */
export function openDatabase(path: string): Database {
  return new (loadEngine())(path, { timeout: 10_000 });
}

/**
 * Somebody else's database: nothing is changed, locked or created. While its owner runs there is a `-wal` file and the
 * shared way in is needed to see it; without one the file is taken as it is, so that SQLite leaves no side files behind.
 */
export function openForeign(path: string): Database {
  const url = pathToFileURL(path);
  url.searchParams.set("mode", "ro");
  if (!existsSync(`${path}-wal`)) url.searchParams.set("immutable", "1");
  return new (loadEngine())(url.href, { readOnly: true, timeout: 2000 });
}
