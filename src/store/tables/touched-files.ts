import { iso } from "../../time/zone.ts";
import { order } from "../../text/order.ts";
import { holdsPath, type ChangedFile, type FileChoice } from "../../answers/changed-files.ts";
import type { SqlValue } from "../../io/sqlite.ts";
import type { IndexStore } from "./index-store.ts";
import { numberOr } from "./usage-rows.ts";

/** What chooses among changes: `sql` over `t`, the change, and `s`, its session. */
export interface ChangeWhere {
  sql: string;
  params: readonly SqlValue[];
  /** Sessions that are meant; null for all. */
  scope: ReadonlySet<string> | null;
}

interface Counted {
  path: string;
  turns: number;
  last: number | null;
}

/** Files that turns changed, the last changed first, counted by their short rows; of which only those of the piece are looked at. */
export function touchedFiles(
  store: IndexStore,
  where: ChangeWhere,
  choice: FileChoice,
  piece: { offset: number; limit: number | undefined },
): { files: ChangedFile[]; total: number } {
  const all = counted(store, where)
    .filter(({ path }) => holdsPath(path, choice))
    .toSorted((a, b) => (b.last ?? -Infinity) - (a.last ?? -Infinity) || order(a.path, b.path));
  const { offset, limit = all.length } = piece;
  const files = all.slice(offset, offset + limit).map(({ path, turns, last }) => ({
    ...{ path, project: projectOf(store, where, path), turns, last_time: iso(last) },
  }));
  return { files, total: all.length };
}

function counted(store: IndexStore, { sql, params, scope }: ChangeWhere): Counted[] {
  const isPlain = sql === "" && scope === null;
  const rows = store.list(
    isPlain
      ? "SELECT path, COUNT(*), MAX(time) FROM touched INDEXED BY touched_path GROUP BY path"
      : `SELECT t.path, COUNT(*), MAX(t.time), t.session FROM touched t JOIN session s ON s.key = t.session
         ${sql === "" ? "" : `WHERE ${sql}`} GROUP BY t.path, t.session`,
    ...params,
  );
  const sums = new Map<string, Counted>();
  for (const [name, count, time, session] of rows) {
    if (scope !== null && !scope.has(String(session))) continue;
    const [path, last] = [String(name), numberOr(time)];
    const sum = sums.get(path) ?? { path, turns: 0, last: null };
    sum.turns += Number(count);
    if (last !== null) sum.last = Math.max(sum.last ?? -Infinity, last);
    sums.set(path, sum);
  }
  return [...sums.values()];
}

/** Of the turn that changed it last. */
function projectOf(store: IndexStore, { sql, params, scope }: ChangeWhere, path: string): string {
  const rows = store.list(
    `SELECT s.project, s.key FROM touched t JOIN session s ON s.key = t.session WHERE t.path = ?${sql === "" ? "" : ` AND ${sql}`}
     ORDER BY COALESCE(t.time, 0) DESC, COALESCE(s.started, 0) DESC, s.source DESC, s.session_id DESC, t.ref DESC${scope === null ? " LIMIT 1" : ""}`,
    path,
    ...params,
  );
  return String(rows.find(([, key]) => scope === null || scope.has(String(key)))?.[0]);
}
