import type { SqlValue } from "../../base/io/sqlite.ts";
import { mayHoldSecret } from "../../base/redact/redact.ts";
import { sessionKey } from "../../record/session-key.ts";
import { contextTrail } from "../../views/context-trail.ts";
import type { SettingsChange } from "../../views/rows.ts";
import { descendants } from "../../views/turn-view.ts";
import { turnIndexOf, type Session, type Turn } from "../../turns/session.ts";
import { parseRow } from "./damaged-index.ts";
import type { IndexStore } from "./index-store.ts";
import type { RowStore } from "./row-store.ts";

/** What reports need of a turn beyond its view, as it is stored. */
export interface ReportColumns {
  /** Index of its file among the session's files. */
  part: number;
  /** Lines of the records it owns. */
  lines: string;
  /** Keys of the sessions it caused, and of those they caused; null without any. */
  below: string | null;
  /** `SettingsChange`; null when nothing changed since the previous turn. */
  settings: string | null;
}

const NO_COLUMNS: ReportColumns = { part: 0, lines: "[]", below: null, settings: null };

/** Those of all turns, in order: the settings of a turn depend on the turns before it. */
export function reportColumns(session: Session): [Turn, ReportColumns][] {
  const places = new Map(session.parts.map((part, place) => [part, place]));
  let before: string | null = null;
  return contextTrail(session).map(({ turn, shifts: changes, instructions }) => {
    const given = JSON.stringify(instructions);
    const isAsBefore = given === (before ?? "[]");
    before = given;
    const change: SettingsChange | null = !isAsBefore
      ? { changes, instructions }
      : changes.length === 0
        ? null
        : { changes };
    const below = descendants(turn).map(sessionKey);
    const columns = {
      part: places.get(turn.part) ?? 0,
      lines: JSON.stringify(turn.draft.lines),
      below: below.length === 0 ? null : JSON.stringify(below),
      settings: change && JSON.stringify(change),
    };
    return [turn, columns];
  });
}

/** Looks up the settings in force in a turn of a session. */
export function settingsIn(store: IndexStore, session: string): (ref: string) => Required<SettingsChange> {
  const rows = store.all("SELECT ref, settings FROM turn WHERE session = ? AND settings IS NOT NULL", session);
  const stated = rows
    .map(({ ref, settings }): [at: number, change: SettingsChange] => [
      turnIndexOf(String(ref)),
      parseRow(settings) as SettingsChange,
    ])
    .toSorted(([a], [b]) => a - b);
  const byTurn = new Map(stated);
  const given = stated.flatMap(([from, { instructions }]) => (instructions ? [{ from, instructions }] : []));
  return (ref) => {
    const at = turnIndexOf(ref);
    const instructions = given.findLast(({ from }) => from <= at)?.instructions ?? [];
    return { changes: byTurn.get(at)?.changes ?? [], instructions };
  };
}

export function putTurn(
  store: RowStore,
  key: string,
  { ref, part, draft }: Turn,
  view: string,
  columns: ReportColumns = NO_COLUMNS,
): void {
  const { trigger, start_line: first, end_line: last, records, files } = draft;
  const place = { ref, time: trigger.time, path: part.path, first, last, records, files };
  insertTurn(store, key, place, view, columns);
}

export function insertTurn(
  store: RowStore,
  key: string,
  place: {
    ref: string;
    time: number | null;
    path: string;
    first: number;
    last: number;
    records: number;
    files: readonly { path: string }[];
  },
  view: string,
  columns: Partial<ReportColumns>,
): void {
  const { ref, time, path, first, last, records, files } = place;
  const { part, lines, below, settings } = { ...NO_COLUMNS, ...columns };
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
  store.run("DELETE FROM changed_file WHERE session = ? AND ref = ?", key, ref);
  const changed = "INSERT OR IGNORE INTO changed_file (session, ref, path, time) VALUES (?, ?, ?, ?)";
  for (const file of files) store.run(changed, key, ref, file.path, time);
}

export function dropTurn(store: RowStore, key: string, ref: SqlValue): void {
  for (const table of ["turn", "changed_file"])
    store.run(`DELETE FROM ${table} WHERE session = ? AND ref = ?`, key, ref);
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
