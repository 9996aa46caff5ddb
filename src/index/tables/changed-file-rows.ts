import { iso } from "../../base/time/zone.ts";
import { order } from "../../base/text/order.ts";
import type { ChangedFile } from "../../views/list-rows.ts";
import type { SqlValue } from "../../base/io/sqlite.ts";
import type { IndexStore } from "./index-store.ts";
import { numberOrNull } from "./usage-rows.ts";

/** Selects changes: `sql` over `t`, the change, and `s`, its session. */
export interface ChangeWhere {
  sql: string;
  params: readonly SqlValue[];
  /** Sessions in scope; null for all. */
  scope: ReadonlySet<string> | null;
}

interface FileCount {
  path: string;
  turns: number;
  last: number | null;
}

/**
 * Files that turns changed, last changed first. All are counted from the short rows; details are read only for the
 * requested slice.
 */
export function changedFileRows(
  store: IndexStore,
  where: ChangeWhere,
  text: string | undefined,
  slice: { offset: number; limit: number | undefined },
): { files: ChangedFile[]; total: number } {
  const all = countChanges(store, where)
    .filter(({ path }) => path.toLowerCase().includes((text ?? "").toLowerCase()))
    .toSorted((a, b) => (b.last ?? -Infinity) - (a.last ?? -Infinity) || order(a.path, b.path));
  const { offset, limit = all.length } = slice;
  const files = all
    .slice(offset, offset + limit)
    .map(({ path, turns, last }) => ({ path, project: projectOf(store, where, path), turns, last_time: iso(last) }));
  return { files, total: all.length };
}

function countChanges(store: IndexStore, { sql, params, scope }: ChangeWhere): FileCount[] {
  const isPlain = sql === "" && scope === null;
  const rows = store.list(
    isPlain
      ? "SELECT path, COUNT(*), MAX(time) FROM changed_file INDEXED BY changed_file_path GROUP BY path"
      : `SELECT t.path, COUNT(*), MAX(t.time), t.session FROM changed_file t JOIN session s ON s.key = t.session
         ${sql === "" ? "" : `WHERE ${sql}`} GROUP BY t.path, t.session`,
    ...params,
  );
  const sums = new Map<string, FileCount>();
  for (const [name, count, time, session] of rows) {
    if (scope !== null && !scope.has(String(session))) continue;
    const [path, last] = [String(name), numberOrNull(time)];
    const sum = sums.get(path) ?? { path, turns: 0, last: null };
    sum.turns += Number(count);
    if (last !== null) sum.last = Math.max(sum.last ?? -Infinity, last);
    sums.set(path, sum);
  }
  return [...sums.values()];
}

/** The project of the turn that changed the file last. */
function projectOf(store: IndexStore, { sql, params, scope }: ChangeWhere, path: string): string {
  const rows = store.list(
    `SELECT s.project, s.key FROM changed_file t JOIN session s ON s.key = t.session WHERE t.path = ?${sql === "" ? "" : ` AND ${sql}`}
     ORDER BY COALESCE(t.time, 0) DESC, COALESCE(s.started, 0) DESC, s.source DESC, s.session_id DESC, t.ref DESC${scope === null ? " LIMIT 1" : ""}`,
    path,
    ...params,
  );
  return String(rows.find(([, key]) => scope === null || scope.has(String(key)))?.[0]);
}
