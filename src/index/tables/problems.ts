import { join } from "node:path";
import type { Diagnostic } from "../../agents/contract.ts";
import type { DamagedPage } from "../sync/rebuild.ts";
import { parseRow } from "./damaged-index.ts";
import type { IndexStore } from "./index-store.ts";
import { sessionKeySql } from "../../record/session-key.ts";

/** Lines that no reader could parse, in the files in scope. */
export function problemsIn(store: IndexStore, scope: ReadonlySet<string> | null): Diagnostic[] {
  return store
    .all(`SELECT ${sessionKeySql("u")} AS k, problems FROM file u WHERE problems <> '[]' AND gone <> 2 ORDER BY id`)
    .filter((row) => scope === null || scope.has(String(row["k"])))
    .flatMap((row) => parseRow(row["problems"]) as Diagnostic[])
    .concat(closedPages(store));
}

/** Pages with an unreadable header or of a later version: they belong to no session. */
function closedPages(store: IndexStore): Diagnostic[] {
  const pages = parseRow(store.meta("damaged_pages") ?? "[]") as DamagedPage[];
  return pages.map(({ page, newer, source }) => ({
    code: "page_damaged",
    source: source ?? "book",
    path: join(store.home, page),
    message: newer
      ? "this page of the book was written by a later version"
      : "this page of the book is damaged and lost",
    ...(newer ? { hint: "use that version, or a home of its own: --home DIR" } : {}),
  }));
}
