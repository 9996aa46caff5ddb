import { createRequire } from "node:module";

/** The part of SQLite that Daybook uses. `node:sqlite` and the fallback package for older Node both offer it. */
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
  /** Switches rows to arrays. Absent before Node 22.16. */
  setReturnArrays?(enabled: boolean): void;
}

type Constructor = new (path: string, options?: { readOnly?: boolean; timeout?: number }) => Database;

let engine: Constructor | null = null;

/** The only place that knows which engine is used: Node's own from 22.13 on, else a package with the same interface. */
function loadEngine(): Constructor {
  if (engine) return engine;
  const builtin: { DatabaseSync?: Constructor } | undefined = quietly(() => process.getBuiltinModule?.("node:sqlite"));
  const fallback = (): { DatabaseSync: Constructor } =>
    createRequire(import.meta.url)("@photostructure/sqlite") as { DatabaseSync: Constructor };
  engine = builtin?.DatabaseSync ?? fallback().DatabaseSync;
  return engine;
}

/** Suppresses the experimental warning of Node 22, which is of no use to the user. */
function quietly<T>(load: () => T): T {
  const warn = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return load();
  } finally {
    process.emitWarning = warn;
  }
}

/** Opens our own database, or a private copy, for reading and writing. */
export function openDatabase(path: string, timeout = 10_000): Database {
  return new (loadEngine())(path, { timeout });
}
