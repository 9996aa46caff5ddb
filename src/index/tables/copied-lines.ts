import type { Session } from "../../turns/session.ts";
import { mainPageOf, pageName } from "../../book/pages/page-format.ts";
import type { IndexStore } from "./index-store.ts";
import type { RowStore } from "./row-store.ts";
import { sessionKey, sessionKeySql } from "../../record/session-key.ts";

/** Stores which lines of a session's files repeat another session. Returns the rows written. */
export function writeCopied(store: RowStore, session: Session): number {
  const key = sessionKey(session);
  const rows = session.parts.flatMap(({ path, page, inherited_lines: runs }) =>
    runs.flatMap((first, i): [string, string, number, number][] =>
      i % 2 === 0 ? [[path, pageName(store.home, page && mainPageOf(page)), first, runs[i + 1] ?? first]] : [],
    ),
  );
  const before = store.all("SELECT path, page, first, last FROM copied_lines WHERE session = ?", key);
  const known = before.map(({ path, page, first, last }) => [path, page, first, last].join(" "));
  if (
    known.toSorted().join("\n") ===
    rows
      .map((row) => row.join(" "))
      .toSorted()
      .join("\n")
  )
    return 0;
  store.run("DELETE FROM copied_lines WHERE session = ?", key);
  for (const row of rows)
    store.run("INSERT INTO copied_lines (session, path, page, first, last) VALUES (?, ?, ?, ?, ?)", key, ...row);
  return rows.length;
}

/** A rewritten file has a page for each of its contents, with line numbers of their own. Read directly, it has none. */
const IS_OF_FILE = "c.path = u.path AND c.page IN (u.page, '')";

/** Conditions on `doc d` that find each text once: in the session that said it first, not in its copies. */
export function firstOccurrences(store: IndexStore): string[] {
  const copies = store.all(
    `SELECT u.id FROM session s INDEXED BY session_copied JOIN file u ON u.source = s.source AND u.session_id = s.session_id
     WHERE s.copied = 1`,
  );
  const forks = store.all(
    `SELECT DISTINCT u.id FROM copied_lines c JOIN session s ON s.key = c.session
     JOIN file u ON u.source = s.source AND u.session_id = s.session_id AND ${IS_OF_FILE}`,
  );
  const list = (rows: typeof copies): string => rows.map((row) => Number(row["id"])).join(", ");
  // Most texts are in no fork: for those only the file id is compared.
  const isCopied = `SELECT 1 FROM file u JOIN copied_lines c ON c.session = ${sessionKeySql("u")} AND ${IS_OF_FILE}
     WHERE u.id = d.file AND d.line BETWEEN c.first AND c.last`;
  return [
    ...(copies.length === 0 ? [] : [`d.file NOT IN (${list(copies)})`]),
    ...(forks.length === 0 ? [] : [`(d.file NOT IN (${list(forks)}) OR NOT EXISTS (${isCopied}))`]),
  ];
}
