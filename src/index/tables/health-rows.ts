import type { HealthRow } from "../../book/reading/doctor.ts";
import type { Diagnostic, Drift } from "../../agents/contract.ts";
import { parseRow } from "./damaged-index.ts";
import type { IndexStore } from "./index-store.ts";

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
