import type { Row, SqlValue } from "../../base/io/sqlite.ts";
import type { IndexStore } from "./index-store.ts";
import type { RowStore } from "./row-store.ts";

/** A statement, how many values it takes, and the values of all its rows. */
export type DraftedStatement = readonly [sql: string, width: number, values: readonly SqlValue[]];

/**
 * Stands for an index that knows nothing of a session yet: whatever writes the session's rows writes them here as well,
 * in a thread without an index. What it keeps is sent to the thread that has one.
 */
export class RowDraft implements RowStore {
  readonly home: string;
  readonly #statements = new Map<string, { width: number; values: SqlValue[] }>();

  constructor(home: string) {
    this.home = home;
  }

  get statements(): DraftedStatement[] {
    return [...this.#statements].map(([sql, { width, values }]) => [sql, width, values]);
  }

  run(sql: string, ...params: SqlValue[]): number {
    // There is nothing to delete.
    if (sql.startsWith("DELETE ")) return 0;
    let statement = this.#statements.get(sql);
    if (!statement) this.#statements.set(sql, (statement = { width: params.length, values: [] }));
    for (const value of params) statement.values.push(value);
    return 0;
  }

  all(): Row[] {
    return [];
  }

  get(): undefined {
    return undefined;
  }

  meta(): null {
    return null;
  }

  /** Facts about all sessions together: only the index has them. */
  setMeta(): void {}
}

export function runDrafted(store: IndexStore, statements: readonly DraftedStatement[]): void {
  for (const [sql, width, values] of statements) store.runAll(sql, width, values);
}
