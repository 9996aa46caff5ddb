import type { SessionView } from "../../views/session-view.ts";
import type { ReadViews } from "../../views/not-pushed.ts";
import { MAX_REQUESTS, titleOf, type NamingRequest } from "../../views/title.ts";
import { parseRow } from "./damaged-index.ts";
import type { IndexStore } from "./index-store.ts";
import { secretIn } from "./turn-row.ts";

/** The requests of a session, from its rows, in order. */
export function* requestsIn(store: IndexStore, key: string): Generator<NamingRequest, void, undefined> {
  const sql = "SELECT view FROM turn WHERE session = ? ORDER BY ref LIMIT 1 OFFSET ?";
  for (let n = 0; n < MAX_REQUESTS; n++) {
    const row = store.get(sql, key, n);
    if (!row) return;
    yield (parseRow(row["view"]) as ReadViews["turn"]).trigger;
  }
}

/** Updates the title after the view of a request changed. */
export function updateTitle(store: IndexStore, key: string): void {
  const row = store.get("SELECT view FROM session WHERE key = ?", key);
  if (!row) return;
  const before = parseRow(row["view"]) as SessionView;
  if (before.title_source === "human" || before.title_source === "agent") return;
  const view = JSON.stringify({ ...before, ...titleOf(null, requestsIn(store, key)) });
  if (view !== row["view"])
    store.run("UPDATE session SET view = ?, secret = ? WHERE key = ?", view, secretIn(view), key);
}
