import { holdsSecret } from "../../redact/redact.ts";
import type { Turn } from "../../turns/session.ts";
import type { IndexStore } from "./index-store.ts";

export function putTurn(store: IndexStore, key: string, turn: Turn, view: string): void {
  const { trigger, start_line, end_line, records } = turn.draft;
  store.run(
    "INSERT OR REPLACE INTO turn (session, ref, time, path, first, last, records, view, secret) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    ...[key, turn.ref, trigger.time, turn.part.path, start_line, end_line, records, view, secretIn(view)],
  );
}

/** Says something else of a turn that is there. */
export function retellTurn(store: IndexStore, session: string, ref: string, view: string): void {
  const sql = "UPDATE turn SET view = ?, secret = ? WHERE session = ? AND ref = ?";
  store.run(sql, view, secretIn(view), session, ref);
}

/** What is written into the column `secret` beside a view. */
export function secretIn(view: string): number {
  return holdsSecret(view) ? 1 : 0;
}
