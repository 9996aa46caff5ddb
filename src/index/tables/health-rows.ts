import type { HealthRow } from "../../book/reading/doctor.ts";
import type { Diagnostic, Drift } from "../../agents/contract.ts";
import { parseRow } from "./damaged-index.ts";
import type { IndexStore } from "./index-store.ts";
import { join } from "node:path";
import type { DamagedPage } from "../sync/rebuild.ts";
import { sessionKeySql } from "../../record/session-key.ts";

/**
 * Health of sessions with one file, by key: their rows are sufficient. With several files, or for copies and forks, the
 * sessions have to be assembled: only then it shows which file is a copy of another.
 */
export function storedHealth(store: IndexStore): Map<string, HealthRow> {
  const rows = store.list(
    `SELECT s.key, s.source, s.session_id, MIN(u.path), m.drift, d.diagnostics,
       json_extract(a.view, '$.records.corrupt'), json_extract(a.view, '$.records.unknown')
     FROM session s JOIN file u ON u.source = s.source AND u.session_id = s.session_id JOIN read_state m ON m.file = u.id
       JOIN session_detail d ON d.session = s.key JOIN audit a ON a.session = s.key
     WHERE s.copied = 0 AND instr(s.view, '"forked_from":"') = 0
     GROUP BY s.key HAVING COUNT(*) = 1 AND MAX(u.stale) = 0 AND MAX(u.gone) < 2`,
  );
  return new Map(
    rows.map(([key, source, id, path, drift, diagnostics, corrupt, unknown]) => [
      String(key),
      {
        source: String(source),
        session_id: String(id),
        paths: [String(path)],
        drift: (parseRow(drift) as [Drift, Drift]).slice(0, 1),
        corrupt: Number(corrupt),
        unknown: Number(unknown),
        diagnostics: parseRow(diagnostics) as Diagnostic[],
      },
    ]),
  );
}

/** Lines that no reader could parse, in the files in scope. */
export function problemsIn(store: IndexStore, scope: ReadonlySet<string> | null): Diagnostic[] {
  return store
    .all(`SELECT ${sessionKeySql("u")} AS k, problems FROM file u WHERE problems <> '[]' AND gone <> 2 ORDER BY id`)
    .filter((row) => scope === null || scope.has(String(row["k"])))
    .flatMap((row) => parseRow(row["problems"]) as Diagnostic[])
    .concat(closedPages(store));
}

/** Pages that lost what no row of a session says: their header, their end, all of them; and those of a later version. */
function closedPages(store: IndexStore): Diagnostic[] {
  const pages = parseRow(store.meta("damaged_pages") ?? "[]") as DamagedPage[];
  const isReadAgain = ({ page, path }: DamagedPage): boolean =>
    path !== null &&
    store.get("SELECT 1 FROM file WHERE size > 0 AND (page = ? OR path = ?)", page, path) !== undefined;
  return pages
    .filter((one) => one.newer || !isReadAgain(one))
    .map(({ page, newer, source }) => ({
      code: "page_damaged",
      source: source ?? "book",
      path: join(store.home, page),
      message: newer
        ? "this page of the book was written by a later version"
        : "this page of the book is damaged, and its file was not read again",
      ...(newer ? { hint: "use that version, or a home of its own: --home DIR" } : {}),
    }));
}
