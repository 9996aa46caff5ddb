import type { Cursor } from "../contract.ts";
import { obj } from "./native.ts";
import { Recent, RecentMap, SavedMap } from "./recent.ts";

/**
 * The reader's state from a cursor: collections are rebuilt from their items, fields missing in the cursor keep their
 * initial value. If a collection has an unexpected form, reading starts with a fresh state.
 */
export function restoreState<State extends object>(fresh: State, cursor: Pick<Cursor, "state"> | null): State {
  const saved = obj(cursor?.state);
  if (!saved) return fresh;
  const out: Record<string, unknown> = { ...fresh, ...structuredClone(saved) };
  for (const [name, empty] of Object.entries(fresh)) {
    if (!(empty instanceof Recent || empty instanceof RecentMap || empty instanceof SavedMap)) continue;
    const items = out[name];
    if (!Array.isArray(items)) return fresh;
    out[name] = empty.withItems(items);
  }
  return out as State;
}
