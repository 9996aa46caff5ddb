import { limitsIn, type LimitView, type StatedLimit } from "../../views/limit-view.ts";
import type { Row } from "../../base/io/sqlite.ts";
import type { ContextChange } from "../../turns/model.ts";
import type { Session } from "../../turns/session.ts";
import { parseRow } from "./damaged-index.ts";
import type { RowStore } from "./row-store.ts";
import { sessionKey } from "../../record/session-key.ts";

/** Updates the rate limits that a session states. Returns the rows written. */
export function writeLimits(
  store: RowStore,
  session: Pick<Session, "source" | "session_id">,
  contexts: Iterable<ContextChange>,
): number {
  const key = sessionKey(session);
  const before = new Map(
    store.all("SELECT id, view FROM rate_limit WHERE session = ?", key).map(({ id, view }) => [String(id), view]),
  );
  let written = 0;
  for (const { time, view } of limitsIn(session, contexts)) {
    const text = JSON.stringify(view);
    const isSame = before.get(view.limit_id) === text;
    before.delete(view.limit_id);
    if (isSame) continue;
    const sql = "INSERT OR REPLACE INTO rate_limit (session, id, time, line, view) VALUES (?, ?, ?, ?, ?)";
    store.run(sql, key, view.limit_id, time, view.line, text);
    written++;
  }
  // A line read while half-written may have named another limit.
  for (const id of before.keys()) {
    store.run("DELETE FROM rate_limit WHERE session = ? AND id = ?", key, id);
    written++;
  }
  return written;
}

export function statedLimit(row: Row): StatedLimit {
  return { time: Number(row["time"]), view: parseRow(row["view"]) as LimitView };
}
