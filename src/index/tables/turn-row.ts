import type { SqlValue } from "../../base/io/sqlite.ts";
import { mayHoldSecret } from "../../base/redact/redact.ts";
import type { TurnDetail } from "../../views/rows.ts";
import type { Turn } from "../../turns/session.ts";
import type { IndexStore } from "./index-store.ts";

/** Columns of a turn beside its view. */
export interface TurnColumns {
  part: number;
  lines: string;
  below: string | null;
  settings: string | null;
}

const NO_DETAIL: TurnColumns = { part: 0, lines: "[]", below: null, settings: null };

export function turnColumns({ part, lines, below, settings }: TurnDetail): TurnColumns {
  return {
    part,
    lines: JSON.stringify(lines),
    below: below.length === 0 ? null : JSON.stringify(below),
    settings: settings && JSON.stringify(settings),
  };
}

/** Index columns of a turn that do not come from its view. */
export interface TurnRowFields {
  ref: string;
  time: number | null;
  path: string;
  first: number;
  last: number;
  records: number;
  files: readonly { path: string }[];
}

export function putTurn(
  store: IndexStore,
  key: string,
  { ref, part, draft }: Turn,
  view: string,
  columns: TurnColumns = NO_DETAIL,
): void {
  const { trigger, start_line: first, end_line: last, records, files } = draft;
  const place = { ref, time: trigger.time, path: part.path, first, last, records, files };
  insertTurn(store, key, place, view, columns);
}

export function insertTurn(
  store: IndexStore,
  key: string,
  place: TurnRowFields,
  view: string,
  columns: Partial<TurnColumns>,
): void {
  const { ref, time, path, first, last, records, files } = place;
  const { part, lines, below, settings } = { ...NO_DETAIL, ...columns };
  store.run(
    "INSERT OR REPLACE INTO turn (session, ref, time, path, first, last, records, view, secret, part, lines, below, settings) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    key,
    ref,
    time,
    path,
    first,
    last,
    records,
    view,
    secretIn(view),
    part,
    lines,
    below,
    settings,
  );
  store.run("DELETE FROM touched WHERE session = ? AND ref = ?", key, ref);
  const touched = "INSERT OR IGNORE INTO touched (session, ref, path, time) VALUES (?, ?, ?, ?)";
  for (const file of files) store.run(touched, key, ref, file.path, time);
}

export function dropTurn(store: IndexStore, key: string, ref: SqlValue): void {
  for (const table of ["turn", "touched"]) store.run(`DELETE FROM ${table} WHERE session = ? AND ref = ?`, key, ref);
}

/** Replaces the view of an existing turn. */
export function rewriteTurn(store: IndexStore, session: string, ref: string, view: string): void {
  const sql = "UPDATE turn SET view = ?, secret = ? WHERE session = ? AND ref = ?";
  store.run(sql, view, secretIn(view), session, ref);
}

/** Value of the column `secret` beside a view. */
export function secretIn(view: string): number {
  return mayHoldSecret(view) ? 1 : 0;
}
